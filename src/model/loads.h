// What the world does to the rods, as kernels over the number type (double, packs, duals): value and tangent, for all methods.
//
//   gravity        f = line_mass g                                     per rest length
//   line loads     f, m in world or material axes                      per rest length, on the covered share of an edge
//   point loads    F, M in world or material axes                      at a node
//   drag, wind     f = push - (across (1 - t t^T) + along t t^T) v     per rest length; t = d3, wind: about the present velocity
// Springs and dampers that pull at points are in grips.h.
//
// All of it depends on where the rod is there (LoadedPoint): place, velocity, frame. Tangents are in these, frames turned by
// exp(turn) from the left, that is in world axes.
#pragma once

#include <vector>

#include "math/pack.h"
#include "model/drive.h"
#include "model/wind.h"

namespace tendril {

// ---- what loads depend on --------------------------------------------------------------------------------------------------
bool depends_on_frame(const Model& model, int rod);     // a load in material axes acts on this rod
bool depends_on_velocity(const Model& model, int rod);  // drag, wind, or a damper of a coupling
bool is_steady(const Model& model);                     // nothing in the drive changes with time, but for gusts

// ---- loads that are given ---------------------------------------------------------------------------------------------------
// Which part of edge e the load lies on, 0 to 1, for e in [first, last).
inline double covered_share(const LineLoad& load, EdgeIndex e) {
  if (e == load.first) return load.first_share;
  return e == load.last - 1 ? load.last_share : 1;
}
// What the load's force and moment per length count on edge e now, averaged over the edge.
inline double line_weight(const LineLoad& load, double factor, EdgeIndex e) { return factor * covered_share(load, e); }

// A given load in world axes. `frame`: any matrix whose columns are d1, d2, d3.
template <class Frame, class V>
V in_world(Axes axes, const Frame& frame, const V& value) {
  return axes == Axes::material ? V(frame * value) : value;
}
// How a load in material axes, whose present value in world axes is `value`, changes when the frame turns.
Mat3 follower_tangent(const Vec3& value);

// The given loads on one edge (per rest length) or at one node, summed in the order of the scene.
struct GivenLoad {
  V3<double> world_force{0, 0, 0}, world_moment{0, 0, 0}, material_force{0, 0, 0}, material_moment{0, 0, 0};
  V3<double>& force(Axes axes) { return axes == Axes::world ? world_force : material_force; }
  V3<double>& moment(Axes axes) { return axes == Axes::world ? world_moment : material_moment; }
};

// ---- drag and wind -----------------------------------------------------------------------------------------------------------
// A law linear in the velocity v: force = push - (across (1 - t t^T) + along t t^T) v.
template <class T>
struct AirLaw {
  T across, along;
  V3<T> push;
};
// 1/2 density coefficient width: what the square of the relative speed across a rod is multiplied with [kg/m^2]
inline double wind_area(const WindLoad& law, double width) { return 0.5 * law.density * law.coefficient * width; }
namespace detail {
// |a|, with the derivative 0 at 0, where |a| a has one and |a| has none.
template <class T>
T length_of(const V3<T>& a) {
  if constexpr (is_dual<T>) {
    const T square = squared_norm(a);
    const auto none = square == T(0);
    return select(none, T(0), math::sqrt(select(none, T(1), square)));
  } else {
    return norm(a);
  }
}
}  // namespace detail
// Adds a wind at the place x of a rod that moves with v; `area`: wind_area times the length it acts on.
template <class T>
void add_wind(const WindNow& wind, const T& area, const V3<T>& x, const V3<T>& v, const V3<T>& t, AirLaw<T>& law) {
  const V3<T> air = wind_velocity(wind, x), relative = air - v;
  const T coefficient = area * detail::length_of(V3<T>(relative - dot(relative, t) * t));
  law.across = law.across + coefficient;
  law.push = law.push + coefficient * (air - dot(air, t) * t);
}
template <class T>
V3<T> air_force(const AirLaw<T>& law, const V3<T>& v, const V3<T>& t) {
  const V3<T> part = dot(v, t) * t;
  return law.push - law.across * (v - part) - law.along * part;
}

// ---- all of them, at an instant ------------------------------------------------------------------------------------------------
template <class T>
struct LoadedPoint {
  V3<T> position, velocity;
  M3<T> frame;  // columns d1, d2, d3
};
template <class T>
struct WrenchOf {
  V3<T> force, moment;
};

class LoadsNow {
 public:
  explicit LoadsNow(const Model& model);
  void update(const Drive& drive);  // does not allocate

