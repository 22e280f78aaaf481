#include "tendril/problem.h"

#include <fmt/format.h>

#include <algorithm>

namespace tendril {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};
// The first character of a text that is not empty. [Unicode 15, table 3-7: well-formed byte sequences]
CodePoint first_of(std::string_view text) {
  const auto byte = [&text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return {};
  char32_t value = lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    value = value << 6U | (byte(i) & 0x3fU);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  return value < least[bytes] || surrogate || value > 0x10ffff ? CodePoint{} : CodePoint{value, bytes};
}

// Control characters, and those that turn the direction of writing.
bool is_hidden(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = first_of(text);
    const std::string_view here = text.substr(0, std::max<std::size_t>(c.bytes, 1));
    if (c.bytes > 0 && !is_hidden(c.value))
      out += here;
    else if (here == "\n" || here == "\t")
      out += here == "\n" ? "\\n" : "\\t";
    else
      for (const char byte : here) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    text.remove_prefix(here.size());
  }
  return out;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = first_of(text).bytes;
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::string to_text(const Problem& problem) {
  std::string text;
  const auto begin_with = [&text](const std::string& part) {
    if (!part.empty()) text += part + ": ";
  };
  begin_with(problem.where);
  if (problem.severity == Severity::warning) text += "warning: ";
  if (problem.severity == Severity::note) text += "note: ";
  begin_with(problem.field);
  text += problem.what;
  if (!problem.allowed.empty()) text += ", " + problem.allowed;
  if (!problem.remedy.empty()) text += "; " + problem.remedy;
  return printable(text);
}

std::string to_text(const Problems& problems) {
  std::string text;
  for (const Problem& p : problems) text += to_text(p) + "\n";
  return text;
}

bool has_errors(const Problems& problems) {
  return std::any_of(problems.begin(), problems.end(), [](const Problem& p) { return p.severity == Severity::error; });
}

}  // namespace tendril
