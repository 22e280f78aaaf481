// How far a run is: a bar on a terminal, plain lines elsewhere, both on standard error.
#pragma once

#include <chrono>
#include <limits>

#include "tendril/simulate.h"

namespace tendril::cli {

class Progress final : public Sink {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() override;  // takes the bar away, also when a sink threw
  void begin(const Simulation& simulation) override;
  void take(const Frame& frame, const Measures& measures) override;
  // From inside a long computation, often: says every few seconds that it is still at work.
  void still_at_work();
  void tick(const Simulation& simulation) override;
  void end(const RunReport& report) override;

 private:
  using Clock = std::chrono::steady_clock;
  void show(const Simulation& simulation, Clock::time_point now);
  bool terminal_;
  bool shown_ = false;
  double energy_error_ = std::numeric_limits<double>::quiet_NaN(), start_time_ = 0;
  std::int64_t steps_ = 0, start_steps_ = 0;
  double time_ = 0;  // simulated, at the last tick [s]
  Clock::time_point started_, last_ = Clock::now(), last_tick_ = Clock::now();
};

}  // namespace tendril::cli
