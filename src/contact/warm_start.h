// Impulses that live longer than a solve: from step to step by the contact's key (ContactMemory), and from one look for contacts
// to the next within a step. Rows: ContactRows or what is derived from it.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "contact/contact_memory.h"
#include "contact/contact_rows.h"

namespace tendril {

// To the memory, as forces: the next step may have another dt. `factor`: with which part of them it shall begin.
inline void keep_impulses(const ContactRows& rows, double factor, double dt, ContactMemoryEntry& memory) {
  const double rate2 = 1 / (dt * dt);
  memory.normal_force = factor * rate2 * rows.row[0].impulse;
  memory.friction = factor * rate2 * to_eigen(rows.tangential_impulse());
}

// And back, along the present tangents.
inline void take_impulses(const ContactMemoryEntry& memory, double dt, ContactRows& rows) {
  rows.row[0].impulse = dt * dt * memory.normal_force;
  for (int k = 1; k < 3; ++k) rows.row[k].impulse = dt * dt * to_eigen(rows.tangent[k - 1]).dot(memory.friction);
}

// Against an obstacle the overlap that may stay is that which the step before measured: along the present normal a place that
// slides over something round seems to come out of it. Of what was not known there is little: rods that start a little inside.
inline void bound_by_memory(const ContactMemoryEntry& memory, ContactRows& rows) {
  double& bound = rows.row[0].lower_bound;
  bound = memory.age > 0 ? (1 - overlap_repair_per_step) * std::min(0.0, memory.gap)
                         : std::max(bound, -unseen_overlap * rows.radius);
}

// The rows of the last look within a step. Contacts that are still there keep their impulses, which are in the positions
// already; what has gone has done its push, and what is new has not.
template <class Rows>
class EarlierRows {
 public:
  void remember(std::span<const Touch> touches, std::vector<Rows>& rows) {  // takes the rows
    std::swap(rows_, rows);
    keys_.clear();
    for (const Touch& t : touches) keys_.push_back(t.key);
  }
  void give_back(const ContactKey& key, ContactRows& rows) const {
    const auto at = std::lower_bound(keys_.begin(), keys_.end(), key);
    const bool known = at != keys_.end() && *at == key;
    const Rows* old = known ? &rows_[static_cast<std::size_t>(at - keys_.begin())] : nullptr;
    rows.row[0].impulse = old ? old->row[0].impulse : 0;
    for (int k = 1; k < 3; ++k) {
      const V3<double>& d = rows.tangent[k - 1];
      rows.row[k].impulse =
          !old ? 0 : old->row[1].impulse * dot(d, old->tangent[0]) + old->row[2].impulse * dot(d, old->tangent[1]);
    }
  }

 private:
  std::vector<Rows> rows_;
  std::vector<ContactKey> keys_;
};

}  // namespace tendril
