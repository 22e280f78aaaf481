// What a method remembers of each contact from step to step (contact persistence), so that its solver can be warm-started:
// keyed by who touches whom, never by place in a list. Saved and loaded with the method; after the first steps it allocates
// nothing.
//
//   memory.begin(touches);                     // after find_contacts: fetches what is known of each
//   memory.now(k).slip, .normal_force, ...     // k-th touch of the list; change it
//   memory.commit();                           // when the step is accepted: this is what the next step remembers
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "contact/contact_geometry.h"
#include "contact/contact_law.h"
#include "contact/touch.h"
#include "tendril/state.h"

namespace tendril {

struct ContactMemoryEntry {
  Vec3 normal = Vec3::UnitZ();   // of the step it was remembered in
  Vec3 slip = Vec3::Zero();      // elastic slip, tangential [m]
  Vec3 friction = Vec3::Zero();  // tangential force or impulse, for a warm start
  double normal_force = 0;       // likewise
  double gap = 0;                // at the end of that step, < 0: overlap [m]
  int age = 0;                   // steps it has lasted
};

class ContactMemory {
 public:
  // Entries of touches known before; tangential vectors are turned with the normal. One that is new takes over from a touch
  // of a neighbouring feature that has gone: a rod that slides from one segment to the next keeps its friction.
  void begin(const ContactGeometry& geometry, std::span<const Touch> touches) {
    now_.clear();
    for (const Touch& t : touches) {
      const Record* known = find(t.key);
      if (!known) known = gone_neighbour(geometry, t, touches);
      Record record{t.key, known ? known->entry : ContactMemoryEntry{}};
      ContactMemoryEntry& e = record.entry;
      if (known) {
        e.slip = turned_with_normal(e.slip, e.normal, t.normal);
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

  void save(StateWriter& writer) const {
    writer.value(static_cast<std::uint64_t>(kept_.size()));
    for (Record r : kept_) visit(r, [&writer](const auto& v) { writer.value(v); });
  }
  void load(StateReader& reader) {
    std::uint64_t count = 0;
    reader.value(count);
    TENDRIL_REQUIRE(count < (std::uint64_t{1} << 32), "the state is damaged");
    kept_.clear();
    for (std::uint64_t k = 0; k < count; ++k) {
      Record r;
      visit(r, [&reader](auto& v) { reader.value(v); });
      TENDRIL_REQUIRE(kept_.empty() || kept_.back().key < r.key, "the state is damaged");
      kept_.push_back(r);
    }
    now_.clear();
  }

 private:
  struct Record {
    ContactKey key;
    ContactMemoryEntry entry;
  };
  template <class F>
  static void visit(Record& r, F&& f) {  // each number once: padding never reaches a checkpoint
    f(r.key.a), f(r.key.b), f(r.key.part);
    for (Vec3* v : {&r.entry.normal, &r.entry.slip, &r.entry.friction}) f((*v)[0]), f((*v)[1]), f((*v)[2]);
    f(r.entry.normal_force), f(r.entry.gap), f(r.entry.age);
  }
  const Record* find(const ContactKey& key) const {
    const auto at =
        std::lower_bound(kept_.begin(), kept_.end(), key, [](const Record& r, const ContactKey& k) { return r.key < k; });
    return at != kept_.end() && at->key == key ? &*at : nullptr;
  }
  const Record* gone_neighbour(const ContactGeometry& geometry, const Touch& t, std::span<const Touch> touches) const;

  std::vector<Record> kept_, now_;
};

}  // namespace tendril
