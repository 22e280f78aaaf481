// Friction of contacts that press with a known force: a potential of how far the surfaces have slid.
//
//   slip e = e' + T^T (motion of a's surface - motion of b's)        since the last level; e': elastic slip kept from there
//   potential  mu N eps H(|e|/eps),   H' = q below 1 - d, 1 above 1 + d, rounded between: Huber's, its kink smoothed
// N, the normal and the places are those of the last round (lagged); so it is a convex energy. What is kept of the slip is at most
// (1 + d) eps: sticking does not creep, sliding carries mu N. It acts at the surface: along a rod it pulls its nodes, across it turns
// its frames too.
#pragma once

#include <span>
#include <vector>

#include "contact/contact_memory.h"
#include "contact/near_pairs.h"
#include "linear/folded_ldlt.h"
#include "methods/compact/part.h"
#include "tendril/state.h"

namespace tendril::compact {

class ContactField;
class Coupled;
class Joined;

// A point of a free body that a contact rubs on.
struct RubbedBody {
  int body = -1;                                    // -1: none
  Vec3 local = Vec3::Zero(), start = Vec3::Zero();  // in its axes; where it was at the last level
};

// A point of a rod, counted in segments from its start (material coordinate).
struct RodPlace {
  int rod = -1;  // -1: none
  double at = 0;
};

// What is remembered of contacts from step to step, by key, rising.
struct KeptContact {
  ContactKey key;
  Vec3 slip = Vec3::Zero(), normal = Vec3::UnitZ();
  double force = 0;   // normal [N]
  RodPlace a, b;      // where they touched
  int obstacle = -1;  // instead of b
  void visit_state(StateArchive& archive) {
    archive(key.a, key.b, key.part, slip, normal, force, a.rod, a.at, b.rod, b.at, obstacle);
  }
};
const KeptContact* find_kept(std::span<const KeptContact> kept, const ContactKey& key);
// A contact that has another name since it passed a node, of a or of b: the one at the same points of the rods. What is kept of it, seen from
// the present a; false: there is none.
bool find_passed_on(std::span<const KeptContact> kept, const ContactField& field, const KeptContact& present,
                    KeptContact& out);

struct FrictionLaw {
  static constexpr double rounded = 0.1;          // d
  static constexpr double slip_of_radius = 1e-3;  // eps
  static double slope(double q);                  // H'
  static double value(double q);                  // H
  static double bend(double q);                   // H''
};

class Friction {
 public:
  Friction(const ContactField& field, Parts& parts) : field_(field), parts_(parts) {}
  void clear() { rubs_.clear(); }
  bool empty() const { return rubs_.empty(); }
  // A contact that presses with `force`; obstacle_shift: what the touching point of an obstacle does in the step.
  void add(const NearPair& pair, const GapSlopes& at, double force, const KeptContact* kept, const Vec3& obstacle_shift,
           const RubbedBody& body = {});
  double evaluate(Joined* joined);  // at the present place: energy; gradient to the problems, and to bodies
  void assemble(const Coupled& coupled, FoldedLDLT& matrix, const Joined* joined) const;
  Vec3 force_on_a(std::size_t i) const;  // [N]
  double lost(std::size_t i) const;      // [J] in the step
  Vec3 kept_slip(std::size_t i) const;   // for the next step
  const ContactKey& key(std::size_t i) const { return rubs_[i].key; }
  const Vec3& obstacle_shift(std::size_t i) const { return rubs_[i].shift; }
  std::size_t size() const { return rubs_.size(); }

 private:
  struct Turned {  // a link whose frame the friction turns
    int rod = -1, link = 0;
    Vec3 lever = Vec3::Zero();  // times its share and sign
  };
  struct Rub {
    ContactKey key;
    std::array<int, 4> node{-1, -1, -1, -1};
    double share[4] = {0, 0, 0, 0};
    Turned turned[4];
    int turns = 0;
    Vec3 along = Vec3::Zero(), across = Vec3::Zero(), shift = Vec3::Zero();
    Vec2 kept = Vec2::Zero(), slip = Vec2::Zero(), pull = Vec2::Zero();
    double limit = 0, eps = 0;
    RubbedBody on;
  };
  void add_turned(Rub& rub, int node_or_edge, bool node, const Vec3& lever) const;
  Vec2 slip_of(const Rub& rub, const Joined* joined) const;
  const ContactField& field_;
  Parts& parts_;
  std::vector<Rub> rubs_;
};

}  // namespace tendril::compact
