#include "scene/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

namespace tendril::scene_detail {
namespace {

constexpr double pi = std::numbers::pi;

// A unit as 10^decimals times above / below times powers of m, kg, s and rad. The decimal part is kept apart, because shifting
// the decimal point of the text is exact: "1.1 g/cm^3" is the same number as 1.1e3. Angles count as a kind of their own, so that
// 50 Hz is not taken for 50 rad/s.
struct UnitValue {
  std::array<int, 4> powers{};
  int decimals = 0;
  double above = 1, below = 1;
};
struct NamedUnit {
  const char* name;
  UnitValue value;
  bool takes_prefix;
};
constexpr NamedUnit unit_table[] = {
    {"m", {{1, 0, 0, 0}}, true},
    {"g", {{0, 1, 0, 0}, -3}, true},
    {"s", {{0, 0, 1, 0}}, true},
    {"rad", {{0, 0, 0, 1}}, true},
    {"N", {{1, 1, -2, 0}}, true},
    {"Pa", {{-1, 1, -2, 0}}, true},
    {"J", {{2, 1, -2, 0}}, true},
    {"Hz", {{0, 0, -1, 0}}, true},
    {"bar", {{-1, 1, -2, 0}, 5}, true},
    {"t", {{0, 1, 0, 0}, 3}, false},
    {"min", {{0, 0, 1, 0}, 0, 60}, false},
    {"h", {{0, 0, 1, 0}, 0, 3600}, false},
    {"deg", {{0, 0, 0, 1}, 0, pi, 180}, false},
    {"°", {{0, 0, 0, 1}, 0, pi, 180}, false},
    {"turn", {{0, 0, 0, 1}, 0, 2 * pi}, false},
    {"turns", {{0, 0, 0, 1}, 0, 2 * pi}, false},
    {"rev", {{0, 0, 0, 1}, 0, 2 * pi}, false},
    {"rpm", {{0, 0, -1, 1}, 0, 2 * pi, 60}, false},
    {"in", {{1, 0, 0, 0}, -4, 254}, false},
    {"ft", {{1, 0, 0, 0}, -4, 3048}, false},
    {"lb", {{0, 1, 0, 0}, -8, 45359237}, false},
    {"lbf", {{1, 1, -2, 0}, 0, 4.4482216152605}, false},
    {"psi", {{-1, 1, -2, 0}, 0, 6894.757293168}, false},
    {"1", {}, false},
};
struct Prefix {
  const char* name;
  int decimals;
};
constexpr Prefix prefixes[] = {{"T", 12}, {"G", 9},  {"M", 6},  {"k", 3},  {"h", 2},  {"d", -1}, {"c", -2},
                               {"m", -3}, {"u", -6}, {"µ", -6}, {"μ", -6}, {"n", -9}, {"p", -12}};

std::optional<UnitValue> find_unit(std::string_view name) {
  for (const NamedUnit& unit : unit_table)
    if (name == unit.name) return unit.value;
  for (const Prefix& prefix : prefixes) {
    if (!name.starts_with(prefix.name)) continue;
    const std::string_view rest = name.substr(std::string_view(prefix.name).size());
    for (const NamedUnit& unit : unit_table)
      if (unit.takes_prefix && rest == unit.name) {
        UnitValue value = unit.value;
        value.decimals += prefix.decimals;
        return value;
      }
  }
  return std::nullopt;
}

// One factor after another: "kg/m^3", "N m/rad", "1/s". A division counts for the next factor only.
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : rest_(text) {}
  std::optional<UnitValue> parse() {
    UnitValue product;
    bool divide = false;
    skip_blanks();
    while (!rest_.empty()) {
      const std::string_view name = take_name();
      const std::optional<UnitValue> unit = find_unit(name);
      const std::optional<int> power = take_power();
      if (!unit || !power) return unknown_ = std::string(name), std::nullopt;
      multiply(product, *unit, divide ? -*power : *power);
      // What joins two factors: a blank, a dot, a star, or a stroke, which divides.
      skip_blanks();
      divide = take("/");
      const bool joined = divide || take("*") || take("·");
      skip_blanks();
      if (joined && rest_.empty()) return std::nullopt;
    }
    return product;
  }
  std::string unknown() const { return unknown_; }

