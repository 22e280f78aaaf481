// Joints that come and go: which hold now, and where they took hold.
//
// A joint that takes hold does so as things are then: the relative turn of its two sides stays what it is, and so does the distance of
// their points. A hook (a joint with a reach) waits until its points are near, and draws them together by a soft spring, critically
// damped, k = m w^2 with the mass of the lighter side; where they meet, or nearly so after half a second, it takes hold. It is no stronger than that: a rope that is too short
// is not torn to its load, and beyond its reach a hook lets go. What moves differently when a joint takes hold meets: the loss is that of
// an impact without rebound.
#pragma once

#include "methods/cable/parts.h"

namespace tendril::cable {

class JointSwitches {
 public:
  JointSwitches(const Model& model, const Parts& parts);
  // Before a step over dt, with the poses that led elements have at its end. Points and frames of `parts` follow. It begins where the last
  // step that was taken ended, however often a step is tried.
  void follow(const Drive& drive, double dt, const State& state, Parts& parts);
  void take_step();  // the step that follow() began is taken
  bool holds_point(std::size_t joint) const { return stands_[joint].point; }
  bool holds_frame(std::size_t joint) const { return stands_[joint].frame; }
  // The point took hold in this step; the frame, unstrained: its twist is that at rest.
  bool is_new_point(std::size_t joint) const { return stands_[joint].is_new_point; }
  bool is_new(std::size_t joint) const { return stands_[joint].is_new; }
  // A hook draws its points together: they may be apart.
  bool draws(std::size_t joint) const { return stands_[joint].draws; }
  // [J] In the springs of hooks, of the step that follow() began: what begins to draw, less what ends.
  double work() const { return work_; }
  void visit_state(StateArchive& archive, Parts& parts);

 private:
  struct Stands {
    char point = 1, frame = 1;
    bool is_new = false, is_new_point = false, draws = false;
  };
  struct Own {  // of a joint that may come and go
    int joint = 0;
    Vec3 point_a = Vec3::Zero();      // as built
    Quat frame_b = Quat::Identity();  // as it took hold
    Vec3 shift = Vec3::Zero();        // of point a when it took hold, in a's axes [m]
    bool draws = false;
    double stretch = rigid, damping = 0;  // as built
    double spring = 0;                    // [N/m] of a hook that draws
    void visit_state(StateArchive& archive) { archive(frame_b, shift, draws); }
  };
  void decide(const Drive& drive, double dt, const State& state, const Parts& parts);
  double distance(int scene_joint, const State& state, const Parts& parts) const;
  char hook_now(std::size_t scene_joint, const State& state, const Parts& parts) const;
  void take_hold(Own& own, bool point, bool frame, const State& state, Parts& parts) const;
  void drop_repeats(const Parts& parts);
  bool any_holds(const std::vector<int>& joints) const;
  static void apply(const Own& own, Parts& parts);

  const Model& model_;
  enum Holds : char { no, draws_near, yes };
  std::vector<char> holds_;  // per joint of the scene
  std::vector<Own> own_;
  std::vector<Stands> stands_;  // per joint of the parts
  std::vector<double> drawn_;   // [s] per joint of the scene: how long a hook has drawn
  std::vector<char> held_;      // before this step
  std::vector<double> drawn_before_;
  std::vector<Own> own_before_;
  std::vector<Stands> stood_;
  std::vector<int> parent_;  // of nodes: those that are held together
  bool begun_ = false;
  double work_ = 0;
};

}  // namespace tendril::cable