  const GivenLoad& on_edge(EdgeIndex e) const { return edges_[e]; }  // per rest length, gravity included
  const GivenLoad& at_node(NodeIndex i) const { return nodes_[i]; }
  template <class T>
  WrenchOf<T> given_per_length(EdgeIndex e, const LoadedPoint<T>& at) const {
    return wrench(edges_[e], at);
  }
  // Everything per rest length of an edge, drag and wind included.
  template <class T>
  WrenchOf<T> per_length(EdgeIndex e, const LoadedPoint<T>& at) const {
    WrenchOf<T> sum = wrench(edges_[e], at);
    const Air& air = air_[e];
    if (!air.any) return sum;
    const V3<T> t = at.frame.column(2);
    AirLaw<T> law{T(air.across), T(air.along), {T(0), T(0), T(0)}};
    for (std::size_t w = 0; w < winds_.size(); ++w)
      if (const double area = areas_[w][e]; area > 0) add_wind(winds_[w], T(area), at.position, at.velocity, t, law);
    sum.force += air_force(law, at.velocity, t);
    return sum;
  }
  template <class T>
  WrenchOf<T> at_node(NodeIndex i, const LoadedPoint<T>& at) const {
    return wrench(nodes_[i], at);
  }
  // Power of drag and wind per rest length [W/m]: of their force along the air's velocity, and what goes into the air.
  struct AirPower {
    double wind = 0, drag = 0;
  };
  AirPower air_power(EdgeIndex e, const LoadedPoint<double>& at) const;

 private:
  struct Air {
    double across = 0, along = 0;  // [N s/m^2]
    bool any = false;
  };
  template <class T>
  static WrenchOf<T> wrench(const GivenLoad& load, const LoadedPoint<T>& at) {
    return {constant<T>(load.world_force) + at.frame * constant<T>(load.material_force),
            constant<T>(load.world_moment) + at.frame * constant<T>(load.material_moment)};
  }
  const Model& model_;
  OnEdges<GivenLoad> edges_;
  OnNodes<GivenLoad> nodes_;
  OnEdges<Air> air_;
  std::vector<OnEdges<double>> areas_;  // per wind [kg/m^2]; 0: it does not blow there
  std::vector<WindNow> winds_;
};

// ---- tangents -------------------------------------------------------------------------------------------------------------------
struct LoadTangent {  // rows 0 to 2: of the force, 3 to 5: of the moment
  using Columns = Eigen::Matrix<double, 6, 3>;
  Columns position = Columns::Zero(), velocity = Columns::Zero(), turn = Columns::Zero(), spin = Columns::Zero();
};
// The exact tangent of a load written over the number type: load(LoadedPoint<T>) -> WrenchOf<T>. Three directions at a time,
// each in a lane of a pack of duals.
template <class Load>
LoadTangent load_tangent(const Load& load, const LoadedPoint<double>& at) {
  using D = Dual<Pack>;
  const auto unit = [](int lane) { return Pack([lane](int k) { return k == lane ? 1.0 : 0.0; }); };
  const LoadedPoint<D> still{constant<D>(at.position),
                             constant<D>(at.velocity),
                             {constant<D>(at.frame.r0), constant<D>(at.frame.r1), constant<D>(at.frame.r2)}};
  const auto slopes = [&load](const LoadedPoint<D>& moving, LoadTangent::Columns& out) {
    const WrenchOf<D> w = load(moving);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) out(i, j) = w.force[i].slope[j], out(i + 3, j) = w.moment[i].slope[j];
  };
  LoadTangent tangent;
  LoadedPoint<D> moving = still;
  for (int j = 0; j < 3; ++j) moving.position[j].slope = unit(j);
  slopes(moving, tangent.position);
  moving = still;
  for (int j = 0; j < 3; ++j) moving.velocity[j].slope = unit(j);
  slopes(moving, tangent.velocity);
  moving = still;  // the frame turns: column c changes by turn x column c
  for (int c = 0; c < 3; ++c) {
    const V3<double> d = at.frame.column(c);
    moving.frame(0, c).slope = Pack(d.z) * unit(1) - Pack(d.y) * unit(2);
    moving.frame(1, c).slope = Pack(d.x) * unit(2) - Pack(d.z) * unit(0);
    moving.frame(2, c).slope = Pack(d.y) * unit(0) - Pack(d.x) * unit(1);
  }
  slopes(moving, tangent.turn);
  return tangent;
}

// Of a grip at a point whose frame there is `orientation`: of grip_force and grip_moment (grips.h).
LoadTangent grip_tangent(const Grip& grip, const Quat& orientation);

}  // namespace tendril
