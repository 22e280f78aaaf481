// Long iterations ask here, now and then, whether anybody still wants their answer. Who runs a computation says so for its own
// thread; results do not depend on it, so that it is no argument of anything.
#pragma once

#include <functional>

namespace tendril {

// True: end soon, and leave things as after any other failure. Once true, it stays true until the scope ends.
bool asked_to_stop();

// While it lives, `stop` is asked by computations of this thread. Scopes nest; the inner one counts.
class StopScope {
 public:
  explicit StopScope(const std::function<bool()>& stop);  // must outlive the scope; an empty one: nobody stops it
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;
  ~StopScope();

 private:
  friend bool asked_to_stop();
  const std::function<bool()>& stop_;
  bool said_yes_ = false;
  StopScope* const before_;  // the scope around this one
};

}  // namespace tendril
