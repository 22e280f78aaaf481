// Discrete Elastic Rods as a Method.  [Bergou 2008, Algorithm 1]
#pragma once

#include <memory>

#include "methods/der/contact/contacts.h"
#include "methods/der/energy_flow.h"
#include "methods/der/entry.h"
#include "methods/der/equilibrium/relax.h"
#include "methods/der/joints/bodies_and_joints.h"
#include "methods/der/lengths/pace.h"
#include "methods/der/lengths/projection.h"
#include "methods/der/lengths/straight_spans.h"
#include "methods/der/rod/forces.h"
#include "methods/der/rod/frames.h"
#include "methods/der/rod/internal_damping.h"
#include "methods/der/step_clock.h"
#include "methods/method.h"
#include "parallel/workers.h"

namespace tendril::der {

struct Settings {
  bool general = false;                // formulas of anisotropic, curved rods for all rods
  Push push = Push::conserving;        // direction of the length projection
  double projection_tolerance = 1e-8;  // of | |e|^2/rest^2 - 1 |
  int projection_iterations = 100;     // at most, per projection
  double contact_tolerance = 1e-5;     // of the radius: change in the last sweep
  int contact_rounds = 50;             // of projection and sweep, at most, per step
  RelaxOptions relax;                  // of equilibria
  int threads = 1;                     // that share the rods of a step
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
  // Evaluates timetables and live inputs at this time, and all that follows from them: late clamps, walls, loads.
  void ask_drive(double time, const Live& live);
  // Clamps and walls.
  void rebuild();                            // the chain for the walls that stand now, from the present pose
  void take_hold();                          // late clamps take the pose that they find
  bool walls_changed() const;                // other clamps are active than those the chain was built for
  bool walls_moved();                        // since the last call: a clamp has another orientation
  void forget_walls();                       // orientations of walls are unknown: the next step sets them
  void visit_clamps(StateArchive& archive);  // which hold; the chain is rebuilt where others do than held when it was saved
  void allocate();                           // workspaces for the chain
  ChainChoice choice() const;                // what the chain has to be built for
  // Lengths and joints by projection; `again`: multipliers add to those of an earlier projection in this step.
  double length_tolerance(double dt, bool velocities) const;
  ProjectionReport project_all(double dt, Push push, bool velocities = true, bool again = false);
  Cause keep_lengths(double dt, bool again = false);
  Cause keep_apart(double dt);  // contacts, lengths and joints in turn
  // One pass of Algorithm 1; a step is one or more of these.
  bool follow_with_frames(double dt);  // false: some material frame was not found
  StepReport take_step(double time, double dt, const Live& live);
  int parts_of(double dt) const;           // number of substeps; more than one where edges turn far, or taut rods touch
  int parts_for_contact(double dt) const;  // the same for the fast projection
  // Leapfrog: forces act over half of the step before and half of this one, so that velocities are those of the middle.
  bool is_leapfrog() const { return settings_.push == Push::conserving; }
  double kick_of(double dt) const { return is_leapfrog() && !contacts_ ? 0.5 * (before_ + dt) : dt; }
  void note_pace();                      // of the step that was taken
  void synchronise(Chain& chain) const;  // brings velocities and tensions to the time of the positions
  void start_on_lengths();               // projects a disturbed start
  void find_all_forces(double dt);       // into force_, without a step
  void bend_compressed(double dt);       // straight rods whose held points come together in this step
  template <class F>
  void for_each_goal(F&& f) const;  // f(vertex, place at the end of the step) of what clamps hold and driven bodies lead
  void refresh();                   // everything derived, from the state
  // What became of one chunk of rods in a step.
  struct ChunkReport {
    double openness = 2, speed2 = 0;
    ProjectionReport lengths;
    AngleReport angles;
    Pace pace;
  };
  // f(chunk, its report) for every chunk, side by side.
  template <class F>
  void for_each_chunk(F&& f) {
    workers_.for_each_chunk(static_cast<int>(chain_->chunks.size()),
                            [&](int k) { f(chain_->chunks[z(k)], chunk_reports_[z(k)]); });
  }
  double update_all_gradients();                      // the smallest 1 + a.b, as update_gradient
  void integrate(double dt);                          // forces, velocities, positions
  double move_freely(const Chunk& chunk, double dt);  // velocities, then positions of a chunk; the largest speed squared
  void place_held();                                  // positions and velocities of held nodes, from the drive
  // Hands and couplings: their springs before the projection, their dampers after it.
  void pull_grips(double dt, bool moved);  // moved: positions have been
  void damp_grips(double dt);
  void fill_output() const;                                 // copies the chain and fills in what is derived
  void write_reactions(std::span<Wrench> at_clamps) const;  // from the output chain
  void lap(Part part) {
    if (clock_) clock_->lap(part);
  }

