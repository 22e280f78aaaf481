// Is an equilibrium of rods that touch each other, or are joined, a minimum? By the pivots of the whole, rows put aside.
#include <algorithm>
#include <cmath>

#include "methods/compact/contacts.h"
#include "methods/compact/coupled.h"
#include "methods/compact/joined.h"

namespace tendril::compact {

// Turns, and with contact places, a little stiffer, and a little softer, than they are: between them lies what is neutral.
Verdict Coupled::judge() {
  double stiffest = 0, left = 0, tiny = joined_ != nullptr ? joined_->tiny() : 0, length = 0, links = 1;
  for (const int r : rods_) {
    const Part& rod = *parts_[z(r)];
    if (!rod.problem.has_potential()) return {Verdict::Kind::no_energy};
    stiffest = std::max(stiffest, rod.chain.stiffest), length = std::max(length, rod.chain.length);
    links = std::max(links, double(rod.chain.real()));
    tiny = std::max(tiny, rod.problem.row_constants().tiny);
    for (const double g : rod.problem.gradient()) left = std::max(left, std::abs(g));
  }
  if (!(stiffest > 0)) return {Verdict::Kind::counted};
  hold_ = 0;
  std::ignore = evaluate();
  // Barriers are far stiffer than rods; what they leave free is free to their rounding. Friction, stiffer still, ties turns to places all
  // along the rod: one that rolls is free by what cancels, known to a hundredth of the softest bending at least.
  double pressed = touching_ != nullptr ? 1e-15 * touching_->stiffest() * length * length : 0;
  if (touching_ != nullptr && touching_->may_rub())
    pressed = std::max(pressed, std::min(1e5 * pressed, 1e-2 * stiffest / (links * links)));
  const double tolerance = 1e-12 + (4 * left + 2 * tiny + pressed) / stiffest;
  const auto below = [&](double shift) { return factor(true, shift).negative - expected_negative_; };
  Verdict verdict{Verdict::Kind::counted, below(tolerance)};
  verdict.neutral.other = std::max(0, below(-tolerance) - verdict.unstable);
  return verdict;
}

}  // namespace tendril::compact
