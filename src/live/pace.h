// How a live simulation keeps step with the wall clock: how far it should be, how fast it has been, whether it keeps up.
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <utility>

namespace tendril {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  void begin(Clock::time_point now) { *this = Pace(), level(now); }  // a scene was opened
  void change_speed(Clock::time_point now) { samples_.clear(), lag_given_up_ = {}, level(now); }
  void go_on(Clock::time_point now) { samples_.clear(), level(now); }              // after a pause
  void level(Clock::time_point now) { level_wall_ = now, level_time_ = passed_; }  // time that went by is not made up for
  void add(double simulated) { passed_ += simulated; }

  // How far the simulation lags behind the wall clock times `speed` [s of simulated time]; negative: it is ahead.
  double lag(Clock::time_point now, double speed) const {
    return level_time_ + Seconds(now - level_wall_).count() * speed - passed_;
  }
  // A solver that is too slow does not try to catch up for ever; `step`: what it simulates at a time [s].
  void give_up_lag(Clock::time_point now, double speed, double step) {
    if (lag(now, speed) <= longest_lag * speed + step) return;
    lag_given_up_ = now;
    level(now - std::chrono::duration_cast<Clock::duration>(Seconds(longest_lag)));
  }

  // Once per frame while it runs: simulated seconds per second over the last half second.
  double measure(Clock::time_point now) {
    samples_.emplace_back(now, passed_);
    while (samples_.size() > samples_of_rate) samples_.pop_front();
    const double wall = Seconds(samples_.back().first - samples_.front().first).count();
    return wall > 0 ? (samples_.back().second - samples_.front().second) / wall : 0;
  }
  void forget_rate() { samples_.clear(); }
  bool slow(Clock::time_point now, double achieved, double speed) const {
    const bool lately = lag_given_up_ != Clock::time_point() && Seconds(now - lag_given_up_).count() < 0.5;
    return lately && achieved < slow_below * speed;
  }

 private:
  static constexpr double longest_lag = 0.05;         // [s of wall clock]; what is beyond it is given up
  static constexpr double slow_below = 0.9;           // of the wanted speed
  static constexpr std::size_t samples_of_rate = 31;  // one per frame: half a second
  // Where wall clock and simulation were level.
  Clock::time_point level_wall_{}, lag_given_up_{};
  double level_time_ = 0,
         passed_ = 0;  // simulated time since the scene was opened: in statics, time that equilibria stand for
  std::deque<std::pair<Clock::time_point, double>> samples_;
};

}  // namespace tendril
