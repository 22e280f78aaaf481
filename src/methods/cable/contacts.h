// Contact in the same solve as the joints.
//
// Each contact presses along its normal and rubs along two tangents; u is the velocity of a's surface past b's, along these.
//   normal    N = N0 - k (gap' - gap0) >= 0,    gap' = gap + dt (u - u~)          gap: after the motion u~ that was looked at
//   sticks    F = F0 - k dt u                                                     an elastic anchor: forces stay, nothing creeps
//   slides    F = mu N q/|q|,  q = F0 - k dt u                                    Coulomb's law, where |q| > mu N
// N0, F0 and gap0 are those of the step before: forces go on from what they were, so that k, which follows the step (k = hardness
// over w h dt, w the inverse mass that is felt), may change without a jump. Newton's method: gap, normal and arms are those where the
// last velocities lead to. Where it slides q/|q| is linearised, which is symmetric and positive; N is that of the pass before.
//
// What moves one element only goes into its own inverse inertia, one row after another (Sherman-Morrison):
//   f = b - D (J v' - surface),   W' = W - h D W J^T J W/(1 + h D J W J^T)
// so that chains stay block tridiagonal; what moves two, rope on load, rope on rope, is a border (pair_border.h).
// Which contacts are open, stick or slide: an active set, changed after each solve until it stays.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "contact/contact_memory.h"
#include "contact/contact_watch.h"
#include "methods/cable/body_touches.h"
#include "methods/cable/pair_border.h"
#include "methods/cable/touching.h"

namespace tendril::cable {

class Contacts {
 public:
  static bool needed(const Model& model);
  Contacts(const Model& model, const Parts& parts, Workers* workers);

  // At the start of a part of a step, before anything that is led moves. Once for each: a part that is tried again begins only once.
  void begin(const Ahead& now);
  const Ahead& start() const { return start_; }  // of the part
  // What touches after a motion. `first`: of a try; else contacts that are known keep what was found about them.
  enum class Look : std::uint8_t { same, news, failed };
  Look look(const Ahead& ahead, const Drive& drive, const StepSizes& step, bool first);
  bool is_outdated(const Ahead& ahead);
  // Into the elements' own answers.
  void add_to(std::vector<Response>& response, const StepSizes& step) const;
  // Contacts between two that move, after the chains were solved without them; false: no solution.
  [[nodiscard]] bool solve_pairs(std::span<const std::unique_ptr<GroupSolver>> solvers, const std::vector<JointRows>& rows,
                                 std::vector<Response>& response, const StepSizes& step);
  // Forces, and what opens, closes, slips, stops; true: something changed. The limits of friction stay.
  bool judge(const std::vector<Response>& response, const StepSizes& step);
  // Limits of friction by the forces found, and contacts that are too soft; true: solve once more.
  bool renew();

  struct Verdict {        // of a part, before it is taken
    bool passes = false;  // something would pass through, or turns too far to know
    double overlap = 0;   // of rods, over the radius
    double sunk = 0;      // by how much an overlap grew, over the size
    double hit = 0;       // [sizes] the longest way of two that met
  };
  Verdict verdict(const StepSizes& step) const;
  // Into how many parts a step should be divided because of bodies alone.
  double body_parts(const Drive& drive, std::span<const Vec3> force, double dt) {
    return bodies_ ? bodies_->step_parts(drive, force, dt) : 1;
  }
  void accept(const Ahead& ahead, StepReport& report);
  // What contacts did in the part that was taken: work of what is led, what friction and impacts took.
  // After the motion: `state` has the accelerations that go on, `by_loads` are set.
  void add_flow(const std::vector<Response>& response, const State& state, const StepSizes& step, EnergyFlow& flow);
  std::vector<Motion>& by_loads() { return by_loads_; }  // accelerations of elements by weight and loads alone
  // By element: what contacts did to it in the last part, and what of that goes on.
  const Wrench& push_on(std::size_t element) const { return pushes_[element]; }
  const Wrench& lasting_push_on(std::size_t element) const { return lasting_[element]; }
  // What contacts have in the accelerations of an element that go on.
  const Motion& share_of(std::size_t element) const { return share_[element]; }
  void set_share(std::size_t element, const Motion& share) { share_[element] = share; }
  // Forces on this element, or on what it is joined to, jumped in the last part.
  bool was_hit(std::size_t element) const { return group_of_[element] >= 0 && hit_[z(group_of_[element])]; }

  std::span<const ContactPoint> points() const { return points_; }
  std::span<const Touching> list() const { return list_; }
  void visit_state(StateArchive& archive);

 private:
  Vec3 node_at(const Ahead& at, int node) const;
  void place_bodies(const Ahead& at, std::vector<BodyState>& out) const;
  void add_touch(std::size_t i, const Ahead& ahead, const StepSizes& step);
  void add_ends(const Touch& t, const Touching& middle, const Ahead& ahead, const StepSizes& step);
  void sort_touches();
  void sum_up(const Touching& c);         // into pushes_, lasting_
  bool take_over(const StepSizes& step);  // from the list before; true: something is new
  Touching* earlier(const Touching& c);
  Touching::Mode judge_friction(const Vec3& slip, const StepSizes& step, Touching& c, bool& turns) const;

  const Model& model_;
  const Parts& parts_;
  std::optional<ContactWatch> watch_;  // of rods
  ContactMemory memory_;
  std::optional<BodyTouches> bodies_;
  std::vector<BodyState> states_;  // of bodies
  Ahead start_;                    // of the part
  std::vector<Touching> list_, before_;
  std::vector<int> group_of_;             // elements; -1: led
  std::vector<char> hit_;                 // groups
  std::vector<Wrench> pushes_, lasting_;  // on elements
  std::vector<Motion> share_;             // in accelerations of elements
  EnergyFlow pending_;                    // work in the half kick that velocities at the level are ahead by
  std::vector<ContactPoint> points_;
  PairBorder border_;
  int fewest_wrong_ = 0, patience_ = 0;  // of the active set, since the last look
  std::vector<Motion> by_loads_;
};

}  // namespace tendril::cable
