// Where clamps, loads, joints and probes sit: fractions of length become nodes, edges and arc lengths.
#pragma once

#include <string>
#include <vector>

#include "model/build/rod_shape.h"
#include "model/model.h"

namespace tendril {

std::string rod_name(const Scene& scene, int rod);          // as given, or rod1, rod2, ...
int find_rod(const Scene& scene, const std::string& name);  // -1: none. An empty name means the only rod.

// Places that must be nodes.
struct Marks {
  struct Mark {
    int rod = 0;
    double fraction = 0;
  };
  std::vector<Mark> all;
  std::vector<double> of_rod(int rod) const;
};
Marks collect_marks(const Scene& scene, Problems& problems);  // problems: unknown rods, places outside 0..1

// Targets (one per clamp, same order), loads, joints, probes. The start poses of targets are those of `shapes`, which the
// initial noise does not touch.
void place_ropes(const Scene& scene, Model& model, Problems& problems);  // after bodies
void place_tresses(const Scene& scene, Model& model, Problems& problems);
void place_everything(const Scene& scene, const std::vector<RodShape>& shapes, Model& model, Problems& problems);

}  // namespace tendril
