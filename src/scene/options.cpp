// A method's options with every default filled in.
#include <algorithm>

#include "tendril/method.h"

namespace tendril {

Options::Options(std::span<const OptionInfo> infos, const OptionTable& given) {
  for (const OptionInfo& info : infos) values_[info.name] = info.fallback;
  for (const auto& [name, value] : given) {
    const auto found = values_.find(name);
    TENDRIL_REQUIRE(found != values_.end(), "there is no option called " + name);
    TENDRIL_REQUIRE(found->second.index() == value.index(), "option " + name + " is of another type");
    found->second = value;
  }
}

const OptionValue& Options::find(std::string_view name) const {
  const auto found = values_.find(std::string(name));
  TENDRIL_REQUIRE(found != values_.end(), "there is no option called " + std::string(name));
  return found->second;
}

bool Options::flag(std::string_view name) const {
  const bool* value = std::get_if<bool>(&find(name));
  TENDRIL_REQUIRE(value, "option " + std::string(name) + " is not a flag");
  return *value;
}

double Options::number(std::string_view name) const {
  const double* value = std::get_if<double>(&find(name));
  TENDRIL_REQUIRE(value, "option " + std::string(name) + " is not a number");
  return *value;
}

const std::string& Options::word(std::string_view name) const {
  const std::string* value = std::get_if<std::string>(&find(name));
  TENDRIL_REQUIRE(value, "option " + std::string(name) + " is not a word");
  return *value;
}

}  // namespace tendril
