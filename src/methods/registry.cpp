// The only file that names all methods.
#include <array>

#include "methods/der/entry.h"
#include "methods/strands/entry.h"
#include "tendril/method.h"

namespace tendril {

std::span<const MethodEntry> all_methods() {
  static const std::array<MethodEntry, 2> methods{der::entry(), strands::entry()};
  return methods;
}

const MethodEntry* find_method(std::string_view name) {
  for (const MethodEntry& method : all_methods()) {
    if (method.info.name == name) return &method;
  }
  return nullptr;
}

}  // namespace tendril
