// The orders that wait for a session: bounded, and a hand or an input that is moved again before it was moved waits once.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

#include "live/command.h"

namespace tendril {

class OrderQueue {
 public:
  static constexpr std::size_t most = 256;
  bool empty() const { return commands_.empty(); }
  // False: full.
  bool push(Command command) {
    for (auto older = commands_.rbegin(); older != commands_.rend() && !separates(*older); ++older)
      if (replaces(command, *older)) return older->order = std::move(command.order), true;
    if (commands_.size() >= most) return false;
    commands_.push_back(std::move(command));
    return true;
  }
  Command pop() {
    Command command = std::move(commands_.front());
    commands_.pop_front();
    return command;
  }

 private:
  static bool replaces(const Command& newer, const Command& older) {
    if (newer.client != older.client || newer.order.index() != older.order.index()) return false;
    if (const auto* move = std::get_if<MoveHand>(&newer.order)) return move->hand == std::get<MoveHand>(older.order).hand;
    if (const auto* input = std::get_if<SetInput>(&newer.order)) return input->name == std::get<SetInput>(older.order).name;
    return false;
  }
  // What hands and inputs must not be carried across.
  static bool separates(const Command& command) {
    return !std::holds_alternative<MoveHand>(command.order) && !std::holds_alternative<SetInput>(command.order);
  }
  std::deque<Command> commands_;
};

}  // namespace tendril
