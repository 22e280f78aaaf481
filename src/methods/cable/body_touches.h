// Contacts of bodies with grounds, obstacles and each other: found by their geometry (bodies/body_collisions.h), known again from step to
// step by who touches whom and where on the first.
#pragma once

#include <span>
#include <vector>

#include "bodies/model_world.h"
#include "bodies/step_parts.h"
#include "methods/cable/touching.h"

namespace tendril::cable {

class BodyTouches {
 public:
  static bool needed(const Model& model);  // bodies that move can touch something
  BodyTouches(const Model& model, const Parts& parts);

  void begin(std::span<const BodyState> states);
  void look(std::span<const BodyState> states, const Drive& drive);
  int found() const { return static_cast<int>(found_.size()); }
  bool is_outdated(std::span<const BodyState> states) const;
  // The contact of number i after the motion; `start`: velocities before it.
  Touching contact(int i, const Ahead& ahead, const Ahead& start, const Drive& drive, const StepSizes& step) const;
  // See StepParts; `force`: on elements.
  double step_parts(const Drive& drive, std::span<const Vec3> force, double dt);
  void accept(std::span<const Touching> list, const Ahead& ahead);
  void visit_state(StateArchive& archive) { archive(records_); }

 private:
  struct Record {
    int a = -1, other = -1, age = 0;
    Vec3 local = Vec3::Zero(), normal = Vec3::UnitZ(), friction = Vec3::Zero();
    double normal_force = 0, gap = 0;
    void visit_state(StateArchive& archive) { archive(a, other, age, local, normal, friction, normal_force, gap); }
  };
  int element(int body) const { return parts_.first_body + body; }
  bool moves(int body) const {
    return body < static_cast<int>(model_.bodies.size()) && model_.bodies[z(body)].moves_freely();
  }

  const Model& model_;
  const Parts& parts_;
  CollidingBodies all_;
  ModelCollisions collisions_;
  StepParts step_parts_;
  std::vector<BodyContact> found_;
  std::vector<Record> records_;
  std::vector<BodyState> states_, looked_at_;
  std::vector<BodyState> everything_;  // bodies and obstacles
  std::vector<Wrench> wrenches_;
  std::vector<double> thin_, reach_;  // [m] of bodies and obstacles
  double margin_ = 0;
};

}  // namespace tendril::cable
