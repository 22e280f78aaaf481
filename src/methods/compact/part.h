// One rod of the method: its chain, its state, its solver; and what can be read off them.
#pragma once

#include <memory>

#include "methods/compact/problem.h"

namespace tendril::compact {

struct Part {
  Chain chain;
  ChainState state;
  Problem problem;
  Solved solved;
  Verdict verdict;

  Part(const Model& model, int rod, StrainKind strain, const SolverSettings& settings, const JoinPlan* plan = nullptr)
      : chain(build_chain(model, rod, strain, plan)), state(start_state(model, chain)), problem(model, chain, settings) {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
};
using Parts = std::vector<std::unique_ptr<Part>>;

struct JointReading {
  Vec3 moment = Vec3::Zero();  // world axes, action of b on a; internal damping included
  double bending = 0, twisting = 0, twist = 0;
};
// Joint i, or wall w, as the state has it.
JointReading read_joint(const Part& part, int i, const std::vector<ClampNow>& clamps);
JointReading read_wall(const Part& part, int w, const std::vector<ClampNow>& clamps);
// Where the rod is at a node of the model, with the material frame there.
Pose pose_at(const Model& model, const Part& part, int node);
Vec3 spin_of(const Part& part, int link);
// The force and moment of every clamp on the rods; zero where it does not hold.
void read_reactions(const Model& model, const Parts& parts, const Drive& drive, const LoadsNow& loads,
                    std::span<Wrench> out);

}  // namespace tendril::compact
