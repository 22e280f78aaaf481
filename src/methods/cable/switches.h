// Joints that come and go: which hold now, and where they took hold.
//
// A joint that takes hold does so as things are then: the relative turn of its two sides stays what it is, and so does the distance of
// their points. A hook (a joint with a reach) waits until its points are near, and then draws them together: the distance shrinks as
// 1 - 3 t^2 + 2 t^3, which neither starts nor ends with a kick. What moves differently when a joint takes hold meets: the loss is that of
// an impact without rebound.
#pragma once

#include "methods/cable/parts.h"

namespace tendril::cable {

class JointSwitches {
 public:
  JointSwitches(const Model& model, const Parts& parts);
  // Before a step over dt, with the poses that led elements have at its end. Points and frames of `parts` follow.
  void follow(const Drive& drive, double dt, const State& state, Parts& parts);
  bool holds_point(std::size_t joint) const { return stands_[joint].point; }
  bool holds_frame(std::size_t joint) const { return stands_[joint].frame; }
  // The point took hold in this step; the frame, unstrained: its twist is that at rest.
  bool is_new_point(std::size_t joint) const { return stands_[joint].is_new_point; }
  bool is_new(std::size_t joint) const { return stands_[joint].is_new; }
  // [J] Of the step that follow() began: what hooks did that drew their points together.
  double work(const Parts& parts, const State& state) const;
  void visit_state(StateArchive& archive, Parts& parts);

 private:
  struct Stands {
    char point = 1, frame = 1;
    bool is_new = false, is_new_point = false;
  };
  struct Own {  // of a joint that may come and go
    int joint = 0;
    Vec3 point_a = Vec3::Zero();      // as built
    Quat frame_b = Quat::Identity();  // as it took hold
    Vec3 shift = Vec3::Zero();        // of point a when it took hold, in a's axes [m]
    double age = 0;                   // [s] since a hook took hold
    bool closes = false;
    Vec3 moved = Vec3::Zero();  // of point a in this step, in a's axes [m]
    void visit_state(StateArchive& archive) { archive(frame_b, shift, age, closes); }
  };
  void decide(const Drive& drive, const State& state, const Parts& parts);
  bool is_near(int scene_joint, const State& state, const Parts& parts) const;
  void take_hold(Own& own, bool point, bool frame, const State& state, Parts& parts) const;
  void drop_repeats(const Parts& parts);
  bool any_holds(const std::vector<int>& joints) const;
  static void apply(const Own& own, Parts& parts);

  const Model& model_;
  std::vector<char> holds_;  // per joint of the scene
  std::vector<char> held_;   // before this step
  std::vector<Own> own_;
  std::vector<Stands> stands_;  // per joint of the parts
  std::vector<int> parent_;     // of nodes: those that are held together
  bool begun_ = false;
};

}  // namespace tendril::cable
