// One published method behind a handful of functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tendril/frame.h"
#include "tendril/live.h"
#include "tendril/problem.h"
#include "tendril/scene.h"

namespace tendril {

struct Model;  // src/model/model.h

// Every changing value of a method, once, in a fixed order, into a reused buffer: retry, fork, checkpoint, hash.
class StateWriter {
 public:
  template <class T>
  void value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(&v, sizeof v);
  }
  template <class T>
  void array(std::span<const T> v) {
    static_assert(std::is_trivially_copyable_v<T>);
    value(static_cast<std::uint64_t>(v.size()));
    bytes(v.data(), v.size_bytes());
  }
  template <class T>
  void array(const std::vector<T>& v) { array(std::span<const T>(v)); }
  void clear() { buffer_.clear(); }
  std::span<const std::byte> buffer() const { return buffer_; }

 private:
  void bytes(const void* from, std::size_t count) {
    const auto* p = static_cast<const std::byte*>(from);
    buffer_.insert(buffer_.end(), p, p + count);
  }
  std::vector<std::byte> buffer_;
};
class StateReader {
 public:
  explicit StateReader(std::span<const std::byte> buffer) : buffer_(buffer) {}
  template <class T>
  void value(T& v) { bytes(&v, sizeof v); }
  template <class T>
  void array(std::vector<T>& v) {  // sizes never change: a state is read into a method made from the same model
    std::uint64_t count = 0;
    value(count);
    TENDRIL_REQUIRE(count == v.size(), "the state was saved by another model");
    bytes(v.data(), v.size() * sizeof(T));
  }
  bool at_end() const { return place_ == buffer_.size(); }

 private:
  void bytes(void* to, std::size_t count) {
    TENDRIL_REQUIRE(place_ + count <= buffer_.size(), "the state ends too early");
    if (count > 0) std::memcpy(to, buffer_.data() + place_, count);
    place_ += count;
  }
  std::span<const std::byte> buffer_;
  std::size_t place_ = 0;
};

class Method {
 public:
  virtual ~Method() = default;
  virtual StepReport step(double time, double dt, const Live& live) = 0;              // from time to time + step_taken
  virtual StepReport relax(double time, double load_factor, const Live& live) = 0;    // equilibrium, where claimed
  virtual void write(Frame& frame) const = 0;
  virtual void reactions(std::span<Wrench> at_targets) const = 0;  // what each clamp exerts on the rod, at its node
  virtual void save(StateWriter& writer) const = 0;
  virtual void load(StateReader& reader) = 0;
};

enum class Support : std::uint8_t { none, partial, full };
struct Capability {
  bool inertia = false, statics = false, stretch = false, anisotropic = false, rest_curvature = false, ring = false;
  bool joints = false, follower_loads = false, drag = false, damping = false, winch = false, varying_nodes = false;
  bool stability = false;
  bool coupling = false, angular_coupling = false;  // springs that pull a point, that turn it; hands too
  Support contact = Support::none, bodies = Support::none;  // partial: in motion only
  bool hold_position = false, hold_direction = false, hold_twist = false, hold_inside = false;
  int fewest_edges = 1;
};

// One line per option: name, unit, default, range or choices, sentence.
struct OptionInfo {
  std::string name, unit;
  OptionValue fallback;
  double low = -forever, high = forever;  // for numbers, both allowed
  std::vector<std::string> choices;       // for words
  std::string sentence;
};
// A method's options with every default filled in; built from a scene's table after checking.
class Options {
 public:
  Options(std::span<const OptionInfo> infos, const OptionTable& given);
  bool flag(std::string_view name) const;
  double number(std::string_view name) const;
  const std::string& word(std::string_view name) const;

 private:
  const OptionValue& find(std::string_view name) const;
  OptionTable values_;
};

struct StepAdvice {
  double stable = 0;    // [s] largest step that is expected to stay stable; 0: not limited
  double advised = 0;   // [s] what step = "auto" uses
  std::string reason;   // what limits it
};

struct MethodInfo {
  std::string name, title, paper, summary;
  Capability can;
  std::vector<OptionInfo> options;
};
struct MethodEntry {
  MethodInfo info;
  Problems (*check)(const Model& model, const Options& options);
  StepAdvice (*advise)(const Model& model, const Options& options);
  std::unique_ptr<Method> (*make)(std::shared_ptr<const Model> model, const Options& options);  // starts at model->initial
};
std::span<const MethodEntry> all_methods();  // explicit list, src/methods/registry.cpp
const MethodEntry* find_method(std::string_view name);

}  // namespace tendril
