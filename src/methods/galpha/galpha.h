// Cosserat rods as a boundary value problem in every step, generalized-alpha in time, as a Method.  [Sobottka 2008]
#pragma once

#include <memory>

#include "methods/explain.h"
#include "methods/galpha/entry.h"
#include "methods/galpha/motion.h"
#include "parallel/workers.h"

namespace tendril::galpha {

struct Settings {
  MotionSettings motion;
  int threads = 1;  // that share the rods of a step
  static Settings from(const Options& options);
};

class Galpha final : public Method, public Explains {
 public:
  Galpha(std::shared_ptr<const Model> model, const Settings& settings);
  StepReport step(double time, double dt, const Live& live) override;
  StepReport relax(double time, double load_factor, const Live& live) override;
  void write(Frame& frame) const override;
  void visit_state(StateArchive& archive) override;
  Explanation explain(Cause cause) const override;

  const RodMotion& motion(int rod) const { return *rods_[z(rod)]; }
  long guarded() const;  // steps that gained energy and were taken again, of all rods

 private:
  void drive_to(double time, double load_factor, const Live& live, bool still);
  void restart(double time, double dt, const Live& live);
  double end_of_step(double time, double dt) const;  // the instant whose loads and holds count at its end
  void advance(std::span<int> rods, double time, double dt, const Live& live, int depth);
  void write_rod(const RodMotion& rod, Frame& frame) const;

  std::shared_ptr<const Model> model_;
  Settings settings_;
  Drive drive_;                                              // boundary conditions and loads of the last instant
  LateClamps late_;                                          // poses at which late clamps took hold
  LoadsNow loads_;                                           // the drive's loads, by node and edge
  std::vector<Motion> clamp_accelerations_, clamp_motions_;  // of the model's clamps; motions at the end of the last step
  std::vector<double> jumps_;                                // [s] instants at which loads or holds may jump, rising
  std::vector<std::unique_ptr<RodMotion>> rods_;
  std::vector<StepResult> results_;  // by rod, of the present step
  std::vector<int> order_;           // rods of each depth of halving
  std::vector<Verdict> verdicts_;
  bool started_ = false;
  StepReport report_;
  Workers workers_;
};

Problems check(const Model& model, const Options& options);
StepAdvice advise(const Model& model, const Options& options);

}  // namespace tendril::galpha
