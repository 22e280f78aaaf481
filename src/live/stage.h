// An opened simulation with what users do to it: hands that hold points, inputs that follow sliders and keys. No threads and
// no clock: the Session owns both.
#pragma once

#include <cmath>
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
  struct Input {  // of the simulation, moved by its users
    std::string name;
    bool vector = false;                                                    // false: a number
    double most = 0, max_rate = 0;                                          // of its size, and per second
    Follower follower;                                                      // smooths what users set
    Vec3 low = Vec3::Constant(-HUGE_VAL), high = Vec3::Constant(HUGE_VAL);  // of a driven body
    double acceleration = 0;                                                // of a driven body; 0: none is given
  };
  struct Held {  // a hand of a client
    ClientId client = 0;
    int number = 0;     // the client's own number of it
    bool used = false;  // false: this place is free
    Hand hand;          // as the simulation knows it
    Follower follower;  // smooths what the client sends
  };
  void move_on(double rate);  // hands and inputs towards their targets
  Held* find(ClientId client, int number);
  std::string let_go(std::size_t slot);
  void tell_hand(std::size_t slot);  // sets the simulation's input hand.N
  Vec3 point_of(const Hand& hand) const;
  Vec3 point_on_body(int body, const Vec3& position) const;
  Vec3 within_reach(const Vec3& position) const;

  Simulation simulation_;
  std::vector<Input> inputs_;        // as Simulation::input_names
  Held held_[max_hands];             // slot k is hand.(k + 1) of the simulation
  Vec3 middle_ = Vec3::Zero();       // of the scene at the start
  double size_ = 1;                  // of the scene [m]
  double pace_ = 0;                  // simulated time of one advance [s]
  double waited_ = 0;                // simulated time since hands and inputs were moved [s]
  int to_settle_ = 0;                // further equilibria to find before the rod rests
  bool failed_ = false;              // true: the simulation has diverged
  std::string message_, complaint_;  // message: for the status; complaint: of an input that could not be set
};

}  // namespace tendril
