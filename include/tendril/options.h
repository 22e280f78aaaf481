// Options of a method: what a scene gives in [options.<method>], and how a method describes its own.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tendril/types.h"

namespace tendril {

using OptionValue = std::variant<bool, double, std::string>;
using OptionTable = std::map<std::string, OptionValue>;

// One line per option: name, unit, default, range or choices, sentence.
struct OptionInfo {
  std::string name, unit;
  OptionValue fallback;
  double low = -forever, high = forever;  // for numbers, both allowed
  std::vector<std::string> choices;       // for words
  std::string sentence;
  std::vector<std::string> lossy = {};  // of the choices: schemes that lose energy by their nature
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

}  // namespace tendril
