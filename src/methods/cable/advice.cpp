// The step that `cable` advises: what moves how fast, from the scene alone.
#include <algorithm>
#include <cmath>

#include "methods/cable/cable.h"
#include "model/rates.h"
#include "model/timetable.h"

namespace tendril::cable {
namespace {

// What a rope of the paper's scheme carries: the largest tension of its weakest segment.  [ERRATA S23]
std::string tension_that_holds(const Model& model, double step, double frame) {
  double at_step = HUGE_VAL, at_frame = HUGE_VAL;
  const Parts parts = build_parts(model);
  for (const Element& e : parts.elements) {
    if (e.kind != Element::Kind::segment) continue;
    at_step = std::min(at_step, largest_tension(e, step, step));
    at_frame = std::min(at_frame, largest_tension(e, frame, frame));
  }
  return "geometric = false holds tensions up to " + three_digits(at_step) + " N at this step, " + three_digits(at_frame) +
         " N at 1/60 s";
}

// What a rod and the bodies at its joints do at the start, as a rigid motion and what is left beside it.
struct Start {
  Vec3 mean = Vec3::Zero(), spin = Vec3::Zero();  // [m/s], [rad/s]
  double apart = 0;                               // [m/s] the largest
};
Start start_of(const Model& model, int rod) {
  struct Moving {
    Vec3 x, v;
  };
  std::vector<Moving> points;
  const RodSpan& span = model.rods[z(rod)].span;
  for (int k = 0; k < span.nodes; ++k) {
    const NodeIndex n(span.first_node + k);
    points.push_back({model.initial.position[n], model.initial.velocity[n]});
  }
  for (const JointModel& joint : model.joints) {
    if (joint.rod_a != rod && joint.rod_b != rod) continue;
    const int body = joint.rod_a == rod ? joint.body_b : joint.body_a;
    if (body < 0 || !model.bodies[z(body)].moves_freely()) continue;
    const BodyState& at = model.initial.bodies[z(body)];
    points.push_back({joint.point, at.motion.linear + at.motion.angular.cross(joint.point - at.pose.position)});
  }
  Start out;
  Vec3 centre = Vec3::Zero(), momentum = Vec3::Zero();
  for (const Moving& p : points)
    centre += p.x / static_cast<double>(points.size()), out.mean += p.v / static_cast<double>(points.size());
  Mat3 inertia = Mat3::Zero();
  for (const Moving& p : points) {
    const Vec3 arm = p.x - centre;
    inertia += arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose(), momentum += arm.cross(p.v);
  }
  inertia += (1e-12 * inertia.trace() + 1e-300) * Mat3::Identity();  // a straight rod has none about itself
  out.spin = inertia.inverse() * momentum;
  for (const Moving& p : points) out.apart = std::max(out.apart, (p.v - out.mean - out.spin.cross(p.x - centre)).norm());
  return out;
}

// [m/s] How fast a rod is bent by its clamps and by its start. A rod that is held starts beside what holds it; one that is free bends by
// what is no rigid motion, which nothing changes.
struct Pace {
  double speed = 0;  // [m/s]
  double turns = 0;  // that are wound into the rod
  double spin = 0;   // [rad/s] of the rod or what holds it, as a whole
};
Pace pace_of(const Model& model, int rod) {
  Pace pace;
  const Start start = start_of(model, rod);
  pace.speed = start.apart, pace.spin = start.spin.norm();
  const RodModel& r = model.rods[z(rod)];
  double wound_most = 0, wound_least = 0;
  std::vector<double> instants;
  Drive drive;
  for (std::size_t c = 0; c < model.clamps.size(); ++c) {
    const ClampModel& clamp = model.clamps[c];
    if (clamp.rod != rod) continue;
    instants.assign(1, 0.0);
    add_instants(clamp.move, 3, instants), add_instants(clamp.turn, 3, instants);
    for (const double t : instants) {
      if (t < 0 || t > clamp.until) continue;
      evaluate(model, Live{}, t, 1, drive);
      const ClampNow& now = drive.clamps[c];
      if (clamp.position) pace.speed = std::max(pace.speed, (now.motion.linear - start.mean).norm());
      const double along = now.motion.angular.dot(now.pose.orientation * Vec3::UnitZ());
      if (clamp.direction) pace.speed = std::max(pace.speed, 0.5 * r.length * (now.motion.angular.norm() - std::abs(along)));
      pace.spin = std::max(pace.spin, now.motion.angular.norm());
      wound_most = std::max(wound_most, now.winding), wound_least = std::min(wound_least, now.winding);
    }
    if (clamp.position && clamp.from <= 0)
      pace.speed = std::max(pace.speed, start.apart + 0.5 * r.length * start.spin.norm());
  }
  double twist = 0;  // wound in at the start
  for (int k = 0; k < r.span.inner; ++k) {
    const InnerNodeIndex i(r.span.first_inner + k);
    twist += model.initial.twist[i] - model.rest_twist[i];
  }
  pace.turns = (wound_most - wound_least + std::abs(twist)) / math::two_pi;
  return pace;
}

// [m] The length over which that bends a rod: where its energy of motion would be that of bending, sqrt(EI/m)/v; and that of the helix into
// which a rod buckles under the moment M of its twist, 2 pi EI/M = L EI/(GJ turns).
double scale_of(const Model& model, const RodModel& rod, const Pace& pace) {
  double scale = HUGE_VAL;
  for (int k = 0; k < rod.span.edges; ++k) {
    const Section& s = model.section[EdgeIndex(rod.span.first_edge + k)];
    const double EI = std::max(s.EI1, s.EI2);
    if (pace.speed > 0) scale = std::min(scale, std::sqrt(EI / s.line_mass) / pace.speed);
    if (pace.turns > 0 && s.GJ > 0) scale = std::min(scale, rod.length * EI / (s.GJ * pace.turns));
  }
  return scale;
}

}  // namespace

// Nothing limits stability where geometric stiffness is implicit. Accuracy: bending waves, not quicker than a segment bends; and how far
// things turn in a step.
StepAdvice advise(const Model& model, const Options& options) {
  constexpr double frame = 1.0 / 60;                                               // what simulators step by
  constexpr double turn = 0.1;                                                     // [rad] in a step
  const double per_step = options.word("integrator") == "averaged" ? 0.06 : 0.02;  // [rad] of the third mode
  StepAdvice advice;
  advice.advised = frame;
  advice.reason = "60 steps a second";
  const auto at_most = [&](double step, const std::string& reason) {
    if (step < advice.advised) advice.advised = step, advice.reason = reason;
  };
  for (std::size_t r = 0; r < model.rods.size(); ++r) {
    const RodModel& rod = model.rods[r];
    at_most(per_step / bending_rate(model, rod, 0.1), "accuracy of the bending waves of rod " + rod.name);
    if (rod.reeved) continue;  // straight between its points
    const Pace pace = pace_of(model, static_cast<int>(r));
    at_most(per_step / bending_rate(model, rod, 0.1, scale_of(model, rod, pace)),
            "bending waves of rod " + rod.name + " by what moves, turns or winds it");
    at_most(turn / pace.spin, "how fast rod " + rod.name + " turns");
  }
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const BodyModel& body = model.bodies[b];
    double spin = model.initial.bodies[b].motion.angular.norm();
    if (!body.moves_freely()) spin = math::two_pi * largest_rate(body.turn);
    at_most(turn / spin, "how fast body " + body.name + " turns");
  }
  if (!options.flag("geometric")) advice.reason += "; " + tension_that_holds(model, advice.advised, frame);
  return advice;
}

}  // namespace tendril::cable
