// What is wrong with the input: all of it at once, with an address and a remedy.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tendril/types.h"

namespace tendril {

enum class Severity { error, warning, note };

struct Problem {
  Severity severity = Severity::error;
  std::string where;    // "scene.toml:12:9", "scene.toml" or empty
  std::string field;    // "rod[2].section.circle.radius" or empty
  std::string what;     // "got -5 m", "no material is called rubbr"
  std::string allowed;  // "must be > 0", or empty
  std::string remedy;   // "did you mean rubber?", or empty
};
using Problems = std::vector<Problem>;

// The text on one line, with everything that is not to be seen written out as \x1b: control characters, bytes that are no
// UTF-8, marks that turn the direction of writing. What a scene or a file name holds cannot command the terminal that shows it.
std::string printable(std::string_view text);
bool is_utf8(std::string_view text);

std::string to_text(const Problem& problem);    // one printable line: where: field: what, allowed; remedy
std::string to_text(const Problems& problems);  // one line each
[[nodiscard]] bool has_errors(const Problems& problems);

// A T, or the reasons why not; warnings may come along with a T.
template <class T>
class [[nodiscard]] Checked {
 public:
  Checked(T value, Problems problems = {}) : value_(std::move(value)), problems_(std::move(problems)) {}
  Checked(Problems problems) : problems_(std::move(problems)) {}

  explicit operator bool() const { return value_.has_value(); }
  T& operator*() {
    TENDRIL_REQUIRE(value_, "there is no value, only problems:\n" + to_text(problems_));
    return *value_;
  }
  const T& operator*() const {
    TENDRIL_REQUIRE(value_, "there is no value, only problems:\n" + to_text(problems_));
    return *value_;
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }
  const Problems& problems() const { return problems_; }

 private:
  std::optional<T> value_;
  Problems problems_;
};

}  // namespace tendril
