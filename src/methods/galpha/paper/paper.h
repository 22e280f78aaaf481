// The paper's own formulation as a Method: twelve fields at nodes, in local axes, by generalized alpha.  [Sobottka 2008]
#pragma once

#include <memory>

#include "methods/galpha/paper/system.h"
#include "methods/method.h"
#include "model/drive.h"

namespace tendril::galpha::paper {

class Paper final : public Method {
 public:
  Paper(std::shared_ptr<const Model> model, const Settings& settings);
  StepReport step(double time, double dt, const Live& live) override;
  StepReport relax(double time, double load_factor, const Live& live) override;
  void write(Frame& frame) const override;
  void visit_state(StateArchive& archive) override;

  double far_error(int rod) const;  // distance of a held far end from its clamp [m]

 private:
  struct Part {
    RodData data;
    System system;
    Level before, now, trial;
    Pose far_start;                  // where its integrated far end starts
    std::vector<Rates> longer_rate;  // of the longer one of two trial steps
    std::vector<Vec3> longer_force;
    explicit Part(RodData rod, const Settings& settings);
  };
  using Parts = std::vector<std::unique_ptr<Part>>;

  Ends ends_of(const Part& part, const Drive& drive, const LoadsNow& loads) const;
  void begin_step(double time, double dt, const Live& live, bool& fresh);
  bool find_rates(double time, double dt, const Live& live);  // false: an impact
  void take_trial(Part& part, double h, bool first);
  bool solve(Part& part, const StepSizes& sizes);
  bool refuse_hands(const Live& live);
  // flow.cpp
  void count_flow(const Part& part, double dt);
  void count_end(const Part& part, bool far);
  void write_rod(const Part& part, Frame& frame) const;
  Vec3 first_moment() const;  // sum of mass times place [kg m]
  Wrench reaction(const Part& part, const Level& level, bool far) const;

  std::shared_ptr<const Model> model_;
  Settings settings_;
  Drive drive_;       // of the end of the last step, as frames report it
  Drive used_;        // the same as the step used it: before what jumps there
  Drive open_, try_;  // after what jumps at the start of a step; of trial steps
  LoadsNow loads_, open_loads_, try_loads_;
  Parts parts_;
  EnergyFlow flow_;
  Vec3 gravity_ = Vec3::Zero();  // that the flow knows of
  bool fresh_ = true;            // rates and forces do not fit the loads yet
  StepReport report_;
};

// What this formulation cannot do, each named with who can.
Problems check_paper(const Model& model);

}  // namespace tendril::galpha::paper
