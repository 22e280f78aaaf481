// The state of a simulation as bytes: retry, fork, checkpoint, hash.
//
// One text serves both directions: a class lists every changing value once, in a fixed order, and the archive either writes
// each value or replaces it.
//   void Method::visit_state(StateArchive& archive) { archive(time_, poses_, report_); }
// An archive takes numbers, bools, enumerators, texts, lists of any length, and structs that say what they consist of: by a member
// visit_state(StateArchive&) or by a function visit_state(StateArchive&, T&) in their namespace. It never takes the bytes of a
// struct: padding would get into checkpoints.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tendril/frame.h"
#include "tendril/placed.h"
#include "tendril/types.h"

namespace tendril {

class StateArchive {
 public:
  StateArchive(const StateArchive&) = delete;
  StateArchive& operator=(const StateArchive&) = delete;

  bool reading() const { return reading_; }

  template <class... T>
  void operator()(T&... values) {
    (visit(values), ...);
  }

  // A list whose length the model gives: it is read into a list of the same length, or refused.
  template <class List>
  void fixed(List& list) {
    auto count = static_cast<std::uint64_t>(list.size());
    visit(count);
    if (count != static_cast<std::uint64_t>(list.size())) fail("the state was saved by another model");
    elements(list);
  }

  // A list of any length. A length that the bytes left cannot hold is refused before anything is allocated.
  template <class List>
  void any_length(List& list) {
    auto count = static_cast<std::uint64_t>(list.size());
    visit(count);
    if (reading_) make_room(list, count);
    elements(list);
  }

  [[noreturn]] static void fail(const char* sentence) { throw Misuse(std::string("state: ") + sentence); }

 protected:
  explicit StateArchive(bool reading) : reading_(reading) {}

  bool reading_ = false;
  std::span<const std::byte> source_;  // when reading
  std::vector<std::byte> room_;        // when writing: the first `at_` bytes count
  std::size_t at_ = 0;

 private:
  template <class T>
  static constexpr bool is_plain = (std::is_arithmetic_v<T> || std::is_enum_v<T>)&&!std::is_same_v<T, bool> &&
                                   !std::is_same_v<T, long double>;  // which has padding

  template <class T>
  void visit(T& v) {
    if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = v ? 1 : 0;
      bytes(&byte, 1);
      if (byte > 1) fail("the state is damaged");
      v = byte == 1;
    } else if constexpr (is_plain<T>) {
      bytes(&v, sizeof v);
    } else if constexpr (requires(StateArchive & a) { v.visit_state(a); }) {
      v.visit_state(*this);
    } else {
      static_assert(
          requires(StateArchive & a) { visit_state(a, v); },
          "a struct says which numbers it consists of: write visit_state for it");
      visit_state(*this, v);
    }
  }

  template <class List>
  using ElementOf = std::remove_reference_t<decltype(*std::declval<List&>().begin())>;

  template <class List>
  void elements(List& list) {
    if constexpr (is_plain<ElementOf<List>>) {
      bytes(list.data(), static_cast<std::size_t>(list.size()) * sizeof(ElementOf<List>));
    } else {
      for (auto& value : list) visit(value);
    }
  }

  // What an element takes at least, lists in it being empty.
  template <class T>
  static std::size_t least_bytes() {
    StateArchive counter(false);
    T blank{};
    counter.visit(blank);
    return std::max<std::size_t>(1, counter.at_);
  }
  template <class List>
  void make_room(List& list, std::uint64_t count) {
    static const std::uint64_t each = least_bytes<ElementOf<List>>();
    if (count > (source_.size() - at_) / each) fail("the state ends too early");
    if constexpr (requires { list.resize(std::size_t{}); })
      list.resize(static_cast<std::size_t>(count));
    else
      list.resize(static_cast<int>(count));
  }

  void bytes(void* value, std::size_t count) {
    if (reading_) {
      if (count > source_.size() - at_) fail("the state ends too early");
      if (count > 0) std::memcpy(value, source_.data() + at_, count);
    } else {
      if (count > room_.size() - at_) room_.resize(std::max(2 * room_.size(), at_ + count));
      if (count > 0) std::memcpy(room_.data() + at_, value, count);
    }
    at_ += count;
  }
};

class StateWriter final : public StateArchive {  // into a reused buffer
 public:
  StateWriter() : StateArchive(false) {}
  void clear() { at_ = 0; }
  std::span<const std::byte> buffer() const { return {room_.data(), at_}; }
};

class StateReader final : public StateArchive {  // `buffer` must live as long
 public:
  explicit StateReader(std::span<const std::byte> buffer) : StateArchive(true) { source_ = buffer; }
  bool at_end() const { return at_ == source_.size(); }
};

// ---- lists and texts -------------------------------------------------------------------------------------------------------
template <class T>
void visit_state(StateArchive& archive, std::vector<T>& list) {
  static_assert(!std::is_same_v<T, bool>, "take std::vector<char>");
  archive.any_length(list);
}
template <class I, class T>
void visit_state(StateArchive& archive, Placed<I, T>& list) {
  archive.any_length(list);
}
template <class T, std::size_t count>
void visit_state(StateArchive& archive, std::array<T, count>& values) {
  for (T& value : values) archive(value);
}
inline void visit_state(StateArchive& archive, std::string& text) { archive.any_length(text); }

// ---- values of the public headers ------------------------------------------------------------------------------------------
inline void visit_state(StateArchive& archive, Vec3& v) { archive(v.x(), v.y(), v.z()); }
inline void visit_state(StateArchive& archive, Quat& q) { archive(q.x(), q.y(), q.z(), q.w()); }
inline void visit_state(StateArchive& archive, Pose& p) { archive(p.position, p.orientation); }
inline void visit_state(StateArchive& archive, Motion& m) { archive(m.linear, m.angular); }
inline void visit_state(StateArchive& archive, Wrench& w) { archive(w.force, w.moment); }
inline void visit_state(StateArchive& archive, BodyState& b) { archive(b.pose, b.motion); }
inline void visit_state(StateArchive& archive, Energy& e) {
  for_each_component(e, [&archive](const char*, double& component) { archive(component); });
}
inline void visit_state(StateArchive& archive, EnergyFlow& e) {
  for_each_component(e, [&archive](const char*, double& component) { archive(component); });
}
inline void visit_state(StateArchive& archive, Verdict& v) {
  archive(v.kind, v.unstable, v.neutral.moving, v.neutral.swinging, v.neutral.turning, v.neutral.other, v.softest);
  if (v.kind > Verdict::Kind::counted) StateArchive::fail("the state is damaged");
}
inline void visit_state(StateArchive& archive, StepReport& r) {
  archive(r.outcome, r.cause, r.iterations, r.residual, r.step_taken, r.penetration, r.verdict, r.contacts);
  if (r.outcome > Outcome::diverged) StateArchive::fail("the state is damaged");
}
inline void visit_state(StateArchive& archive, ContactPoint& c) {
  archive(c.position, c.normal, c.force, c.gap, c.edge_a, c.edge_b, c.obstacle_b, c.body_b);
}

}  // namespace tendril
