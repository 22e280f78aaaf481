// Where everything is before and after a step, and when contacts must be looked for again. Bodies that collide are obstacles too:
// they follow the scene's obstacles.
//
//   watch.begin_step(node_at, bodies);                    // at the start of a step
//   watch.set_obstacles(drive.obstacles);                 // where they will be at its end
//   watch.set_after(node_at, bodies); watch.find();       // after the free motion: touches()
//   if (watch.turns_too_far()) ...                        // the step must be shorter
//   ... response ...
//   if (watch.is_outdated(node_at, bodies)) ...           // set_after and find once more
//
// node_at(i) gives the position of flat node i as V3<double>; `bodies` are those of the model, all of them.
#pragma once

#include <span>
#include <vector>

#include "contact/contact_rows.h"
#include "contact/find_contacts.h"
#include "model/drive.h"
#include "tendril/state.h"

namespace tendril {

class ContactWatch {
 public:
  explicit ContactWatch(const Model& model);
  // The mesh of a frame that has other counts (ContactGeometry::rebuild); positions are set by the next begin_step.
  void rebuild(const Model& model, const Frame& frame);

  const ContactGeometry& geometry() const { return geometry_; }
  bool has_friction() const { return has_friction_; }  // anywhere
  int body_of(int obstacle) const {                    // -1: not a body
    return obstacle >= obstacles_ ? body_of_[static_cast<std::size_t>(obstacle - obstacles_)] : -1;
  }

  template <class NodeAt>
  void begin_step(const NodeAt& node_at, std::span<const BodyState> bodies) {
    for (std::size_t i = 0; i < before_.size(); ++i) before_[i] = to_eigen(node_at(static_cast<int>(i)));
    for (std::size_t o = 0; o < first_body(); ++o) poses_before_[o] = poses_after_[o];
    for (std::size_t b = 0; b < body_of_.size(); ++b) poses_before_[first_body() + b] = pose_of(bodies, b);
  }
  void set_obstacles(std::span<const ObstacleNow> now) {
    for (std::size_t o = 0; o < first_body(); ++o) poses_after_[o] = now[o].pose;
  }
  template <class NodeAt>
  void set_after(const NodeAt& node_at, std::span<const BodyState> bodies) {
    for (std::size_t i = 0; i < after_.size(); ++i) after_[i] = to_eigen(node_at(static_cast<int>(i)));
    for (std::size_t b = 0; b < body_of_.size(); ++b) poses_after_[first_body() + b] = pose_of(bodies, b);
  }
  void set_workers(Workers* workers) { workspace_.set_workers(workers); }
  Found find() { return find_contacts(geometry_, {before_, poses_before_}, {after_, poses_after_}, workspace_, touches_); }
  std::span<const Touch> touches() const { return touches_; }

  // An obstacle or body near a rod turns so far in this step that what passes through could be missed.
  bool turns_too_far() const;
  // Something moved so far since the last look that more may touch. All pairs within the margin are known. What moved by less
  // than half of it cannot have met anything else, and by less than half a radius, the core of a pair, cannot have passed
  // through anything else either.
  template <class NodeAt>
  bool is_outdated(const NodeAt& node_at, std::span<const BodyState> bodies) const {
    const double most = 0.5 * leeway_;
    for (std::size_t i = 0; i < after_.size(); ++i)
      if (squared_norm(node_at(static_cast<int>(i)) - to_small(after_[i])) > most * most) return true;
    for (std::size_t b = 0; b < body_of_.size(); ++b) {
      const std::size_t o = first_body() + b;
      const Pose &now = pose_of(bodies, b), &then = poses_after_[o];
      const double turned = 2 * (now.orientation.coeffs() - then.orientation.coeffs()).norm();
      if ((now.position - then.position).norm() + turned * geometry_.obstacles()[o].reach > most) return true;
    }
    return false;
  }

  // For rows: the flat nodes of a touch (against an obstacle those of a twice), and where they and the obstacle's touching point
  // are before and after the step.
  void set_nodes(const Touch& touch, ContactRows& rows) const;
  ContactMotion motion_of(const Touch& touch, const ContactRows& rows) const;

  void visit_state(StateArchive& archive);  // poses of obstacles; the rest is found anew in every step

 private:
  std::size_t first_body() const { return static_cast<std::size_t>(obstacles_); }
  const Pose& pose_of(std::span<const BodyState> bodies, std::size_t b) const {
    return bodies[static_cast<std::size_t>(body_of_[b])].pose;
  }
  void set_sizes();

  ContactGeometry geometry_;
  ContactWorkspace workspace_;
  std::vector<Touch> touches_;
  std::vector<Vec3> before_, after_;              // per node
  std::vector<Pose> poses_before_, poses_after_;  // obstacles, then bodies
  std::vector<int> body_of_;                      // per obstacle that is a body
  int obstacles_ = 0;                             // that are not
  double leeway_ = 0;                             // [m] twice how far things may move before contacts are looked for again
  bool has_friction_ = false;
};

}  // namespace tendril
