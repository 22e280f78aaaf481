#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace tendril::cli {
namespace {

constexpr double seconds_between_bars = 0.1, seconds_between_lines = 5;

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600) return fmt::format("{:.0f} min {:02.0f} s", std::floor(seconds / 60), std::fmod(seconds, 60));
  return fmt::format("{:.0f} h {:02.0f} min", std::floor(seconds / 3600), std::fmod(seconds, 3600) / 60);
}

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::begin(const Simulation& simulation) {
  started_ = last_ = last_tick_ = Clock::now();
  time_ = simulation.time();
  start_time_ = simulation.time();
  steps_ = start_steps_ = simulation.frame().step;
}

void Progress::take(const Frame& frame, const Measures& measures) {
  energy_error_ = measures.energy_error;
  steps_ = frame.step;
}

void Progress::tick(const Simulation& simulation) {
  const Clock::time_point now = Clock::now();
  const double since = std::chrono::duration<double>(now - last_).count();
  last_tick_ = now, time_ = simulation.time();
  if (since < (terminal_ ? seconds_between_bars : seconds_between_lines)) return;
  last_ = now;
  show(simulation, now);
}

void Progress::still_at_work() {
  const Clock::time_point now = Clock::now();
  const double since = std::chrono::duration<double>(now - last_).count();
  if (since < seconds_between_lines) return;
  last_ = now;
  const double wall = std::chrono::duration<double>(now - last_tick_).count();
  const std::string text =
      fmt::format("t = {:.4g} s: looking for the next equilibrium for {} now", time_, duration_text(wall));
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\033[K" : "", text, terminal_ ? "" : "\n");
  std::fflush(stderr);
  shown_ = terminal_;
}

void Progress::show(const Simulation& simulation, Clock::time_point now) {
  const double duration = simulation.scene().time.duration, time = simulation.time();
  const double wall = std::chrono::duration<double>(now - started_).count();
  const double rate = wall > 0 ? (time - start_time_) / wall : 0;  // simulated seconds per second
  const double steps_per_second = wall > 0 ? static_cast<double>(steps_ - start_steps_) / wall : 0;
  const std::string left = rate > 0 ? duration_text((duration - time) / rate) : "?";
  const double share = duration > 0 ? std::clamp(time / duration, 0.0, 1.0) : 1.0;
  std::string numbers = fmt::format("t = {:.4g} of {:.4g} s  {:.3g} steps/s  {:.3g} s/s  left {}", time, duration,
                                    steps_per_second, rate, left);
  if (std::isfinite(energy_error_)) numbers += "  energy error " + percent_text(energy_error_);
  if (terminal_) {
    constexpr int width = 24;
    const int full = static_cast<int>(share * width);
    fmt::print(stderr, "\r\033[K[{:#>{}}{:.>{}}] {:3.0f} %  {}", "", full, "", width - full, 100 * share, numbers);
    std::fflush(stderr);
    shown_ = true;
  } else {
    fmt::print(stderr, "{:3.0f} %  {}\n", 100 * share, numbers);
  }
}

void Progress::end(const RunReport&) {
  if (shown_) fmt::print(stderr, "\r\033[K");  // the summary follows
  shown_ = false;
}
Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

}  // namespace tendril::cli
