// Timetables and live inputs at one instant. Every method asks this; none evaluates a timetable itself.
#pragma once

#include <vector>

#include "model/grips.h"
#include "model/model.h"
#include "tendril/live.h"
#include "tendril/state.h"

namespace tendril {

struct ClampNow {
  bool active = false;
  Pose pose;
  Motion motion;
  double turn = 0;     // [rad] about its axis since the start, any number of turns
  double winding = 0;  // [rad] the part of `turn` that winds the rod up: about the direction that is held
  void visit_state(StateArchive& archive) { archive(active, pose, motion, turn, winding); }
};

struct WinchNow {    // what is asked of it
  double speed = 0;  // [m/s] > 0: pays out; within its top speed
  double force = 0;  // [N] of one that pulls with a given force
  void visit_state(StateArchive& archive) { archive(speed, force); }
};

struct ObstacleNow {
  Pose pose;      // of its own axes
  Motion motion;  // of its own origin
  void visit_state(StateArchive& archive) { archive(pose, motion); }
};

struct Drive {
  double time = 0, load_factor = 1;
  Vec3 gravity = Vec3::Zero();      // already scaled
  std::vector<ClampNow> clamps;     // one per Model::clamps
  std::vector<BodyState> bodies;    // one per Model::bodies: where driven ones are; others: where they start
  std::vector<double> body_turn;    // one per Model::bodies: turn of a driven one about its axis [rad], any number of turns
  std::vector<double> node_factor;  // one per Model::node_loads
  std::vector<double> line_factor;  // one per Model::line_loads
  std::vector<double> wind_factor;  // one per Model::winds
  std::vector<ObstacleNow> obstacles;  // one per Model::obstacles
  std::vector<Grip> grips;             // couplings that pull now, in the order of the scene, then hands
  std::vector<char> joints;            // one per Model::joints: it holds now
  std::vector<WinchNow> winches;       // one per Model::winches
};

// load_factor scales loads and paths from the start (0) to the drive of `time` (1); 1 in dynamics. Does not allocate once
// `out` has been used with the same model.
void evaluate(const Model& model, const Live& live, double time, double load_factor, Drive& out);

// An equilibrium: nothing moves, and the dampers of hands and couplings carry nothing.
void stand_still(Drive& drive);

// For methods that keep the model's nodes: a frame of other sizes, a new one, takes its shape from the model.
void take_shape(const Model& model, Frame& frame);
// What acted, as a Frame reports it: gravity, load factor, obstacles, and what hands and couplings pull with at the places
// that the frame's rods and bodies have. Called by `write` of every method, with the drive it used, after positions and
// velocities.
void write_drive(const Model& model, const Drive& drive, Frame& frame);

// Saved by the methods: what a Frame says of the drive is the same after loading.
void visit_state(StateArchive& archive, Drive& drive);
// A clamp that takes hold late (`from` > 0) does so where the rod is then: its path is shifted and turned by what lies
// between, and so is its motion. A method asks after every `evaluate`, and saves this with its state.
class LateClamps {
 public:
  explicit LateClamps(const Model& model);
  // `rod_pose(clamp)`: where the rod is now at this clamp's node; asked only of clamps that take hold.
  template <class RodPose>
  void follow(const Model& model, Drive& drive, const RodPose& rod_pose) {
    for (std::size_t i = 0; i < model.clamps.size(); ++i) {
      ClampNow& now = drive.clamps[i];
      const bool late = model.clamps[i].from > 0;
      if (late && now.active && !holds_[i]) take_hold(i, now.pose, rod_pose(model.clamps[i]));
      holds_[i] = now.active;
      if (late) shift(i, now);
    }
  }
  bool holds(std::size_t clamp) const { return holds_[clamp] != 0; }  // when `follow` was last asked
  void visit_state(StateArchive& archive);

 private:
  void take_hold(std::size_t clamp, const Pose& path, const Pose& rod);
  void shift(std::size_t clamp, ClampNow& now) const;
  std::vector<Pose> shift_;  // per clamp: from its path to where the rod was
  std::vector<char> holds_;
};

}  // namespace tendril
