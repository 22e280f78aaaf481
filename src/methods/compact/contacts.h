// Contact as part of the energy: a barrier on every gap within a few percent of the radius (contact/barrier.h).
//
// Every place that Newton's method accepts has all gaps open, and the straight motion of the nodes to it is free: so nothing passes
// through anything, at any step, force or speed. Pairs are known within boxes around the segments; what would leave its box makes
// the boxes grow, and the solution goes on from where it is.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "contact/barrier.h"
#include "contact/contact_watch.h"
#include "contact/near_pairs.h"
#include "linear/folded_ldlt.h"
#include "methods/compact/friction.h"
#include "methods/compact/part.h"

namespace tendril::compact {

class Coupled;
class Joined;

// What all rods share.
class ContactField {
 public:
  ContactField(const Model& model, const Parts& parts);

  struct NodeAt {
    int rod = 0, k = 0;  // of the chain
  };
  const NodeAt& of_node(int node) const { return node_at_[z(node)]; }
  int link_of(int edge) const { return link_of_[z(edge)]; }
  int rod_of(int edge) const { return rod_of_[z(edge)]; }
  double segments_of_ring(int rod) const { return rod < 0 ? HUGE_VAL : ring_[z(rod)]; }  // infinite: it is none
  KeptContact named(const NearPair& pair, const GapSlopes& at) const;  // who touches where, nothing kept yet
  const NearPairs& near() const { return near_; }
  const ContactGeometry& geometry() const { return geometry_; }
  std::span<const NearPair> pairs() const { return near_.pairs(); }
  double force_of(int rod) const { return raised[z(rod)] > 0 ? raised[z(rod)] : force_[z(rod)]; }  // of its barriers [N]
  Barrier barrier_of(const NearPair& pair) const;
  // T of barrier_since: things that a barrier parts rise by less than a tenth of its reach.
  double settling_time(const NearPair& pair) const;
  double stored(std::span<const Pose> poses) const;  // [J] by all pairs at the last accepted places
  // Of things driven against rods of inertia c, or rods against things, on the way: it reaches further and is stronger, so that rods are
  // pushed ahead.
  Barrier barrier_on_way(const NearPair& pair, double c) const;
  int body_of(int obstacle) const { return obstacle >= obstacles_ ? body_of_[z(obstacle - obstacles_)] : -1; }
  std::span<const int> free_bodies() const { return free_; }  // obstacles that are bodies whose pose is unknown
  bool is_free(int obstacle) const { return obstacle >= 0 && is_free_[z(obstacle)] != 0; }
  int free_body(const NearPair& pair) const { return is_free(pair.obstacle) ? body_of(pair.obstacle) : -1; }
  // At most, of any point of an obstacle between two poses [m].
  double moved(int obstacle, const Pose& from, const Pose& to) const;

  void begin_boxes();                  // none yet
  void begin_boxes(const Part& part);  // of a rod alone
  // Places of a rod's nodes, root first; `pad` and half of what they have grown by beyond.
  void include(const Part& part, std::span<const Vec3> nodes, double pad = 0);
  void take_places(const Part& part, std::span<const Vec3> nodes, std::vector<Vec3>& to) const;
  std::span<const Vec3> base_of(const Part& part,
                                std::vector<Vec3>& out) const;  // its nodes' last accepted places, root first
  double reach() const { return reach_; }
  double most_driven() const;  // of obstacles and roots [m]
  Found list(std::span<const Pose> from, std::span<const Pose> to);
  bool is_inside(int edge, const Vec3& p, const Vec3& q) const;

  std::vector<Vec3> x, base, start;  // flat nodes: present place, last accepted one, last level
  std::vector<double> moved_by;      // [m] from base to x
  std::vector<Pose> start_poses;     // of obstacles, at the last level
  std::vector<KeptContact> kept;     // of the last level, by key
  std::vector<Pose> listed_to;       // poses that pairs were looked for up to
  double body_pad = 0;               // [m] and how far free bodies may go beyond
  std::vector<double> driven;        // [m] what obstacles are to go in this step; free bodies 0
  std::vector<double> driven_rod;    // [m] what held roots are to go in it, by rod
  std::vector<double> raised;        // [N] force of barriers that was found to be needed, by rod; 0: what the model says
  double missing_radius = 0;         // [m] of what was too near at the start, as long as it has not grown back

