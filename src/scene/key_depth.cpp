#include "scene/key_depth.h"

#include <algorithm>
#include <string>

namespace tendril::scene_detail {
namespace {

// Steps over what dots do not count in: comments and the four kinds of strings of TOML 1.0.
class KeyScanner {
 public:
  explicit KeyScanner(std::string_view text) : text_(text) {}

  std::size_t find() {
    int dots = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else
        dots = next_dots(dots, c);
      if (dots >= max_key_parts) return line_;
      if (at_ < text_.size() && text_[at_] == '\n') ++line_;
      ++at_;
    }
    return 0;
  }

 private:
  // Keys end at the signs between them and their values; blanks may stand about a dot.
  static int next_dots(int dots, char c) {
    if (c == '.') return dots + 1;
    return std::string_view("\n=,[]{}").find(c) == std::string_view::npos ? dots : 0;
  }
  void skip_string(char quote) {
    const bool many_lines = text_.substr(at_, 3) == std::string(3, quote);
    const std::size_t length = many_lines ? 3 : 1;
    at_ += length;
    while (at_ < text_.size()) {
      if (text_[at_] == '\n' && !many_lines) return;  // never closed: the parser says so
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] == '\\' && quote == '"')
        at_ += at_ + 1 < text_.size() && text_[at_ + 1] == '\n' ? 1 : 2;
      else if (text_.substr(at_, length) == std::string(length, quote)) {
        at_ += length;
        return;
      } else
        ++at_;
    }
  }
  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
};

}  // namespace

std::size_t line_of_deep_key(std::string_view text) { return KeyScanner(text).find(); }

}  // namespace tendril::scene_detail
