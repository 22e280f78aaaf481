// Contact among bodies, and of bodies with obstacles and grounds, in motion: forces under which a step ends without overlap.
//
// A step is taken without them first. Where bodies then overlap, or did on the way (bodies/body_collisions.h), each contact has
//   gap at the end of the step >= 0, and push >= 0     (of an overlap at its start four fifths may be left: it opens without a kick)
//   slip of the surfaces in the step = 0, or friction on Coulomb's cone against it
// Sweeps find the pushes P = M dy from the inertia of the bodies alone; as constant forces c P (scheme.h) they act in the same step again.
// Rods that are joined to a body make it heavier than that, so there are rounds, whose length follows what the last one did (Aitken).
// Bodies do not bounce: a step with pushes is backward Euler's, and so is the one after it.
#pragma once

#include <span>
#include <vector>

#include "bodies/model_world.h"
#include "model/drive.h"
#include "tendril/state.h"

namespace tendril::compact {

class Joined;

class BodyPushes {
 public:
  BodyPushes(const Model& model, const Drive& drive);
  void begin(std::span<const Vec3> place, std::span<const Quat> turn);  // of a step: bodies as they are, no pushes yet
  bool overlap(const Joined& joined, const Drive& drive);  // is there any at the present place, or on the way to it?
  // Finds contacts at the present place of a step without pushes, or changes pushes so that gaps close. True: the step is to be solved again.
  bool change(const Joined& joined, const Drive& drive);
  bool fails() const { return fails_; }  // overlap that rounds did not open
  bool push() const { return !contacts_.empty(); }
  bool pushed_before() const { return pushed_before_; }                                 // in the last step
  const Wrench& on(int body) const { return wrench_[static_cast<std::size_t>(body)]; }  // at the centre of mass [N], [N m]
  const Quat& turn_of(int body) const { return end_[static_cast<std::size_t>(body)].orientation; }  // where they were found
  // What was done in the last step: by obstacles and driven bodies that move, and what contacts took [J].
  struct Work {
    double obstacles = 0, bodies = 0, taken = 0;
  };
  const Work& work() const { return work_; }
  void finish(const Joined& joined, const Drive& drive);  // the present place is the new level
  void visit_state(StateArchive& archive);

 private:
  struct Side {
    int body = -1;              // of all that collide; -1: the ground
    Vec3 local = Vec3::Zero();  // touched point in its axes
    Vec3 arm = Vec3::Zero();    // from its centre, at the end
  };
  struct Contact {
    Side a, b;
    Vec3 axis[3];                                       // normal from b to a, two tangents
    double gap = 0;                                     // where it was found [m]
    Vec3 found[2];                                      // places of both points there
    double friction = 0, least = 0, size = 0;           // least: gap that is allowed; size: of the thinner body
    Vec3 push = Vec3::Zero();                           // P, in these axes [kg m]
    Vec3 wanted = Vec3::Zero(), change = Vec3::Zero();  // by the sweeps; less what it was, of the round before
    Vec3 stiffness = Vec3::Ones();                      // 1/K of each axis [kg]
    Vec3 base = Vec3::Zero();                           // gap and slip without pushes, as the bodies alone would have them
  };
  struct Met {  // two bodies, first, on their way
    BodyContact hit;
    double fraction = 1;
  };
  void take_poses(const Joined& joined, const Drive& drive);
  void look_between(double fraction, const Drive& drive, double margin);  // into between_ and hits_
  int samples() const;
  void search(const Drive& drive);
  bool search_more(const Drive& drive);
  bool is_known(const BodyContact& hit) const;
  bool meets_again(const BodyContact& hit, double cosine) const;
  void add(const BodyContact& hit);
  Vec3 point(const Side& side, std::span<const Pose> poses, const Vec3& otherwise) const;
  Vec3 gap_and_slip(const Contact& c) const;
  void respond(const Contact& c, const Vec3& push);  // adds to moved_, turned_
  Vec3 response_of(const Contact& c) const;
  static double moved_by(const Contact& c, const Vec3& change);
  void sweep();
  double follow();  // Aitken; how far bodies would still move [over their size]
  void make_wrenches();
  void note_work();

  const Model& model_;
  CollidingBodies all_;
  ModelCollisions collisions_;
  std::vector<Pose> start_, end_, between_;  // of all that collide; at the last level, now
  std::vector<BodyState> states_;
  std::vector<ObstacleNow> obstacles_;
  std::vector<BodyContact> hits_;
  std::vector<double> thin_;  // [m] of all that collide; 0: nothing
  std::vector<Contact> contacts_;
  std::vector<Met> met_;
  std::vector<Mat3> inverse_;         // of inertia, of the model's bodies at the end; zero: led
  std::vector<Mat3> inverse_mass_;    // likewise
  std::vector<Vec3> moved_, turned_;  // by pushes
  std::vector<Wrench> wrench_;
  Work work_;
  double relaxation_ = 1;
  int rounds_ = 0;
  bool fails_ = false, pushed_before_ = false;
  double c_ = 1;  // of the scheme [1/s^2]
};

}  // namespace tendril::compact
