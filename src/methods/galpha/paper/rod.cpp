#include "methods/galpha/paper/rod.h"

#include <algorithm>

#include "math/rotation.h"
#include "model/node_frames.h"

namespace tendril::galpha::paper {
namespace {

// Curvatures at nodes from those of segments, or of the joints between them: means inside, straight on at the ends.
std::vector<Vec3> to_nodes(const RodData& rod, const std::vector<Vec3>& of_segments) {
  const int n = rod.count();
  std::vector<Vec3> at(z(n + 1), of_segments.front());
  for (int k = 1; k < n; ++k) {
    const double a = rod.segments[z(k - 1)].length, b = rod.segments[z(k)].length;
    at[z(k)] = (b * of_segments[z(k - 1)] + a * of_segments[z(k)]) / (a + b);
  }
  at[0] = 2 * of_segments[0] - at[1];
  at[z(n)] = 2 * of_segments[z(n - 1)] - at[z(n - 1)];
  if (n == 1) at[0] = at[1] = of_segments[0];
  return at;
}

bool starts_at_rest(const Model& model, const RodData& rod, double length) {
  double away = 0;
  for (int k = 0; k < rod.count(); ++k) {
    const EdgeIndex e = rod.edge(k);
    away = std::max(away, model.initial.orientation[e].angularDistance(model.rest_frame[e]));
  }
  // A rest shape that is moved as a whole, to where its clamp is, is at rest as well: then all edges are turned alike.
  const Quat whole = model.initial.orientation[rod.edge(0)] * model.rest_frame[rod.edge(0)].conjugate();
  double bent = 0;
  for (int k = 0; k < rod.count(); ++k) {
    const EdgeIndex e = rod.edge(k);
    bent = std::max(bent, model.initial.orientation[e].angularDistance(whole * model.rest_frame[e]));
  }
  return std::min(away, bent) * length < 1e-9 * length;
}

// Of a start that is not the rest shape: the turn between neighbouring edges over the distance of their middles, straight on at the ends.
std::vector<Vec3> bent_start(const Model& model, const RodData& rod) {
  const int n = rod.count();
  std::vector<Vec3> at(z(n + 1), Vec3::Zero());
  for (int k = 1; k < n; ++k) {
    const Quat &a = model.initial.orientation[rod.edge(k - 1)], &b = model.initial.orientation[rod.edge(k)];
    const double between = 0.5 * (rod.segments[z(k - 1)].length + rod.segments[z(k)].length);
    at[z(k)] = log_rotation(Quat(a.conjugate() * b)) / between;
  }
  at[0] = n > 2 ? Vec3(2 * at[1] - at[2]) : at[1];
  at[z(n)] = n > 2 ? Vec3(2 * at[z(n - 1)] - at[z(n - 2)]) : at[z(n - 1)];
  return at;
}

Vec3 stiffness_of(const Section& s) { return Vec3(s.EI1, s.EI2, s.GJ); }

}  // namespace

RodData rod_data(const Model& model, int number) {
  RodData rod;
  const RodModel& from = model.rods[z(number)];
  rod.rod = number, rod.span = from.span;
  std::vector<Vec3> rest;
  for (int k = 0; k < from.span.edges; ++k) {
    const EdgeIndex e = rod.edge(k);
    const Section& section = model.section[e];
    const RestScrew screw = rest_screw(model, number, k);
    Segment s;
    s.length = norm(screw.t);
    rest.push_back(to_eigen(screw.w) / s.length);
    s.mass = section.line_mass, s.damping = from.damping.mass;
    s.inertia = Vec3(section.rotary1, section.rotary2, section.rotary1 + section.rotary2);  // [ERRATA B2]
    rod.segments.push_back(s);
    rod.length += s.length;
    rod.stiffness = std::max(rod.stiffness, stiffness_of(section).maxCoeff());
  }
  const std::vector<Vec3> at_nodes = to_nodes(rod, rest);
  for (int k = 0; k <= rod.count(); ++k) {
    const Section &a = model.section[rod.edge(std::max(0, k - 1))],
                  &b = model.section[rod.edge(std::min(k, rod.count() - 1))];
    rod.nodes.push_back({0.5 * (stiffness_of(a) + stiffness_of(b)), at_nodes[z(k)]});
  }
  rod.start = starts_at_rest(model, rod, rod.length) ? at_nodes : bent_start(model, rod);
  for (std::size_t c = 0; c < model.clamps.size(); ++c) {
    const ClampModel& clamp = model.clamps[c];
    if (clamp.rod != number) continue;
    if (clamp.node == rod.node(0)) rod.near_clamp = static_cast<int>(c);
    if (clamp.node == rod.node(rod.count())) rod.far_clamp = static_cast<int>(c);
  }
  return rod;
}

Level::Level(const RodData& rod)
    : x(rod.nodes.size()),
      rate(rod.nodes.size()),
      frame(rod.nodes.size(), Mat3::Identity()),
      place(rod.nodes.size(), Vec3::Zero()),
      turn(rod.segments.size(), Mat3::Identity()),
      half(rod.segments.size(), Mat3::Identity()),
      slope(rod.nodes.size()),
      rows(rod.segments.size(), Rows::Zero()) {}

void place_frames(const RodData& rod, Level& level) {
  level.frame[0] = level.ends.near.orientation.toRotationMatrix();
  level.place[0] = level.ends.near.position;
  for (int k = 0; k < rod.count(); ++k) {
    const double h = rod.segments[z(k)].length;
    const Vec3 turn = 0.5 * h * (level.x[z(k)].k + level.x[z(k + 1)].k);
    level.half[z(k)] = exp_matrix(0.5 * turn);
    level.turn[z(k)].noalias() = level.half[z(k)] * level.half[z(k)];
    level.frame[z(k + 1)].noalias() = level.frame[z(k)] * level.turn[z(k)];
    level.place[z(k + 1)] = level.place[z(k)] + level.frame[z(k)] * (h * left_jacobian(turn).col(2));
  }
}

Weights weights_of(const Settings& settings) {
  if (settings.space != Space::recurrence) return {};
  // One triple for space and time: y_s,b = (y_b - y_a) / (gamma h) - (1 - gamma)/gamma y_s,a, of which the far node counts 1 - beta.
  const auto [alpha, beta, gamma] = settings.triple;
  return {alpha, beta, (1 - beta) / gamma, beta - (1 - beta) * (1 - gamma) / gamma, gamma};
}

namespace {
void add_loads(const Mat3& frame, const GivenLoad& load, Point& at) {
  at.world_f = frame.transpose() * to_eigen(load.world_force), at.world_l = frame.transpose() * to_eigen(load.world_moment);
  at.f = at.world_f + to_eigen(load.material_force), at.l = at.world_l + to_eigen(load.material_moment);
}
}  // namespace

Point point_at(const RodData& rod, const Level& level, int node, const GivenLoad& load) {
  const Fields& x = level.x[z(node)];
  Point at{x.u, x.w, x.k, x.n, rod.moment(node, x), {}, {}, {}, {}};
  add_loads(level.frame[z(node)], load, at);
  return at;
}

Point mean_point(const RodData& rod, const Level& level, int segment, const GivenLoad& load) {
  const Fields &a = level.x[z(segment)], &b = level.x[z(segment + 1)];
  Point at{0.5 * (a.u + b.u),
           0.5 * (a.w + b.w),
           0.5 * (a.k + b.k),
           0.5 * (a.n + b.n),
           0.5 * (rod.moment(segment, a) + rod.moment(segment + 1, b)),
           {},
           {},
           {},
           {}};
  add_loads(level.frame[z(segment)] * level.half[z(segment)], load, at);
  return at;
}

namespace {
// The first node's slopes from the equations, the others by (20).  [Sobottka 2008, Algorithm 1, lines 20, 21; ERRATA B14]
void find_slopes(const RodData& rod, const Weights& weights, const LoadsNow& loads, Level& level) {
  const Segment& first = rod.segments[0];
  const Rows own = lambda(first, point_at(rod, level, 0, loads.on_edge(rod.edge(0))));
  const Rates& rate = level.rate[0];
  Slopes& at = level.slope[0];
  at.n = first.mass * rate.u + own.segment<3>(0);
  at.m = first.inertia.cwiseProduct(rate.w) + own.segment<3>(3);
  at.w = rate.k + own.segment<3>(6);
  at.u = own.segment<3>(9);
  const double old = (1 - weights.gamma) / weights.gamma;
  for (int k = 0; k < rod.count(); ++k) {
    const double per = 1 / (weights.gamma * rod.segments[z(k)].length);
    const Fields &a = level.x[z(k)], &b = level.x[z(k + 1)];
    const Slopes& s = level.slope[z(k)];
    level.slope[z(k + 1)] = {per * (b.u - a.u) - old * s.u, per * (b.w - a.w) - old * s.w,
                             per * (rod.moment(k + 1, b) - rod.moment(k, a)) - old * s.m, per * (b.n - a.n) - old * s.n};
  }
}
}  // namespace

void find_rows(const RodData& rod, Space space, const Weights& weights, const LoadsNow& loads, Level& level) {
  if (space == Space::recurrence) find_slopes(rod, weights, loads, level);
  for (int k = 0; k < rod.count(); ++k) {
    const Segment& segment = rod.segments[z(k)];
    const GivenLoad& load = loads.on_edge(rod.edge(k));
    const Fields &a = level.x[z(k)], &b = level.x[z(k + 1)];
    Rows& rows = level.rows[z(k)];
    if (space == Space::products_of_means)
      rows = lambda(segment, mean_point(rod, level, k, load));
    else
      rows = weights.near * lambda(segment, point_at(rod, level, k, load)) +
             (1 - weights.near) * lambda(segment, point_at(rod, level, k + 1, load));
    const double per = weights.slope / segment.length;
    rows.segment<3>(0) -= per * (b.n - a.n);
    rows.segment<3>(3) -= per * (rod.moment(k + 1, b) - rod.moment(k, a));
    rows.segment<3>(6) -= per * (b.w - a.w);
    rows.segment<3>(9) -= per * (b.u - a.u);
    if (space != Space::recurrence) continue;
    const Slopes& s = level.slope[z(k)];
    rows.segment<3>(0) -= weights.kept * s.n, rows.segment<3>(3) -= weights.kept * s.m;
    rows.segment<3>(6) -= weights.kept * s.w, rows.segment<3>(9) -= weights.kept * s.u;
  }
}

}  // namespace tendril::galpha::paper
