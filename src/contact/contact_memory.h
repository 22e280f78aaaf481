// What a method remembers of each contact from step to step (contact persistence), so that its solver can be warm-started:
// keyed by who touches whom, never by place in a list. Saved and loaded with the method; after the first steps it allocates
// nothing.
//
//   memory.begin(touches);                     // after find_contacts: fetches what is known of each
//   memory.now(k).normal_force, ...            // k-th touch of the list; change it (warm_start.h does, for rows)
//   memory.commit();                           // when the step is accepted: this is what the next step remembers
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "contact/contact_geometry.h"
#include "contact/touch.h"
#include "tendril/state.h"

namespace tendril {

struct ContactMemoryEntry {
  Vec3 normal = Vec3::UnitZ();   // of the step it was remembered in
  Vec3 friction = Vec3::Zero();  // tangential force, for a warm start [N]
  double normal_force = 0;       // likewise [N]
  double gap = 0;                // at the end of that step, < 0: overlap [m]
  int age = 0;                   // steps it has lasted
};

// A vector remembered in the tangent plane of an older normal, laid into that of the present one by the smallest rotation.
inline Vec3 turned_with_normal(const Vec3& v, const Vec3& from, const Vec3& to) {
  const auto tangential = [&to](const Vec3& w) { return Vec3(w - to.dot(w) * to); };
  const double c = from.dot(to);
  if (c < -0.99) return tangential(v);  // turned over: there is no smallest rotation
  const Vec3 k = from.cross(to);
  return tangential(c * v + k.cross(v) + (k.dot(v) / (1 + c)) * k);
}

class ContactMemory {
 public:
  // Entries of touches known before; the friction is turned with the normal. One that is new takes over from a touch
  // of a neighbouring feature that has gone: a rod that slides from one segment to the next keeps its friction.
  void begin(const ContactGeometry& geometry, std::span<const Touch> touches) {
    now_.clear();
    for (const Touch& t : touches) {
      const Record* known = find(t.key);
      if (!known) known = gone_neighbour(geometry, t, touches);
      Record record{t.key, known ? known->entry : ContactMemoryEntry{}};
      ContactMemoryEntry& e = record.entry;
      if (known) {
        e.friction = turned_with_normal(e.friction, e.normal, t.normal);
        ++e.age;
      }
      e.normal = t.normal;
      now_.push_back(record);
    }
  }
  ContactMemoryEntry& now(std::size_t touch) { return now_[touch].entry; }
  void commit() { std::swap(kept_, now_); }
  std::size_t size() const { return kept_.size(); }  // of what is kept

  void visit_state(StateArchive& archive) {
    archive(kept_);
    if (!archive.reading()) return;
    for (std::size_t k = 1; k < kept_.size(); ++k) TENDRIL_REQUIRE(kept_[k - 1].key < kept_[k].key, "the state is damaged");
    now_.clear();
  }

 private:
  struct Record {
    ContactKey key;
    ContactMemoryEntry entry;
    void visit_state(StateArchive& archive) {
      archive(key.a, key.b, key.part);
      archive(entry.normal, entry.friction, entry.normal_force, entry.gap, entry.age);
    }
  };
  const Record* find(const ContactKey& key) const {
    const auto at =
        std::lower_bound(kept_.begin(), kept_.end(), key, [](const Record& r, const ContactKey& k) { return r.key < k; });
    return at != kept_.end() && at->key == key ? &*at : nullptr;
  }
  const Record* gone_neighbour(const ContactGeometry& geometry, const Touch& t, std::span<const Touch> touches) const;

  std::vector<Record> kept_, now_;
};

}  // namespace tendril
