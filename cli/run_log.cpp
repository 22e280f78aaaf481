#include "cli/run_log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <filesystem>

#include "cli/words.h"
#include "tendril/record.h"

namespace tendril::cli {

RunLog::RunLog(std::string folder) : folder_(std::move(folder)) {}
RunLog::~RunLog() = default;

void RunLog::begin(const Simulation& simulation) {
  // A link would be followed and a pipe waited for: the name is taken away from them.
  const std::filesystem::path file = std::filesystem::path(folder_) / "run.log";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(file, ignored)))
    std::filesystem::remove(file, ignored);
  try {
    log_ = std::make_shared<spdlog::logger>("run", std::make_shared<spdlog::sinks::basic_file_sink_st>(file.string()));
  } catch (const spdlog::spdlog_ex& error) {
    throw RecordError(file.string() + ": " + error.what());
  }
  log_->set_pattern("%Y-%m-%d %H:%M:%S  %l  %v");
  log_->flush_on(spdlog::level::info);
  log_->info("tendril {}: {} with method {}, from t = {:.6g} s to {:.6g} s, step {:.3g} s", TENDRIL_VERSION,
             simulation.scene().title.empty() ? "a scene" : printable(simulation.scene().title), simulation.scene().method,
             simulation.time(), simulation.scene().time.duration, simulation.step_size());
  retries_ = simulation.report().retries;
  if (const MethodInfo* method = find_method_info(simulation.scene().method)) method_ = *method;
}

void RunLog::take(const Frame& frame, const Measures&) {
  flow_ = frame.flow;
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
  if (report.outcome == Outcome::suspect)
    log_->warn("the result is suspect: {}", report.message);
  else if (report.outcome != Outcome::fine)
    log_->error("{}", report.message);
  log_->info("ended at t = {:.6g} s after {} steps and {:.2f} s", report.time, report.steps, report.wall_seconds);
  for (const std::string& line : solver_lines(report)) log_->info("{}", line);
  for (const std::string& line : energy_lines(report, flow_)) log_->info("{}", line);
}

}  // namespace tendril::cli
