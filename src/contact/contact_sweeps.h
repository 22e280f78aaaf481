// Contacts solved one after the other (projected Gauss-Seidel), and faster along conjugate directions, for any method that
// can tell the value of a row and push it. A method that solves its contacts otherwise ignores this file.
//
// System, the method's side:
//   double value(const Rows& rows, int k) const      c of row k where everything is now
//   void push(Rows& rows, int k, double impulse)     adds to the row's impulse and moves everything by it
// Rows is ContactRows or derived from it. Conditions, for each contact:
//   normal     p >= 0,  c >= lower_bound,  one of the two with equality (complementarity, Signorini)
//   tangents   |p_t| <= mu p_n; the surfaces stick where that suffices (coulomb_cone.h)
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "contact/contact_rows.h"
#include "contact/coulomb_cone.h"

namespace tendril {

// The impulses the rows have, begun with: nothing has been pushed yet.
template <class Rows, class System>
void push_warm_start(std::vector<Rows>& contacts, System& system) {
  for (Rows& rows : contacts) {
    for (int k = 0; k < 3; ++k) {
      const double impulse = rows.row[k].impulse;
      rows.row[k].impulse = 0;
      if (impulse != 0) system.push(rows, k, impulse);
    }
  }
}

// Friction of one contact, all others as they are.
template <class Rows, class System>
void solve_friction(Rows& rows, System& system) {
  std::array<double, 2> b, D;
  for (std::size_t k = 0; k < 2; ++k) {
    const ContactRow& row = rows.row[k + 1];
    D[k] = row.inverse_effective_mass + row.frame_compliance;
    const double slip = system.value(rows, static_cast<int>(k) + 1) + row.frame_slip +
                        row.frame_compliance * (row.impulse - row.frame_slip_impulse);
    b[k] = D[k] * row.impulse - slip;
  }
  const ConeImpulse found = solve_cone(b, D, rows.friction * rows.row[0].impulse);
  for (int k = 0; k < 2; ++k) {
    const double change = found.p[static_cast<std::size_t>(k)] - rows.row[k + 1].impulse;
    if (change != 0) system.push(rows, k + 1, change);
  }
}

// One pass over all contacts, forwards or backwards. Returns the largest change of an impulse, as a displacement of the
// nodes over the radius.
template <class Rows, class System>
double sweep(std::vector<Rows>& contacts, bool forwards, System& system) {
  const std::size_t n = contacts.size();
  double largest = 0;
  for (std::size_t j = 0; j < n; ++j) {
    Rows& rows = contacts[forwards ? j : n - 1 - j];
    ContactRow& normal = rows.row[0];
    for (ContactRow& row : rows.row) row.impulse_before_sweep = row.impulse;
    if (normal.inverse_effective_mass == 0) continue;
    // Normal: the impulse that brings the gap to its bound, if it is a push.
    const double wanted = normal.impulse + (normal.lower_bound - system.value(rows, 0)) / normal.inverse_effective_mass;
    const double impulse = std::max(0.0, wanted);
    if (impulse != normal.impulse) system.push(rows, 0, impulse - normal.impulse);
    // Friction under that normal impulse; also where it has just gone, to take the friction along.
    if (rows.friction > 0 && (impulse > 0 || rows.row[1].impulse != 0 || rows.row[2].impulse != 0))
      solve_friction(rows, system);
    for (const ContactRow& row : rows.row)
      largest =
          std::max(largest, std::abs(row.impulse - row.impulse_before_sweep) * row.inverse_effective_mass / rows.radius);
  }
  return largest;
}

// Goes on in the direction of the last sweeps, as conjugate gradients do (nonsmooth nonlinear ones, Silcowitz 2010). After
// each sweep that did not suffice: its change stands for the gradient; where it grows, the search starts anew. `change2`:
// the square of the change of the sweep before, in the metric of the inverse masses. Rows that mostly turn frames are not
// coupled by what couples the others: a sweep solves them, and what is added only disturbs.
template <class Rows, class System>
void accelerate(std::vector<Rows>& contacts, bool first, double& change2, System& system) {
  const auto leads = [](const ContactRow& row) { return row.frame_compliance < row.inverse_effective_mass; };
  double now2 = 0;
  for (const Rows& rows : contacts) {
    for (const ContactRow& row : rows.row) {
      const double change = row.impulse - row.impulse_before_sweep;
      if (leads(row)) now2 += (row.inverse_effective_mass + row.frame_compliance) * change * change;
    }
  }
  const double ratio = first || !(now2 < change2) ? 0 : now2 / change2;  // Fletcher and Reeves
  change2 = now2;
  for (Rows& rows : contacts) {
    for (int k = 0; k < 3; ++k) {
      ContactRow& row = rows.row[k];
      if (!leads(row)) continue;
      const double change = row.impulse - row.impulse_before_sweep, on = ratio * row.search_direction;
      row.search_direction = on + change;
      if (on == 0) continue;
      system.push(rows, k, k == 0 ? std::max(on, -row.impulse) : on);  // no contact pulls
    }
  }
}

// How far the contacts that press push in this step, on average, over the radius.
template <class Rows>
double mean_push(const std::vector<Rows>& contacts) {
  double sum = 0;
  int pressing = 0;
  for (const Rows& rows : contacts) {
    if (!(rows.row[0].impulse > 0)) continue;
    sum += rows.row[0].impulse * rows.row[0].inverse_effective_mass / rows.radius;
    ++pressing;
  }
  return pressing > 0 ? sum / pressing : 0;
}

}  // namespace tendril
