#include "parallel/stop.h"

namespace tendril {
namespace {
thread_local StopScope* scope_now = nullptr;  // the innermost of this thread
}

bool asked_to_stop() {
  if (scope_now == nullptr || !scope_now->stop_) return false;
  if (!scope_now->said_yes_) scope_now->said_yes_ = scope_now->stop_();
  return scope_now->said_yes_;
}

StopScope::StopScope(const std::function<bool()>& stop) : stop_(stop), before_(scope_now) { scope_now = this; }
StopScope::~StopScope() { scope_now = before_; }

}  // namespace tendril
