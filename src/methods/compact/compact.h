// Inextensible Cosserat rods in minimal coordinates as a Method.  [Zhao 2022]
#pragma once

#include <memory>

#include "bodies/model_world.h"
#include "methods/compact/active_set.h"
#include "methods/compact/entry.h"
#include "methods/compact/flow.h"
#include "methods/compact/joined.h"
#include "methods/compact/meeting.h"
#include "methods/compact/part.h"
#include "methods/nearby.h"
#include "parallel/workers.h"

namespace tendril::compact {

struct Settings {
  Scheme scheme = Scheme::bdf2;
  StrainKind strain = StrainKind::angle;
  SolverSettings solver;
  bool active_set = false;  // contact by the paper's, not by barriers
  int threads = 1;          // that share the rods of a step
  static Settings from(const Options& options);
};

class Compact final : public Method, public Nearby {
 public:
  Compact(std::shared_ptr<const Model> model, const Settings& settings);
  StepReport step(double time, double dt, const Live& live) override;
  StepReport relax(double time, double load_factor, const Live& live) override;
  void write(Frame& frame) const override;
  void visit_state(StateArchive& archive) override;
  Checked<std::vector<NaturalMode>> modes(double time, double load_factor, int count) override;

  double apart() const override { return meeting_ && meeting_->touching() > 0 ? 3e-7 : 1e-5; }
  bool nearby(const std::shared_ptr<const Model>& less, const std::shared_ptr<const Model>& more, double time,
              double load_factor, Frame& frame_less, Frame& frame_more) override;

  const Part& part(int rod) const { return *parts_[z(rod)]; }

 private:
  void drive_to(double time, double load_factor, const Live& live, bool still);
  bool take_stage(const Stage& stage);  // of all rods
  bool start_smoothly(double time, double dt, const Live& live);
  bool solve_joined(const Stage& stage);  // rods that are joined, and bodies; leaves them at the solution
  bool solve_joined_by(const Stage& stage);
  void count_pushes();
  bool begin_joined(const Stage& stage);  // false: their loads have no potential
  // modes.cpp
  struct Swinging;
  std::vector<Swinging> what_swings() const;
  Problems refuse_modes(const Swinging& swinging) const;
  bool find_compliance(Swinging& swinging);
  bool find_compliance(Swinging& swinging, double shift);
  void find_mass(Swinging& swinging) const;
  void add_modes(const Swinging& swinging, std::vector<NaturalMode>& out) const;
  // nearby.cpp
  bool stand_there();
  bool respond_alone(int rod, Compact& less, Compact& more);
  static bool respond_together(Coupled& here, Coupled& less, Coupled& more);
  bool respond(Compact& less, Compact& more);
  void finish_there();
  const std::vector<ClampNow>& frames() const { return joined_ ? joined_->frames() : drive_.clamps; }
  void collect();  // what the rods say, into the report
  void write_rod(const Part& part, Frame& frame) const;

  std::shared_ptr<const Model> model_;
  Settings settings_;
  Drive drive_;                            // boundary conditions and loads of the last level
  LateClamps late_;                        // poses at which late clamps took hold
  LoadsNow loads_;                         // the drive's loads, by node and edge
  Parts parts_;                            // one per rod
  std::unique_ptr<Meeting> meeting_;       // of rods that may touch; none: each is alone
  std::unique_ptr<ActiveSet> active_set_;  // instead of it, where it is asked for
  std::unique_ptr<Joined> joined_;         // bodies and joints; none: there are none
  Coupled coupled_;                        // for rods that are joined, without contact
  Solved joined_solved_;
  FlowMeter flow_;     // what went in and out since the start
  int levels_ = 0;     // stages taken, counted to two: what the schemes can look back on
  double before_ = 0;  // [s] length of the last stage
  StepReport report_;
  Workers workers_;
};

Problems check(const Model& model, const Options& options);
StepAdvice advise(const Model& model, const Options& options);

}  // namespace tendril::compact
