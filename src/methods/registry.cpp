// The only file that names all methods.
#include <array>
#include <vector>

#include "methods/cable/entry.h"
#include "methods/compact/entry.h"
#include "methods/der/entry.h"
#include "methods/method.h"
#include "methods/strands/entry.h"

namespace tendril {

std::span<const MethodEntry> all_methods() {
  static const std::array<MethodEntry, 4> methods{der::entry(), strands::entry(), compact::entry(), cable::entry()};
  return methods;
}

const MethodEntry* find_method(std::string_view name) {
  for (const MethodEntry& method : all_methods()) {
    if (method.info.name == name) return &method;
  }
  return nullptr;
}

std::span<const MethodInfo> all_method_infos() {
  static const std::vector<MethodInfo> infos = [] {
    std::vector<MethodInfo> list;
    for (const MethodEntry& method : all_methods()) list.push_back(method.info);
    return list;
  }();
  return infos;
}

const MethodInfo* find_method_info(std::string_view name) {
  for (const MethodInfo& info : all_method_infos()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

}  // namespace tendril
