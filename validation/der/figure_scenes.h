// The scenes of Table 1, with as many vertices as there, and what their steps cost.  [Bergou 2008]
#pragma once

#include <array>
#include <span>

#include "tendril/scene.h"

namespace tendril {

struct StepCost {  // of one step [ms]
  double forces = 0, contact = 0, frames = 0, projection = 0, total = 0;
};
struct FigureScene {
  int figure = 0, vertices = 0;
  int copies = 1;      // of so many vertices: the links of a chain
  double warm_up = 0;  // [s] until there is something to see
  Scene (*make)() = nullptr;
  StepCost paper;  // on one core of a 2.66 GHz Core 2 Duo
};
std::span<const FigureScene> figure_scenes();  // in the order of the table
const FigureScene& figure_scene(int figure);

struct MeasuredCost {
  StepCost cost;
  double finding = 0;                   // [ms] part of contact: the search for what touches, broad and narrow
  double step = 0;                      // [ms] time step
  double contacts = 0, iterations = 0;  // per step, mean
};
// The least over many short runs, which leaves out what other programs take.
MeasuredCost measure_cost(const FigureScene& scene);

}  // namespace tendril
