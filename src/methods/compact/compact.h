// Inextensible Cosserat rods in minimal coordinates as a Method.  [Zhao 2022]
#pragma once

#include <memory>

#include "methods/compact/entry.h"
#include "methods/compact/flow.h"
#include "methods/compact/part.h"
#include "methods/nearby.h"
#include "parallel/workers.h"

namespace tendril::compact {

struct Settings {
  Scheme scheme = Scheme::bdf2;
  StrainKind strain = StrainKind::angle;
  SolverSettings solver;
  int threads = 1;  // that share the rods of a step
  static Settings from(const Options& options);
};

class Compact final : public Method, public Nearby {
 public:
  Compact(std::shared_ptr<const Model> model, const Settings& settings);
  StepReport step(double time, double dt, const Live& live) override;
  StepReport relax(double time, double load_factor, const Live& live) override;
  void write(Frame& frame) const override;
  void visit_state(StateArchive& archive) override;

  bool nearby(const std::shared_ptr<const Model>& less, const std::shared_ptr<const Model>& more, double time,
              double load_factor, Frame& frame_less, Frame& frame_more) override;

  const Part& part(int rod) const { return *parts_[z(rod)]; }

 private:
  void drive_to(double time, double load_factor, const Live& live, bool still);
  bool take_stage(const Stage& stage);  // of all rods
  bool start_smoothly(double time, double dt, const Live& live);
  void collect();  // what the rods say, into the report
  void write_rod(const Part& part, Frame& frame) const;

  std::shared_ptr<const Model> model_;
  Settings settings_;
  Drive drive_;        // boundary conditions and loads of the last level
  LateClamps late_;    // poses at which late clamps took hold
  LoadsNow loads_;     // the drive's loads, by node and edge
  Parts parts_;        // one per rod
  FlowMeter flow_;     // what went in and out since the start
  int levels_ = 0;     // stages taken, counted to two: what the schemes can look back on
  double before_ = 0;  // [s] length of the last stage
  StepReport report_;
  Workers workers_;
};

inline constexpr Cause joint_folded = own_cause(0);
Problems check(const Model& model, const Options& options);
StepAdvice advise(const Model& model, const Options& options);

}  // namespace tendril::compact
