// What a rope that runs shows: forces on bodies, energies, its part of a Frame, its saved state.
#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "methods/cable/reeving.h"

namespace tendril::cable {

void Reevings::add_stiffness(const StepSizes& step, std::vector<Eigen::Matrix<double, 6, 6>>& bodies) const {
  for (std::size_t k = 0; k < falls_.size(); ++k) {
    const Fall& fall = falls_[k];
    const Point* ends[] = {&points_[z(fall.point)], &points_[z(fall.point + 1)]};
    if (!(stiff_tension_[k] > 0) || !(fall.length > 0)) continue;
    // Both ends move: what couples them is left out, and each takes twice its own.
    const bool both = !parts_.elements[z(ends[0]->element)].led && !parts_.elements[z(ends[1]->element)].led;
    const Mat3 across = Mat3::Identity() - fall.direction * fall.direction.transpose();
    const double stiff = (both ? 2 : 1) * step.dt * step.h * stiff_tension_[k] / fall.length;
    for (const Point* end : ends) {
      const std::size_t e = z(end->element);
      if (parts_.elements[e].led) continue;
      Eigen::Matrix<double, 6, 6>& sum = bodies[z(parts_.elements[e].number)];
      const Mat3 lever = skew(end->lever);
      sum.topLeftCorner<3, 3>() += stiff * across;
      sum.topRightCorner<3, 3>() -= stiff * across * lever;
      sum.bottomLeftCorner<3, 3>() += stiff * lever * across;
      sum.bottomRightCorner<3, 3>() -= stiff * lever * across * lever;
    }
  }
}

bool Reevings::has_grown(const StepSizes& step, const std::vector<Response>& elements) {
  bool grown = false;
  for (std::size_t k = 0; k < falls_.size(); ++k) {
    const Fall& fall = falls_[k];
    if (!(new_tension_[k] > 1.5 * stiff_tension_[k]) || !(fall.length > 0)) continue;
    for (const int side : {0, 1}) {
      const Point& point = points_[z(fall.point + side)];
      if (parts_.elements[z(point.element)].led) continue;
      const Response& r = elements[z(point.element)];
      const double mobility = r.linear.trace() + r.angular.trace() * point.lever.squaredNorm();
      grown = grown || step.dt * step.h * new_tension_[k] / fall.length * mobility > 0.1;
    }
  }
  std::copy(new_tension_.begin(), new_tension_.end(), stiff_tension_.begin());
  return grown;
}

void Reevings::finish(const State& state) {
  place(state);
  for (Fall& fall : falls_) fall.end_length = fall.length;
}

void Reevings::add_wrenches(std::vector<Wrench>& out) const {
  for (std::size_t k = 0; k < falls_.size(); ++k) {
    for (const int side : {0, 1}) {
      const Point& point = points_[z(falls_[k].point + side)];
      const Vec3 force = (side == 0 ? 1 : -1) * tension_[k] * falls_[k].direction;
      out[z(point.element)].force += force, out[z(point.element)].moment += point.lever.cross(force);
    }
  }
}

double Reevings::worst_gap() const {
  double worst = 0;
  for (std::size_t k = 0; k < falls_.size(); ++k) {
    if (!taut_[k]) continue;
    const Fall& fall = falls_[k];
    const double elastic = fall.EA > 0 ? tension_[k] * s_[k] / fall.EA : 0;
    const double open = std::abs(fall.length - s_[k] - elastic) / fall.length;
    if (!(open <= worst)) worst = open;
  }
  return worst;
}

double Reevings::shortest_fall() const {
  double least = HUGE_VAL;
  for (std::size_t k = 0; k < falls_.size(); ++k) {
    double radius = 0;
    for (const int side : {0, 1})
      if (const Point& point = points_[z(falls_[k].point + side)]; point.inside) radius = std::max(radius, point.radius);
    if (radius > 0) least = std::min(least, std::min(s_[k], falls_[k].length) / radius);
  }
  return least;
}

Reevings::Flow Reevings::flow(const StepSizes& step) const {
  Flow flow;
  for (const Reeve& reeve : reeves_) {
    const auto tension = [&](int k) { return 0.5 * (tension_[z(k)] + tension_before_[z(k)]); };
    const int last = reeve.first_fall + reeve.falls - 1;
    flow.winches -= step.dt * tension(reeve.first_fall) * w_[z(reeve.first_point)];
    flow.winches += step.dt * tension(last) * w_[z(reeve.first_point + reeve.falls)];
    for (int p = reeve.first_point + 1; p < reeve.first_point + reeve.falls; ++p)
      flow.friction -= 0.5 * step.dt * (friction_[z(p)] + friction_before_[z(p)]) * w_[z(p)];
  }
  for (std::size_t k = 0; k < falls_.size(); ++k) {
    const Fall& fall = falls_[k];
    if (!taut_[k] || fall.damping == 0 || fall.EA == 0) continue;
    // T = k (phi + dt phi') + c phi', of which phi' is what the step found.
    const double rate = tension_[k] * fall.give - fall.pull + fall.led;
    flow.damping += step.dt * fall.damping * (fall.EA / s_[k]) * rate * rate;
  }
  return flow;
}

void Reevings::add_energy(double before, Energy& energy) const {
  for (std::size_t k = 0; k < falls_.size(); ++k) {
    const double open = std::max(0.0, falls_[k].length - s_[k]);
    if (falls_[k].EA > 0) energy.stretching += 0.5 * falls_[k].EA / s_[k] * open * open;
  }
  for (std::size_t p = 0; p < points_.size(); ++p) {
    const double w = w_[p] + 0.5 * before * rate_[p];
    if (points_[p].inside) energy.kinetic += 0.5 * points_[p].mass * w * w;
  }
}

// A rod whose nodes are its points. Its material coordinates follow the rope: they rest at the end that is no drum.
void Reevings::write(Frame& frame) const {
  const BodyState still{};
  for (const Reeve& reeve : reeves_) {
    const RodSpan& span = model_.rods[z(reeve.rod)].span;
    double material = reeve.winch_start >= 0 ? reeve.start_length - rope_out(reeve) : 0;
    for (int k = 0; k <= reeve.falls; ++k) {
      const Point& point = points_[z(reeve.first_point + k)];
      const NodeIndex node(span.first_node + k);
      const int body = parts_.elements[z(point.element)].number;
      const BodyState& on = body >= 0 ? frame.bodies[z(body)] : still;
      const Vec3 lever = on.pose.orientation * point.local;
      frame.position[node] = on.pose.position + lever;
      frame.velocity[node] = on.motion.linear + on.motion.angular.cross(lever);
      frame.moment[node].setZero();
      frame.material[node] = material;
      if (k < reeve.falls) material += s_[z(reeve.first_fall + k)];
    }
    for (int k = 0; k < reeve.falls; ++k) {
      const EdgeIndex edge(span.first_edge + k);
      const NodeIndex a(span.first_node + k), b(span.first_node + k + 1);
      const Vec3 along = frame.position[b] - frame.position[a], d = along.normalized();
      const Quat& start = model_.initial.orientation[edge];
      frame.orientation[edge] = (Quat::FromTwoVectors(start * Vec3::UnitZ(), d) * start).normalized();
      frame.spin[edge] = along.cross(frame.velocity[b] - frame.velocity[a]) / along.squaredNorm();
      frame.force[edge] = tension_[z(reeve.first_fall + k)] * d;
    }
    for (int i = span.first_inner; i < span.first_inner + span.inner; ++i)
      frame.twist[InnerNodeIndex(i)] = model_.initial.twist[InnerNodeIndex(i)];
  }
}

void Reevings::visit_state(StateArchive& archive) {
  for (auto* list : {&s_, &tension_, &w_, &rate_, &friction_, &winch_speed_, &stored_}) archive.fixed(*list);
  archive.fixed(taut_), archive.fixed(mode_);
  if (!archive.reading()) return;
  winch_speed_before_ = winch_speed_;
  for (const double s : s_)
    if (!(s > 0)) StateArchive::fail("the state is damaged: a fall without rope");
}

}  // namespace tendril::cable
