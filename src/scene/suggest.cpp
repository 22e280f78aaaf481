#include "scene/suggest.h"

#include <algorithm>
#include <cctype>

namespace tendril {

// Optimal string alignment: three rows are enough.
int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t n = b.size();
  std::vector<int> before_last(n + 1), last(n + 1), row(n + 1);
  for (std::size_t j = 0; j <= n; ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= n; ++j) {
      const int same = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + same});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[n];
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : ", ") + w;
  return text;
}

namespace {
// Spelling aside: case, dashes and blanks for underscores.
std::string plain(std::string_view word) {
  std::string text;
  for (const char c : word)
    text += c == '-' || c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}
}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& allowed) {
  const std::string given = plain(word.substr(0, 60));  // no name of ours is longer
  const std::string* best = nullptr;
  int nearest = static_cast<int>(std::max<std::size_t>(1, given.size() / 3)) + 1;
  for (const std::string& name : allowed) {
    int distance = edit_distance(given, plain(name));
    // A beginning of at least three letters is near: `young` for `young_modulus`, `rods` for `rod`.
    if (given.size() >= 3 && plain(name).rfind(given, 0) == 0) distance = std::min(distance, 1);
    if (distance < nearest) {
      nearest = distance;
      best = &name;
    }
  }
  return best ? "did you mean `" + *best + "`?" : std::string();
}

std::string suggest(std::string_view word, const std::vector<std::string>& allowed) {
  if (allowed.empty()) return {};
  if (std::string nearest = did_you_mean(word, allowed); !nearest.empty()) return nearest;
  std::vector<std::string> few(allowed.begin(),
                               allowed.begin() + static_cast<long>(std::min<std::size_t>(allowed.size(), 30)));
  if (few.size() < allowed.size()) few.emplace_back("...");
  return "allowed here: " + join(few);
}

}  // namespace tendril
