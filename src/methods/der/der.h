// Discrete Elastic Rods as a Method.  [Bergou 2008, Algorithm 1]
#pragma once

#include <memory>

#include "methods/der/contact/contacts.h"
#include "methods/der/entry.h"
#include "methods/der/equilibrium/relax.h"
#include "methods/der/joints/bodies_and_joints.h"
#include "methods/der/lengths/projection.h"
#include "methods/der/rod/forces.h"
#include "methods/der/rod/frames.h"
#include "methods/der/step_clock.h"
#include "methods/method.h"

namespace tendril::der {

struct Settings {
  bool general = false;
  Push push = Push::fast;
  double projection_tolerance = 1e-8;
  int projection_iterations = 100;
  double contact_tolerance = 1e-5;
  int contact_rounds = 50;
  RelaxOptions relax;
  static Settings from(const Options& options);
};

class Der final : public Method {
 public:
  Der(std::shared_ptr<const Model> model, const Settings& settings);
  StepReport step(double time, double dt, const Live& live) override;
  StepReport relax(double time, double load_factor, const Live& live) override;
  void write(Frame& frame) const override;
  void visit_state(StateArchive& archive) override;

  const Chain& chain() const { return *chain_; }
  const BodiesAndJoints* joins() const { return joins_.get(); }
  // Directions in which the present state, as an equilibrium, is no minimum; `below`: see Relaxer::negative_pivots.
  int negative_pivots(double time, const Live& live, double below = 0);
  void set_clock(StepClock* clock) {  // which adds up where the time of the steps goes; none: nullptr
    clock_ = clock;
    if (contacts_) contacts_->set_clock(clock);
  }

 private:
  void ask_drive(double time, const Live& live);
  void rebuild();  // the chain for the walls that stand now, from the present pose
  void take_hold();
  bool walls_changed() const;
  bool walls_moved();                        // since it was last asked
  void forget_walls();                       // they may stand anywhere: the next step sets them
  void visit_clamps(StateArchive& archive);  // which hold; the chain is rebuilt where others do than held when it was saved
  void allocate();                           // workspaces for the chain
  ChainChoice choice() const;
  ProjectionReport project_all(double dt, Push push, bool velocities = true, bool again = false);
  Cause keep_lengths(double dt, bool again = false);
  Cause keep_apart(double dt);  // and lengths
  StepReport take_step(double time, double dt, const Live& live);
  int parts_of(double dt) const;  // in which a step is taken where taut rods touch something
  void start_on_lengths();
  void refresh();             // everything derived, from the state
  void integrate(double dt);  // forces, velocities, positions
  void place_held();
  // Hands and couplings: their springs before the projection, their dampers after it.
  void pull_grips(double dt, bool moved);  // moved: positions have been
  void damp_grips(double dt);
  void fill_output() const;
  void write_reactions(std::span<Wrench> at_clamps) const;  // from the output chain
  void lap(Part part) {
    if (clock_) clock_->lap(part);
  }

  std::shared_ptr<const Model> model_;
  Settings settings_;
  Drive drive_;
  LateClamps late_;
  std::unique_ptr<BodiesAndJoints> joins_;  // none: no bodies, no joints
  std::unique_ptr<Contacts> contacts_;      // none: nothing touches
  std::unique_ptr<Chain> chain_;
  std::unique_ptr<AngleWork> angles_;
  std::unique_ptr<ProjectionWork> projection_;
  std::unique_ptr<Loads> loads_;
  std::unique_ptr<AirDrag> drag_;
  std::unique_ptr<Relaxer> relaxer_;
  Array3 force_;                            // per vertex
  std::vector<V3<double>> first_tangents_;  // per rod, of the step before
  std::vector<Quat> wall_orientation_;      // per clamp, as the walls stand
  bool all_stretch_ = false;                // no rod keeps its length
  bool steady_ = false;                     // the drive does not change with time
  bool settled_ = false;                    // and has been asked since anything else changed
  bool move_walls_ = false;                 // they stand elsewhere after this step
  double longest_ = 0;                      // length of the longest rod
  Array decay_;                             // of velocities in a step, by mass damping
  double decay_dt_ = 0;
  double fastest_ = 0;  // largest speed after the last step
  StepReport report_;
  StepClock* clock_ = nullptr;
  mutable std::unique_ptr<Chain> output_;  // the chain with frames and forces filled in for writing
};

// Largest stable step of symplectic Euler, from a bound on the highest frequency.  [ERRATA D23]
StepAdvice advise(const Model& model, const Options& options);
Problems check(const Model& model, const Options& options);

}  // namespace tendril::der
