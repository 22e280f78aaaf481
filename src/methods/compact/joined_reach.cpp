// Are things that hold rods, through joints and bodies, further apart than all that lies between them is long? Asked after a step that failed.
#include <algorithm>
#include <cmath>

#include "methods/compact/joined.h"

namespace tendril::compact {

// Points: one per tie, then the held points of rods. What lies between two of them on a rod or on a body cannot be longer than it is; the
// shortest way over all of them (Floyd and Warshall) bounds how far apart any two can be.
int Joined::rod_out_of_reach() const {
  struct Known {
    int point;
    Vec3 place;
  };
  struct OnRod {
    int point;
    double at;  // [m] from the root
  };
  std::vector<Known> known;
  std::vector<std::vector<OnRod>> on_rod(parts_.size());
  std::vector<std::vector<std::pair<int, Vec3>>> on_body(z(plan_.bodies));
  std::vector<int> rod_of;  // by point, to be named
  const auto along = [&](int rod, int node) {
    double sum = 0;
    for (int i = 0; i < node; ++i) sum += parts_[z(rod)]->chain.links[z(i)].length;
    return sum;
  };
  for (std::size_t t = 0; t < ties_.size(); ++t) {
    const int point = static_cast<int>(t);
    rod_of.push_back(-1);
    for (const Side& side : ties_[t].side) {
      if (side.rod >= 0) {
        on_rod[z(side.rod)].push_back({point, along(side.rod, side.node)});
        rod_of.back() = side.rod;
      } else if (side.body < 0 || is_led(side.body)) {
        known.push_back({point, side.body < 0 ? side.local : Vec3(place_[z(side.body)] + arm(side))});
      } else {
        on_body[z(side.body)].push_back({point, side.local});
      }
    }
  }
  for (const int rod : rods_) {
    const Chain& chain = parts_[z(rod)]->chain;
    const auto hold = [&](int node, const Vec3& place) {
      known.push_back({static_cast<int>(rod_of.size()), place});
      on_rod[z(rod)].push_back({static_cast<int>(rod_of.size()), along(rod, node)});
      rod_of.push_back(rod);
    };
    for (const int c : chain.root_clamps)
      if (drive_->clamps[z(c)].active && !model_.clamps[z(c)].slides) hold(0, drive_->clamps[z(c)].pose.position);
    for (const HeldPoint& held : chain.held)
      if (drive_->clamps[z(held.clamp)].active && !held.slides)
        hold(held.link + 1, drive_->clamps[z(held.clamp)].pose.position);
  }
  const std::size_t count = rod_of.size();
  std::vector<double> way(count * count, HUGE_VAL);
  const auto join = [&](int a, int b, double length) {
    for (double* w : {&way[z(a) * count + z(b)], &way[z(b) * count + z(a)]}) *w = std::min(*w, length);
  };
  for (const auto& points : on_rod)
    for (const OnRod& a : points)
      for (const OnRod& b : points) join(a.point, b.point, std::abs(a.at - b.at));
  for (const auto& points : on_body)
    for (const auto& a : points)
      for (const auto& b : points) join(a.first, b.first, (a.second - b.second).norm());
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < count; ++j)
        way[i * count + j] = std::min(way[i * count + j], way[i * count + k] + way[k * count + j]);
  for (const Known& a : known)
    for (const Known& b : known)
      if ((a.place - b.place).norm() > (1 + 1e-9) * way[z(a.point) * count + z(b.point)])
        return rod_of[z(a.point)] >= 0 ? rod_of[z(a.point)] : rod_of[z(b.point)];
  return -1;
}

}  // namespace tendril::compact
