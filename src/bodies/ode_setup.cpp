#include "bodies/ode_setup.h"

#include <ode/ode.h>

#include <array>
#include <cstdio>
#include <mutex>
#include <string>

namespace tendril {
namespace {
void say_nothing(int, const char*, va_list) {}
// ODE ends the program when its own checks fail; library code does not.
[[noreturn]] void refuse(int, const char* message, va_list arguments) {
  std::array<char, 512> text{};
  std::vsnprintf(text.data(), text.size(), message, arguments);
  throw OdeFailure(std::string("ODE: ") + text.data());
}
}  // namespace

void set_up_ode() {
  static std::once_flag once;
  std::call_once(once, [] {
    dInitODE2(0);
    dSetMessageHandler(say_nothing);  // ODE prints, and library code does not
    dSetErrorHandler(refuse);
    dSetDebugHandler(refuse);
  });
  static thread_local const bool ready = dAllocateODEDataForThread(dAllocateMaskAll) != 0;
  (void)ready;
}

}  // namespace tendril