 private:
  void skip_blanks() {
    while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
  }
  bool take(std::string_view sign) {
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }
  std::string_view take_name() {
    std::size_t end = 0;
    while (end < rest_.size() && std::string_view(" /*^").find(rest_[end]) == std::string_view::npos) {
      const std::string_view here = rest_.substr(end);
      if (here.starts_with("²") || here.starts_with("³") || here.starts_with("·")) break;
      ++end;
    }
    const std::string_view name = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return name;
  }
  std::optional<int> take_power() {
    if (take("²")) return 2;
    if (take("³")) return 3;
    if (!take("^")) return 1;
    int power = 0;
    const auto result = std::from_chars(rest_.data(), rest_.data() + rest_.size(), power);
    if (result.ec != std::errc() || std::abs(power) > 9) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(result.ptr - rest_.data()));
    return power;
  }
  static void multiply(UnitValue& product, const UnitValue& unit, int power) {
    for (std::size_t i = 0; i < product.powers.size(); ++i) product.powers[i] += power * unit.powers[i];
    product.decimals += power * unit.decimals;
    for (int k = 0; k < std::abs(power); ++k) {
      product.above *= power > 0 ? unit.above : unit.below;
      product.below *= power > 0 ? unit.below : unit.above;
    }
  }
  std::string_view rest_;
  std::string unknown_;
};

// "-1.5e3 mm" -> digits "-1.5", exponent 3, unit "mm".
struct SplitText {
  std::string digits;
  int exponent = 0;
  std::string_view unit;
};
std::optional<SplitText> split_number(std::string_view text) {
  while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
  const bool plus = text.starts_with('+');
  if (plus) text.remove_prefix(1);
  double ignored = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), ignored);
  if (result.ptr == text.data() || (plus && text.starts_with('-'))) return std::nullopt;
  const std::string_view number = text.substr(0, static_cast<std::size_t>(result.ptr - text.data()));
  if (number.find_first_not_of("+-.0123456789eE") != std::string_view::npos) return std::nullopt;  // inf, nan
  const std::size_t mark = std::min(number.find_first_of("eE"), number.size());
  SplitText split{std::string(number.substr(0, mark)), 0, text.substr(number.size())};
  std::string_view exponent = number.substr(std::min(mark + 1, number.size()));
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  if (!exponent.empty()) {
    const auto read = std::from_chars(exponent.data(), exponent.data() + exponent.size(), split.exponent);
    if (read.ec != std::errc() || std::abs(split.exponent) > 1000) return std::nullopt;
  }
  return split;
}

}  // namespace

std::optional<double> number_in(std::string_view text, std::string_view wanted) {
  const std::optional<SplitText> split = split_number(text);
  if (!split || wanted.empty()) return std::nullopt;
  if (split->unit.find_first_not_of(' ') == std::string_view::npos) return std::nullopt;  // "5": a number needs no quotes
  const std::optional<UnitValue> given = UnitParser(split->unit).parse(), field = UnitParser(wanted).parse();
  if (!given || !field || given->powers != field->powers) return std::nullopt;
  // The decimal point is moved in the text; what is left is a ratio of angles, minutes or inches, and mostly 1.
  const std::string shifted = split->digits + "e" + std::to_string(split->exponent + given->decimals - field->decimals);
  double value = 0;
  const auto result = std::from_chars(shifted.data(), shifted.data() + shifted.size(), value);
  if (result.ec != std::errc()) return std::nullopt;
  const double above = given->above * field->below, below = given->below * field->above;
  if (above != below) value = value * above / below;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

bool is_readable_unit(std::string_view wanted) { return !wanted.empty() && UnitParser(wanted).parse().has_value(); }

std::string unit_example(std::string_view wanted) {
  for (const auto& [unit, example] :
       {std::pair{"m", "5 mm"}, std::pair{"Pa", "1 MPa"}, std::pair{"kg/m^3", "1.1 g/cm^3"}, std::pair{"rad", "30 deg"},
        std::pair{"turns", "90 deg"}, std::pair{"rad/s", "3000 rpm"}, std::pair{"N", "2 kN"}, std::pair{"s", "1 ms"},
        std::pair{"kg", "5 g"}})
    if (wanted == unit) return example;
  return "1 " + std::string(wanted);
}

std::string unit_complaint(std::string_view text) {
  const std::optional<SplitText> split = split_number(text);
  if (!split) return {};
  UnitParser parser(split->unit);
  if (parser.parse() || parser.unknown().empty()) return {};
  return "there is no unit `" + parser.unknown().substr(0, 20) + "`";
}

}  // namespace tendril::scene_detail
