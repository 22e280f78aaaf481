// The words for how steps fail and end, for what equilibria are and for shares: their one home.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "tendril/method.h"
#include "tendril/simulate.h"

namespace tendril {

std::span<const FailureInfo> common_failures() {
  static const char* const smaller =
      "take a smaller time.step (`tendril check` prints the stable one, step = \"auto\" takes it)";
  static const std::vector<FailureInfo> list = {
      {"nothing went wrong", smaller},
      {"a position or velocity became infinite or undefined", smaller},
      {"a point moved further than the rod is long in one step", smaller},
      {"Newton's method found no equilibrium",
       "take more frames per second where something changes with time (smaller increments), an initial curve nearer to it, "
       "more "
       "segments, or mode = \"dynamics\" with damping"},
      {"a clamp asks for something out of reach", "look at the paths of the clamps: one asks for what the rod cannot do"},
      {"what touches could not be kept apart",
       "take a smaller time.step, or look whether clamps or obstacles press the rods into each other"},
      {"a load acts across a rod that is exactly as long as its clamps are apart, which cannot bend unless it stretches",
       "let it stretch (stretch = \"elastic\" in the rod), or start with the clamps a little nearer together (the rod's "
       "initial curve)"},
  };
  return list;
}

const FailureInfo& failure_of(Cause cause, const MethodInfo& method) {
  static const FailureInfo unknown{"the method gave up", "take a smaller time.step"};
  const auto number = static_cast<std::size_t>(cause), own = static_cast<std::size_t>(Cause::own);
  const std::span<const FailureInfo> common = common_failures();
  if (number < common.size()) return common[number];
  return number >= own && number - own < method.failures.size() ? method.failures[number - own] : unknown;
}

const char* to_text(Outcome outcome) {
  switch (outcome) {
    case Outcome::fine:
      return "fine";
    case Outcome::not_converged:
      return "not_converged";
    case Outcome::diverged:
      return "diverged";
    case Outcome::suspect:
      return "suspect";
  }
  return "";
}

std::string percent_text(double fraction) {
  const double percent = 100 * fraction;
  return std::abs(percent) >= 100 ? fmt::format("{:.0f} %", percent) : fmt::format("{:.2g} %", percent);
}

void Verdict::add(const Verdict& rod) {
  const bool unknown = !judged() || !rod.judged();
  if (kind == Kind::no_energy || rod.kind == Kind::no_energy)
    kind = Kind::no_energy;
  else if (unknown)
    kind = Kind::not_asked;
  unstable = kind == Kind::counted ? unstable + rod.unstable : 0;
  neutral.moving += rod.neutral.moving, neutral.swinging += rod.neutral.swinging;
  neutral.turning += rod.neutral.turning, neutral.other += rod.neutral.other;
  if (kind != Kind::counted) neutral = {};
  const bool nearer = !(std::abs(softest) <= std::abs(rod.softest));  // to zero; true when this one is not known
  if (nearer && !std::isnan(rod.softest)) softest = rod.softest;
}

namespace {
// "; neutral: the rod turning about itself, the rod swinging (2)"
std::string neutral_words(const Verdict::Neutral& neutral) {
  std::string words;
  const auto add = [&words](int count, const char* what) {
    if (count == 0) return;
    words += (words.empty() ? "; neutral: " : ", ") + std::string(what);
    if (count > 1) words += " (" + std::to_string(count) + ")";
  };
  add(neutral.moving, "a rod that nothing holds, moving as a whole");
  add(neutral.swinging, "a rod swinging as a whole about what holds it");
  add(neutral.turning, "a rod turning about itself");
  add(neutral.other, "a direction softer than rounding can tell");
  return words;
}
}  // namespace

std::string to_text(const Verdict& verdict) {
  switch (verdict.kind) {
    case Verdict::Kind::not_asked:
      return "not judged";
    case Verdict::Kind::no_energy:
      return "neither a minimum of the energy nor not: a load turns with the rod or is a moment, and has no energy";
    case Verdict::Kind::counted:
      return (verdict.unstable == 0 ? "a minimum of the energy" : "not a minimum of the energy") +
             neutral_words(verdict.neutral);
  }
  return "";
}

}  // namespace tendril
