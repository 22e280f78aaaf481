#include "cli/run_log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

namespace tendril::cli {

RunLog::RunLog(std::string folder) : folder_(std::move(folder)) {}
RunLog::~RunLog() = default;

void RunLog::begin(const Simulation& simulation) {
  log_ = std::make_shared<spdlog::logger>("run", std::make_shared<spdlog::sinks::basic_file_sink_st>(folder_ + "/run.log"));
  log_->set_pattern("%Y-%m-%d %H:%M:%S  %l  %v");
  log_->flush_on(spdlog::level::info);
  log_->info("tendril {}: {} with method {}, from t = {:.6g} s to {:.6g} s, step {:.3g} s", TENDRIL_VERSION,
             simulation.scene().title.empty() ? "a scene" : simulation.scene().title, simulation.scene().method,
             simulation.time(), simulation.scene().time.duration, simulation.step_size());
  retries_ = simulation.report().retries;
  if (const MethodInfo* method = find_method_info(simulation.scene().method)) method_ = *method;
}

void RunLog::take(const Frame& frame, const Measures&) {
  if (log_ && frame.report.outcome != Outcome::fine)
    log_->warn("t = {:.6g} s: {} (residual {:.2g} after {} iterations)", frame.time,
               failure_of(frame.report.cause, method_).sentence, frame.report.residual, frame.report.iterations);
}

void RunLog::tick(const Simulation& simulation) {
  // A report measures everything: only where that has been done for a frame anyway.
  if (!simulation.at_recording_time()) return;
  const int retries = simulation.report().retries;
  if (log_ && retries > retries_)
    log_->warn("t = {:.6g} s: a step failed and was taken again with half its size ({} times so far)", simulation.time(),
               retries);
  retries_ = retries;
}

void RunLog::end(const RunReport& report) {
  if (!log_) return;
  if (report.outcome != Outcome::fine) log_->error("{}", report.message);
  log_->info("ended at t = {:.6g} s after {} steps and {:.2f} s: worst residual {:.2g}, length error {:.2g}, drift {:.2g}",
             report.time, report.steps, report.wall_seconds, report.worst_residual, report.worst_length_error,
             report.last.drift);
  if (report.most_contacts > 0)
    log_->info("at most {} contacts at once, worst penetration {:.2g} of the radius", report.most_contacts,
               report.worst_penetration);
}

}  // namespace tendril::cli
