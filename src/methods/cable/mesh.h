// Segments that come and go: the mesh of rods with a winch, or of all rods where resolution follows need (`adaptive`).
//
// Elements and joints keep their places in Parts and State; those that are not used now are spare. A rod's Chain says which ones it
// consists of, in order, and the material coordinates of its nodes: everything else about a segment and its joints (mass, inertia, stiffness, points) follows from these, so that a saved state needs no more.
//
// Cut and merge, the same rule in both directions. Two segments in a row and the one that takes their place have
//   the same mass, momentum and angular momentum (about any point: the centre of mass stays where it is);
//   in their joints gaps n eps and strains m eps of the force n and the moment m that the rod carries there: eps, the compliance, adds
//   up to the same over all joints of the rod, so that what joins them does not notice;
//   their outer ends where they were, but for these gaps. What a bent pair is shorter than the segment that replaces it is owed, and
//   paid out over 0.2 s.
// Beyond the ends of the rest rod rope goes on straight, with the section of that end.
#pragma once

#include <algorithm>

#include "methods/cable/groups.h"

namespace tendril::cable {

class Mesh {
 public:
  Mesh(const Model& model, double inertia_factor, Parts& parts, State& state);
  bool varies() const { return varies_; }  // any of the rods
  const Chain& chain(int rod) const { return parts_.chains[z(rod)]; }
  int segment(int rod, int k) const { return chain(rod).segments[z(k)]; }
  double length(int rod, int k) const { return chain(rod).material[z(k + 1)] - chain(rod).material[z(k)]; }
  bool has_room() const;
  bool is_pinned(int rod, int joint) const { return pinned_[z(chain(rod).joints[z(joint)])] != 0; }
  Vec3 strain(int rod, int joint) const;           // of a joint inside the rod, less that at rest [rad]
  double relative_spin(int rod, int joint) const;  // [rad/s] of its sides
  bool is_held(int rod, int side) const;           // a joint holds the point at its start (0) or end (1) now

  // A material point among the segments of a rod. Beyond the ends: the end, and it is not out.
  struct Point {
    int element = 0, k = 0;
    double share = 0;
    bool out = true;
  };
  Point find(int rod, double material) const;
  // f(edge of the model, length of it that the segment covers [m]); what lies beyond the rest rod is left out.
  template <class F>
  void for_each_edge_under(std::size_t element, F&& f) const {
    const Element& e = parts_.elements[element];
    const Chain& c = chain(e.rod);
    const RodSpan& span = model_.rods[z(e.rod)].span;
    const double* s = model_.material.data() + span.first_node;
    const int number = e.edge_now - c.span.first_edge;
    const double from = std::max(s[0], c.material[z(number)]), to = std::min(s[span.edges], c.material[z(number + 1)]);
    for (int k = static_cast<int>(std::upper_bound(s + 1, s + span.edges, from) - s) - 1; k < span.edges && s[k] < to; ++k)
      f(EdgeIndex(span.first_edge + k), std::min(to, s[k + 1]) - std::max(from, s[k]));
  }
  int rod_that_varies(int node) const;  // to which a node of the model belongs; -1: its rod keeps its mesh

  void cut(int rod, int k, double material);  // segment k in two
  void merge(int rod, int k);                 // segments k and k + 1
  void settle();                              // after all of them: numbers and groups
  bool is_changed() const { return !changed_.empty(); }
  const std::vector<int>& changed() const { return changed_; }  // segments that are new or others than before
  void forget_changes() { changed_.clear(); }

  void begin_step();                                    // nothing is fed
  double pay(double dt);                                // what is owed; its work [J] by the forces as they are
  Vec3 internal_force(int rod, int k, int side) const;  // action of s+ on s-, at the start or end of a segment
  double tension(int rod, int k, int side) const;       // along it
  // Rope comes out at an end, or goes in: the segment there grows at its end, in the velocity field that it has. From `from` on, by `more`.
  struct EndSegment {
    int element = 0;
    Vec3 x = Vec3::Zero(), v = Vec3::Zero(), spin = Vec3::Zero(), a = Vec3::Zero(), a_before = Vec3::Zero();
    double material = 0;  // [m] of the rod's end
  };
  EndSegment end_segment(int rod, int side) const;
  void grow(int rod, int side, const EndSegment& from, double more, double dt);
  double give_at_end(int rod, int side) const;  // [m/N] compliance of the joints at both ends of the segment there

  void visit_state(StateArchive& archive);

 private:
  struct Part {  // of a rod: what it weighs, how it gives
    double mass = 0, rotary1 = 0, rotary2 = 0, stretch = 0;
    Vec3 turn = Vec3::Zero();
  };
  struct Held {  // a side of a joint that is not inside the rod: at an end, or at the node of a joint inside
    int joint = 0, rod = 0;
    bool is_b = false;  // the segment's side
    int side = 0;       // of the segment
    int inner = -1;     // joint inside the rod; -1: at the rod's end `side`
  };
  struct Changing {  // a group with rods that change
    int group = 0;
    std::vector<int> elements, joints;  // that are always there
    std::vector<int> rods;
  };
  struct Ends {                // of a segment or a pair, before it changes
    Vec3 start, end;           // [m]
    Vec3 force[2], moment[2];  // internal, at start and end
    double give[2] = {0, 0};   // [m/N] of the joints there
  };
  Part part(int rod, double from, double to) const;
  Vec3 rest_density(int rod, double material) const;  // natural curvature and twist [rad/m]
  void note_held();
  void note_groups();
  int take_segment();
  int take_joint();
  void free_segment(int element);
  void free_joint(int joint);
  void set_segment(int rod, int k);
  void set_inner_joint(int rod, int i);
  void set_held_joint(const Held& held);
  void touch(int rod, int k);  // segment and its joints, from the material coordinates
  void attach(int rod);        // joints to the segments they join
  template <class F>
  void for_each_joint_at(int rod, int k, int side, F&& f) const;  // f(joint, the segment is b)
  double give(int rod, int k, int side) const;
  Ends ends_of(int rod, int first, int last) const;
  Vec3 elastic_force(int rod, int k, int side) const;
  Vec3 internal_moment(int rod, int k, int side) const;
  void owe(int rod, int k, int side, const Vec3& place);
  void turn_twists(int rod, int k, int side, double by);
  Vec3 spin(std::size_t i) const;
  void set_spin(std::size_t i, const Vec3& spin);
  bool is_sensible(int rod, const Chain& read) const;
  void take(const std::vector<Chain>& read, const std::vector<Element>& owed);

  const Model& model_;
  double inertia_factor_;
  Parts& parts_;
  State& state_;
  bool varies_ = false;
  std::vector<Held> held_;
  std::vector<Changing> changing_;
  std::vector<char> in_pool_, joint_in_pool_;  // may come and go
  std::vector<char> pinned_;                   // joints inside rods at whose node something holds
  std::vector<std::vector<Vec3>> density_;     // per rod that varies and is curved at rest: at the model's inner nodes
  std::vector<int> changed_;
  PathFinder finder_;
};

}  // namespace tendril::cable