  std::shared_ptr<const Model> model_;          // the discretised scene
  Settings settings_;                           // the scene's options of this method
  Drive drive_;                                 // boundary conditions and loads at the end of the present step
  LateClamps late_;                             // poses at which late clamps took hold
  std::unique_ptr<BodiesAndJoints> joins_;      // nullptr: the scene has no bodies and no joints
  std::unique_ptr<Contacts> contacts_;          // nullptr: the scene has no contact
  std::unique_ptr<Chain> chain_;                // the state: all rods as padded arrays
  std::unique_ptr<AngleWork> angles_;           // workspace for the equilibrium of material frames
  std::unique_ptr<ProjectionWork> projection_;  // workspace for the projection of lengths
  std::unique_ptr<Loads> loads_;                // forces and moments of the drive on the chain
  std::unique_ptr<AirDrag> drag_;               // drag and wind
  FlowMeter flow_;                              // what goes in and out: the energy balance
  std::unique_ptr<InternalDamping> internal_;   // damping of bending and twisting
  std::unique_ptr<Relaxer> relaxer_;            // equilibria; made when the first is asked for
  Array3 force_;                                // per vertex: loads and elastic force [N]
  std::vector<V3<double>> first_tangents_;      // per rod: first tangent at the start of the step
  std::vector<Quat> wall_orientation_;          // per clamp: orientation that its wall was last set to
  std::vector<V3<double>> held_was_;            // of what is held or led: where it was at the start of the step
  std::vector<SpanPath> paths_;                 // from one held point to the next
  std::vector<StraightSpan> spans_;             // straight rods that are pushed together
  bool all_stretch_ = false;                    // true: every rod stretches, no lengths are projected
  bool steady_ = false;                         // true: no timetable and no load changes the drive with time
  bool settled_ = false;          // true: drive_ was evaluated without live inputs, and nothing has changed since
  bool same_drive_ = false;       // true: the step under way has the drive of the one before
  bool move_walls_ = false;       // true: some wall has another orientation at the end of this step
  double swing_ = 0;              // how far the walls of clamps swing in this step, the farthest one [rad]
  double longest_ = 0;            // length of the longest rod [m]: no node may move further in a step
  Array decay_;                   // per vertex: factor by which mass damping reduces velocities in a step
  double decay_dt_ = 0;           // the step [s] that decay_ was computed for
  double fastest_ = 0;            // largest speed of a vertex after the last step [m/s]
  StepReport report_;             // of the last step or equilibrium
  Workers workers_;               // threads that share the chunks of rods
  double before_ = 0;             // length of the step before [s]; 0: velocities belong to the time of the positions
  double kick_ = 0;               // time over which forces act in this step [s]
  double noise_rate_ = 0;         // 1/dt^2 of the step below which the tolerance of lengths shrinks [1/s^2]
  bool by_hand_ = false;          // true: a user's hand or slider moves something in this step
  Push push_ = Push::conserving;  // of the present step: under a hand it is the fast one
  Parts parts_;                   // what decides into how many parts steps are taken
  std::vector<ChunkReport> chunk_reports_;  // per chunk: results of the present step
  StepClock* clock_ = nullptr;              // adds up where the time of steps goes; nullptr: not measured
  mutable std::vector<Vec3> held_force_;    // per node: what acts on it where it is held, for reactions [N]
  mutable std::unique_ptr<Chain> output_;   // copy of the chain, with frames and forces filled in for writing
};

// Largest stable step of leapfrog and of symplectic Euler, from a bound on the highest frequency.  [ERRATA D23]
StepAdvice advise(const Model& model, const Options& options);
Problems check(const Model& model, const Options& options);

}  // namespace tendril::der
