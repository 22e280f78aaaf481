// What goes into the rods and out of them while they move, step by step, by the trapezoid rule: second order, as the schemes.
// What is left over is what the scheme itself loses.
#pragma once

#include "methods/compact/joined.h"

namespace tendril::compact {

class FlowMeter {
 public:
  FlowMeter(const Model& model, const Parts& parts);
  void start(const Drive& drive, const Joined* joined);                            // what stands at the start
  void note_loads(const Parts& parts, const Drive& drive, const LoadsNow& loads);  // what acts at the start
  // Before a stage: what a change of gravity does.
  void note_gravity(const Parts& parts, const Joined* joined, const Drive& drive);
  void count(const Parts& parts, const Joined* joined, const Drive& drive, const LoadsNow& loads,
             const Stage& stage);  // after it
  void add_contacts(double obstacles, double friction, double impacts) {
    flow_.obstacles += obstacles, flow_.friction += friction, flow_.impacts += impacts;
  }
  void add_bodies(double work) { flow_.bodies += work; }
  const EnergyFlow& flow() const { return flow_; }
  std::span<const Wrench> reactions() const { return reactions_; }
  void visit_state(StateArchive& archive);

 private:
  struct Loads {                      // of one rod, at the end of the last stage; empty: it has none
    std::vector<Vec3> force, moment;  // on nodes, on links
  };
  void count_clamps(const Parts& parts, const Drive& drive, const LoadsNow& loads);
  void count_loads(const Part& part, Loads& before, const Drive& drive, const LoadsNow& loads, const Stage& stage);
  void count_damping(const Part& part);
  void count_bodies(const Joined& joined, const Drive& drive);
  const Model& model_;
  EnergyFlow flow_;
  Vec3 gravity_ = Vec3::Zero();
  std::vector<Wrench> reactions_, reactions_before_;
  std::vector<Vec3> place_;   // of clamps
  std::vector<double> turn_;  // of clamps [rad]
  std::vector<char> active_;
  std::vector<Loads> loads_;
  std::vector<BodyState> bodies_;           // driven ones, at the end of the last stage
  std::vector<Wrench> on_bodies_;           // what their drives gave
  double hands_ = 0, wind_ = 0, drag_ = 0;  // powers at the end of the last stage [W]
};

}  // namespace tendril::compact
