// Small oscillations about an equilibrium: natural frequencies and the shapes that swing with them. For methods that claim
// Feature::modes. Without damping: masses and stiffnesses alone.
#pragma once

#include <vector>

#include "tendril/frame.h"
#include "tendril/problem.h"

namespace tendril {

struct Scene;
class Simulation;
class Sink;

struct NaturalMode {
  double omega_squared = 0;  // [1/s^2]; < 0: it does not swing, it falls away as exp(sqrt(-omega_squared) t)
  OnNodes<Vec3> move;        // of nodes; scaled so that the mode's kinetic energy is omega^2/2: unit modal mass
  OnEdges<Vec3> turn;        // of material frames, in world axes
  std::vector<Vec3> body_move, body_turn;  // of bodies
  double frequency() const;                // [Hz]; 0: it does not swing
};
struct Modes {
  Frame equilibrium;
  std::vector<NaturalMode> list;  // rising in omega_squared
};
inline constexpr int max_modes = 100;

// The equilibrium of the scene, whatever its mode, under the loads and paths of its end, then its lowest modes. Problems name what stands in
// the way: a method that cannot, no equilibrium, loads without a potential, contact.
Checked<Modes> natural_modes(const Scene& scene, int count);

// The equilibrium swung out along a mode until a node has moved by `size` [m] (< 0: to the other side), or something has turned by a radian.
Frame swung(const Modes& modes, std::size_t mode, double size);

// A film of the modes for a sink, one after the other, each for `seconds` and two swings; the largest way is a twelfth of the scene's size.
// `begin` is called with a simulation of the scene in motion that stands at its start and lasts as long as the film.
inline constexpr double seconds_per_mode = 3;
Problems show_modes(const Scene& scene, const Modes& modes, Sink& sink, double seconds = seconds_per_mode);

}  // namespace tendril
