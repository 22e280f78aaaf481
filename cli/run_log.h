// DIR/run.log: what happened in a run and when, for the user who was not looking. Appended to by --resume.
#pragma once

#include <memory>
#include <string>

#include "tendril/simulate.h"

namespace spdlog {
class logger;
}

namespace tendril::cli {

class RunLog final : public Sink {
 public:
  explicit RunLog(std::string folder);
  ~RunLog() override;
  void begin(const Simulation& simulation) override;
  void take(const Frame& frame, const Measures& measures) override;
  void tick(const Simulation& simulation) override;
  void end(const RunReport& report) override;

 private:
  std::string folder_;
  std::shared_ptr<spdlog::logger> log_;
  int retries_ = 0;
  MethodInfo method_;
  EnergyFlow flow_;  // of the last frame
};

}  // namespace tendril::cli
