// An opened simulation with what users do to it: hands that hold points, inputs that follow sliders and keys. No threads and
// no clock: the Session owns both.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "live/command.h"
#include "live/follower.h"
#include "tendril/simulate.h"

namespace tendril {

class Stage {
 public:
  static constexpr int most_hands = 8;
  explicit Stage(Simulation simulation);

  const Simulation& simulation() const { return simulation_; }
  // Each of these gives a sentence when it cannot be done, else nothing.
  std::string set_input(const std::string& name, const Setting& value);
  std::string grab(ClientId client, const Grab& grab);
  void move(ClientId client, const MoveHand& move);
  std::string release(ClientId client, int hand);
  std::string leave(ClientId client);  // lets go of everything

  // One step of the method, hands and inputs moved on before it. `rate`: simulated seconds per second of the users' clock;
  // what they do in a second of theirs takes this long in the simulation.
  StepReport advance(double rate);
  // A further step would change something. Only equilibria ever come to rest.
  bool moving() const;
  bool failed() const { return failed_; }
  const std::string& message() const { return message_; }
  std::vector<std::pair<std::string, Setting>> inputs() const;  // as asked for
  double pace() const { return pace_; }                         // simulated time that a step stands for [s]

 private:
  struct Input {
    std::string name;
    bool vector = false;
    double most = 0, most_rate = 0;  // of its size, and per second
    Follower follower;
  };
  struct Held {
    ClientId client = 0;
    int number = 0;  // the client's own
    bool used = false;
    Hand hand;
    Follower follower;
  };
  void move_on(double rate);
  Held* find(ClientId client, int number);
  std::string let_go(std::size_t slot);
  void tell_hand(std::size_t slot);
  Vec3 point_of(const Hand& hand) const;
  Vec3 point_on_body(int body, const Vec3& position) const;
  Vec3 within_reach(const Vec3& position) const;

  Simulation simulation_;
  std::vector<Input> inputs_;
  Held held_[most_hands];
  Vec3 middle_ = Vec3::Zero();
  double size_ = 1;    // of the scene [m]
  double pace_ = 0;    // [s]
  double waited_ = 0;  // since hands and inputs moved on [s]
  int to_settle_ = 0;  // further equilibria to find before the rod rests
  bool failed_ = false;
  std::string message_, complaint_;  // complaint: of an input that could not be set
};

}  // namespace tendril
