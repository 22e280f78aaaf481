// Where the fibres of a tress are: the formula that the page's vertex shader follows (web/src/draw/fibres.ts, curve_shader.ts), and that a
// test holds its numbers against. Frames have no fibres; whoever draws finds them from the guides.
//
//   fibre(s) = sum over guides g of  w_g (x_g(s) + d1_g(s) a(s) + d2_g(s) b(s)),   (a, b)(s) = place (spread + s (tip_spread - spread))
//
// s: fraction of a guide's segments. x: Hermite's curve through the nodes; d1, d2: frames blended between the middles of edges, turned
// perpendicular to the curve. A fibre that follows one guide has one weight; one that lies between has three.
#pragma once

#include <array>
#include <cstdint>

#include "model/model.h"

namespace tendril::view {

struct Fibre {
  std::array<int, 3> rod = {0, 0, 0};  // guides
  std::array<double, 3> weight = {1, 0, 0};
  Vec2 start = Vec2::Zero(), end = Vec2::Zero();  // place in the guides' sections, along d1 and d2 [m]
};
int fibres_of(const TressModel& tress);              // of all its guides
Fibre fibre_at(const TressModel& tress, int fibre);  // those of the first guide first; the first of each is the guide itself
double spread_about(const Model& model, int rod);    // [m] 0: it guides no tress
double random_share(std::uint32_t seed, std::uint32_t fibre, std::uint32_t draw);  // in [0, 1), the same on every machine

struct GuidePoint {
  Vec3 centre, tangent, d1, d2;
};
GuidePoint guide_point(const Frame& frame, int rod, double s);
Vec3 fibre_point(const Frame& frame, const Fibre& fibre, double s);

}  // namespace tendril::view