 private:
  ContactGeometry geometry_;
  std::vector<int> body_of_;
  NearPairs near_;
  std::vector<NodeAt> node_at_;
  std::vector<int> link_of_, rod_of_;  // of edges
  std::vector<double> force_, mass_;   // of barriers [N], of the whole [kg], by rod
  std::vector<double> ring_;           // segments of rings, by rod; infinite
  std::vector<double> pull_;           // acceleration by what presses [m/s^2], by rod
  std::vector<Bounds> boxes_;          // of edges
  double reach_ = 0;                   // largest [m]
  std::vector<char> is_free_;          // by obstacle
  std::vector<int> free_;
  int obstacles_ = 0;  // that are no bodies
};

void check_loaded_points(std::span<const ContactPoint> points, const Model& model, int edges);

// What contacts did in a step [J].
struct ContactWork {
  double obstacles = 0, friction = 0, impacts = 0;
};

// The contacts of an island.
class Touching {
 public:
  Touching(ContactField& field, Parts& parts) : field_(field), parts_(parts), friction_(field, parts) {}
  // Free bodies are where they are at `poses`, or, where the island goes on, where `joined` has them.
  void take(std::span<const int> rods, std::span<const int> pairs, std::span<const Pose> poses, const Joined* joined,
            bool goes_on);

  // `joined` takes the gradient of free bodies.
  bool evaluate(
      Joined* joined);  // at the present place: energy and gradient to the problems; false: not open, or not reached freely
  double free_fraction();  // of the motion from the last accepted place to the present one
  bool stays_inside();     // of the boxes; if not, they are to grow
  bool outgrown() const { return outgrown_; }
  void grow_boxes(double pad);  // by where it wanted to go
  void accept();                // the present place is reached
  void assemble(const Coupled& coupled, FoldedLDLT& matrix, bool exact) const;
  // How much of what obstacles and held roots are to do is free: they go from `poses` and from where nodes are, by `shift` of each rod.
  double free_to_drive(std::span<const Pose> to, std::span<const Vec3> shift);
  bool free_to_start(
      std::span<const Pose> to);  // from the last accepted place to where the problems stand; if so, it is accepted
  void set_poses(std::span<const Pose> poses);
  // What is driven is not yet where it goes; h: length of the step, 0: an equilibrium.
  void set_on_way(bool on_way, double c, double h) { on_way_ = on_way, inertia_ = c, step_ = h; }
  void move_to(std::span<const Pose> poses);  // the problems' present place is accepted, with these
  // Friction with the forces of the last level (round 0), or of the present place. False: there is none.
  bool set_friction(int round);
  bool is_hit() const;
  bool may_rub() const;  // something that presses now has friction
  // At the solution: what a Frame shows, what is remembered, what it did.
  void settle(bool hit, std::vector<ContactPoint>& points, std::vector<KeptContact>& kept, ContactWork& work) const;
  std::span<const Pose> poses() const { return poses_; }

  struct Active {  // a pair that pushes
    int pair = 0;
    PairGap gap;
    BarrierValue push;  // as it acts in this step
    double stored = 0;  // [J] of the barrier
    double lambda = 0;  // of barrier_since
  };
  std::span<const Active> active() const { return active_; }
  double energy() const { return energy_; }
  double least_gap() const { return least_; }  // over its reach; 1: nothing touches
  double stiffest() const;                     // along a gap, of what pushes [N/m]
  double rounding() const;                     // of its forces [N]

 private:
  double gap_before(const NearPair& pair) const;  // at the last level
  struct Kept {
    double energy = 0;  // [J]
    bool is_faded = false;
  };
  Kept kept_before(const NearPair& pair) const;
  BarrierValue push_of(const Barrier& barrier, std::size_t k, Active& active);
  double not_given_back(const NearPair& pair, const Active* active) const;  // [J]
  void rub(const NearPair& pair, const GapSlopes& at, double force);
  double taken_by(const Active& active) const;  // [J]
  const NearPair& pair(std::size_t k) const { return field_.pairs()[z(pairs_[k])]; }
  Vec3 obstacle_shift(const NearPair& pair, const GapSlopes& at) const;
  Vec3 centre_of(const NearPair& pair, const GapSlopes& at) const;
  void gather();  // places of the problems' nodes, and of bodies
  void follow_bodies(std::vector<Pose>& poses) const;
  double motion_of(const NearPair& pair) const;
  double free_of(const NearPair& pair, double gap, const ContactPositions& to) const;
  ContactPositions before() const { return {field_.base, base_poses_}; }
  ContactPositions present() const { return {field_.x, poses_}; }

  ContactField& field_;
  Parts& parts_;
  std::vector<int> rods_, pairs_;
  std::vector<double> base_gap_, trial_gap_;
  std::vector<double> start_gap_, lambda_;     // of barrier_since; -1: not looked at yet
  std::vector<Pose> poses_, base_poses_, to_;  // present; last accepted
  std::vector<double> body_motion_;            // by obstacle, from accepted to present [m]
  const Joined* joined_ = nullptr;
  std::vector<Active> active_;
  Friction friction_;
  std::vector<Vec3> wanted_;
  double energy_ = 0, least_ = 1;
  double wanted_pad_ = 0, inertia_ = 0, step_ = 0;
  bool outgrown_ = false, on_way_ = false;
};

}  // namespace tendril::compact
