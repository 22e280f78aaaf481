// long: strengths of barriers, and energy, gradient and matrix of one list of pairs; settling is in settle.cpp.
#include "methods/compact/contacts.h"

#include <algorithm>
#include <cmath>

#include "contact/body_obstacles.h"
#include "methods/compact/coupled.h"
#include "methods/compact/joined.h"
#include "methods/compact/riding.h"

namespace tendril::compact {
namespace {

constexpr double reach_of_radius = 0.02;  // where a barrier begins
constexpr double kept_gap = 0.1;          // of a gap, in one iteration
constexpr double widest = 25;             // barrier of what is driven, over its reach

constexpr double elastic = 1e-3;  // of EI/L^2, where nothing bends the rod against what it touches
constexpr double settling = 3;    // T over the time in which a barrier's reach is fallen through

// Whether something holds the rod, or is driven: then bending may press.
bool may_be_bent(const Model& model, const Chain& chain) {
  const auto holds = [&](const ClampModel& clamp) { return clamp.rod == chain.rod; };
  const auto moves = [](const ObstacleModel& obstacle) { return obstacle.moves(); };
  return std::any_of(model.clamps.begin(), model.clamps.end(), holds) || !model.bodies.empty() || !model.joints.empty() ||
         std::any_of(model.obstacles.begin(), model.obstacles.end(), moves);
}

// What a rod may be pressed with: its weight, its largest load ever, how fast it starts, what bends it. A barrier carries any force,
// at a smaller gap; where it is far stronger than what presses, it stores more than that can hold.
struct Presses {
  double weight = 0, load = 0, motion = 0, bending = 0;  // [N]
};
Presses presses_on(const Model& model, const Part& part) {
  const Chain& chain = part.chain;
  double gravity = model.gravity.norm(), load = 0;
  for (const ChangingGravity& g : model.changing_gravity) gravity = std::max(gravity, g.acceleration.norm());
  const auto largest = [](const Timetable<double>& factor) {
    double most = factor.keys.empty() ? 1 : 0;
    for (const auto& key : factor.keys) most = std::max(most, std::abs(key.value));
    return most;
  };
  for (const NodeLoad& l : model.node_loads)
    if (l.rod == chain.rod) load = std::max(load, largest(l.factor) * l.value.norm() / (l.is_moment ? chain.length : 1.0));
  for (const LineLoad& l : model.line_loads)
    if (l.rod == chain.rod) load = std::max(load, largest(l.factor) * l.force.norm() * (l.to - l.from));
  double kinetic = 0;
  for (std::size_t i = 0; i < chain.mass.size(); ++i) kinetic += 0.5 * chain.mass[i] * part.state.points.v[i].squaredNorm();
  return {chain.total * gravity, load, kinetic / chain.length, chain.EI / (chain.length * chain.length)};
}

}  // namespace

ContactField::ContactField(const Model& model, const Parts& parts)
    : geometry_(model),
      body_of_(add_bodies(model, geometry_)),
      near_(model, geometry_),
      obstacles_(static_cast<int>(model.obstacles.size())) {
  const std::size_t nodes = z(model.material.size()), edges = z(model.rest_length.size());
  x.assign(nodes, Vec3::Zero()), base = x, start = x, moved_by.assign(nodes, 0.0), driven_rod.assign(parts.size(), 0.0);
  raised.assign(parts.size(), 0.0);
  node_at_.resize(nodes), link_of_.resize(edges), rod_of_.resize(edges), boxes_.resize(edges);
  for (const auto& part : parts) {
    const Chain& chain = part->chain;
    node_at_[z(chain.root_node)] = {chain.rod, 0};
    for (int i = 0; i < chain.real(); ++i) {
      const Link& link = chain.links[z(i)];
      link_of_[z(link.edge)] = i, rod_of_[z(link.edge)] = chain.rod;
      if (link.far != chain.root_node) node_at_[z(link.far)] = {chain.rod, i + 1};
    }
    const Presses by = presses_on(model, *part);
    const double other = 0.1 * by.weight + by.load + by.motion;
    force_.push_back(other + (may_be_bent(model, chain) || other == 0 ? 1 : elastic) * by.bending);
    mass_.push_back(chain.total), pull_.push_back((by.weight + by.load + elastic * by.bending) / chain.total);
    ring_.push_back(chain.ring ? chain.real() : HUGE_VAL);
  }
  for (int e = 0; e < geometry_.edges(); ++e) reach_ = std::max(reach_, reach_of_radius * geometry_.radius(e));
  for (int o = 0; o < static_cast<int>(geometry_.obstacles().size()); ++o) {
    is_free_.push_back(body_of(o) >= 0 && model.bodies[z(body_of(o))].moves_freely());
    if (is_free_.back()) free_.push_back(o);
  }
}

double ContactField::moved(int o, const Pose& from, const Pose& to) const {
  return (to.position - from.position).norm() +
         geometry_.obstacles()[z(o)].reach * from.orientation.angularDistance(to.orientation);
}

KeptContact ContactField::named(const NearPair& pair, const GapSlopes& at) const {
  KeptContact c;
  c.key = pair.key, c.normal = at.normal;
  const bool node = pair.node[1] < 0;
  c.a = {rod_of(pair.edge_a), pair.edge_a + (!node ? at.s : geometry_.ends(pair.edge_a)[0] == pair.node[0] ? 0.0 : 1.0)};
  if (pair.is_between_rods()) c.b = {rod_of(pair.edge_b), pair.edge_b + at.t};
  c.obstacle = pair.obstacle;
  return c;
}

Barrier ContactField::barrier_of(const NearPair& pair) const {
  double radius = pair.radius_a, push = force_of(rod_of_[z(pair.edge_a)]);
  if (pair.is_between_rods()) {
    // Means, which are smooth in both: derivatives of equilibria ask for it. Of radii the harmonic one, twice the smaller at most.
    const double other = geometry_.radius(pair.edge_b);
    radius = 2 * radius * other / (radius + other);
    push = 0.5 * (push + force_of(rod_of_[z(pair.edge_b)]));
  }
  return {reach_of_radius * radius, push};
}

Barrier ContactField::barrier_on_way(const NearPair& pair, double c) const {
  Barrier barrier = barrier_of(pair);
  double way = driven_rod[z(rod_of_[z(pair.edge_a)])];
  if (pair.obstacle >= 0) way = std::max(way, driven[z(pair.obstacle)]);
  if (pair.is_between_rods()) way = std::max(way, driven_rod[z(rod_of_[z(pair.edge_b)])]);
  barrier.reach *= std::clamp(0.25 * way / barrier.reach, 1.0, widest);
  barrier.force += c * mass_[z(rod_of_[z(pair.edge_a)])] * way;
  return barrier;
}

void ContactField::begin_boxes() {
  for (Bounds& box : boxes_) box = {};
}
void ContactField::begin_boxes(const Part& part) {
  for (int i = 0; i < part.chain.real(); ++i) boxes_[z(part.chain.links[z(i)].edge)] = {};
}
std::span<const Vec3> ContactField::base_of(const Part& part, std::vector<Vec3>& out) const {
  out.assign(1, base[z(part.chain.root_node)]);
  for (int i = 0; i < part.chain.real(); ++i) out.push_back(base[z(part.chain.links[z(i)].far)]);
  return out;
}
void ContactField::include(const Part& part, std::span<const Vec3> nodes, double pad) {
  for (int i = 0; i < part.chain.real(); ++i) {
    Bounds& box = boxes_[z(part.chain.links[z(i)].edge)];
    const double before = box.is_finite() ? box.extent() : 0;
    Bounds segment;
    segment.include(nodes[z(i)]), segment.include(nodes[z(i + 1)]);
    box.include(segment);
    const double grown = before > 0 ? box.extent() - before : 0;
    if (pad > 0) box = box.padded(pad + 0.5 * std::max(0.0, grown));
  }
}
void ContactField::take_places(const Part& part, std::span<const Vec3> nodes, std::vector<Vec3>& to) const {
  to[z(part.chain.root_node)] = nodes[0];
  for (int i = 0; i < part.chain.real(); ++i)
    if (part.chain.links[z(i)].far != part.chain.root_node) to[z(part.chain.links[z(i)].far)] = nodes[z(i + 1)];
}
double ContactField::most_driven() const {
  double way = 0;
  for (const double d : driven) way = std::max(way, d);
  for (const double d : driven_rod) way = std::max(way, d);
  return way;
}
Found ContactField::list(std::span<const Pose> from, std::span<const Pose> to) {
  listed_to.assign(to.begin(), to.end());
  return near_.list(boxes_, from, to,
                    std::max(reach_, std::min(0.25 * most_driven(), widest * reach_)) + (free_.empty() ? 0 : body_pad));
}
bool ContactField::is_inside(int edge, const Vec3& p, const Vec3& q) const {
  const Bounds& b = boxes_[z(edge)];
  return contains(b, Bounds{p.cwiseMin(q), p.cwiseMax(q)});
}

void check_loaded_points(std::span<const ContactPoint> points, const Model& model, int edges) {
  const auto among = [](int number, auto count) { return number >= -1 && number < static_cast<std::int64_t>(count); };
  for (const ContactPoint& p : points)
    TENDRIL_REQUIRE(among(p.edge_a, edges) && among(p.edge_b, edges) && among(p.obstacle_b, model.obstacles.size()) &&
                        among(p.body_b, model.bodies.size()),
                    "the state is damaged");
}

void Touching::follow_bodies(std::vector<Pose>& poses) const {
  for (const int o : field_.free_bodies())
    if (joined_ != nullptr) poses[z(o)] = joined_->pose(field_.body_of(o));
}
void Touching::set_poses(std::span<const Pose> poses) {
  poses_.assign(poses.begin(), poses.end());
  follow_bodies(poses_);
}

void Touching::take(std::span<const int> rods, std::span<const int> pairs, std::span<const Pose> poses, const Joined* joined,
                    bool goes_on) {
  joined_ = joined;
  rods_.assign(rods.begin(), rods.end()), pairs_.assign(pairs.begin(), pairs.end());
  poses_.assign(poses.begin(), poses.end());
  if (goes_on) follow_bodies(poses_);
  base_poses_.assign(poses_.begin(), poses_.end());
  body_motion_.assign(poses_.size(), 0.0);
  wanted_pad_ = 0;
  base_gap_.resize(pairs_.size()), trial_gap_.resize(pairs_.size());
  start_gap_.resize(pairs_.size()), lambda_.assign(pairs_.size(), -1.0);
  for (std::size_t k = 0; k < pairs_.size(); ++k)
    base_gap_[k] = field_.near().gap(pair(k), field_.base, poses_) + field_.missing_radius;
  outgrown_ = false;
  friction_.clear();
}

void Touching::gather() {
  for (const int rod : rods_) {
    const Chain& chain = parts_[z(rod)]->chain;
    field_.take_places(*parts_[z(rod)], parts_[z(rod)]->problem.places(), field_.x);
    const auto measure = [&](int node) { field_.moved_by[z(node)] = (field_.x[z(node)] - field_.base[z(node)]).norm(); };
    measure(chain.root_node);
    for (const Link& link : chain.links) measure(link.far);
  }
  if (joined_ == nullptr) return;
  follow_bodies(poses_);
  for (const int o : field_.free_bodies()) body_motion_[z(o)] = field_.moved(o, base_poses_[z(o)], poses_[z(o)]);
}

// No point of the pair goes further than this.
double Touching::motion_of(const NearPair& p) const {
  double motion[2] = {0, 0};
  for (std::size_t i = 0; i < 4; ++i)
    if (p.node[i] >= 0) motion[i / 2] = std::max(motion[i / 2], field_.moved_by[z(p.node[i])]);
  return motion[0] + motion[1] + (p.obstacle >= 0 ? body_motion_[z(p.obstacle)] : 0);
}

double Touching::free_fraction() {
  gather();
  double fraction = 1;
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const NearPair& p = pair(k);
    if (p.kind == NearPair::Kind::node_segment) continue;  // its segments say it
    if (motion_of(p) < (1 - kept_gap) * base_gap_[k]) continue;
    fraction = std::min(fraction, free_of(p, base_gap_[k], present()));
  }
  return fraction;
}

double Touching::free_of(const NearPair& p, double gap, const ContactPositions& to) const {
  if (field_.missing_radius == 0) return field_.near().free_fraction(p, before(), to, kept_gap);
  NearPair thinner = p;
  thinner.radii -= field_.missing_radius;
  std::ignore = gap;
  return field_.near().free_fraction(thinner, before(), to, kept_gap);
}

bool Touching::stays_inside() {
  gather();
  bool inside = true;
  for (const int rod : rods_) {
    const Part& part = *parts_[z(rod)];
    const auto places = part.problem.places();
    for (int i = 0; i < part.chain.real() && inside; ++i)
      inside = field_.is_inside(part.chain.links[z(i)].edge, places[z(i)], places[z(i + 1)]);
  }
  for (const int o : field_.free_bodies()) {
    if (joined_ == nullptr) break;
    const double beyond = std::min(field_.moved(o, field_.start_poses[z(o)], poses_[z(o)]),
                                   field_.moved(o, field_.listed_to[z(o)], poses_[z(o)]));
    if (beyond > field_.body_pad) inside = false, wanted_pad_ = std::max(wanted_pad_, beyond);
  }
  if (inside) return true;
  outgrown_ = true;
  wanted_.clear();
  for (const int rod : rods_) {
    const auto places = parts_[z(rod)]->problem.places();
    wanted_.insert(wanted_.end(), places.begin(), places.begin() + parts_[z(rod)]->chain.nodes());
  }
  return false;
}

void Touching::grow_boxes(double pad) {
  field_.body_pad = std::max(field_.body_pad, 2 * wanted_pad_);
  std::size_t at = 0;
  for (const int rod : rods_) {
    const Part& part = *parts_[z(rod)];
    field_.include(part, std::span(wanted_).subspan(at, z(part.chain.nodes())), pad);
    at += z(part.chain.nodes());
  }
}

bool Touching::evaluate(Joined* joined) {
  gather();
  double merit = 0;
  energy_ = 0, least_ = 1;
  active_.clear();
  bool open = true;
  double size = 0;
  for (std::size_t k = 0; k < pairs_.size() && open; ++k) {
    const NearPair& p = pair(k);
    const double motion = motion_of(p);
    const Barrier barrier = on_way_ ? field_.barrier_on_way(p, inertia_) : field_.barrier_of(p);
    if (base_gap_[k] - motion > barrier.reach) {  // as far as it was
      trial_gap_[k] = base_gap_[k] - motion;
      continue;
    }
    trial_gap_[k] = field_.near().gap(p, field_.x, poses_) + field_.missing_radius;
    open = trial_gap_[k] > 0;
    if (open && p.kind != NearPair::Kind::node_segment && motion >= (1 - kept_gap) * base_gap_[k])
      open = free_of(p, base_gap_[k], present()) >= 1;
    if (!open || trial_gap_[k] >= barrier.reach) continue;
    Active a;
    a.pair = pairs_[k];
    field_.near().evaluate(p, field_.x, poses_, a.gap);
    a.gap.at.gap += field_.missing_radius;
    a.push = push_of(barrier, k, a);
    if (a.gap.weight * a.stored == 0) continue;
    energy_ += a.gap.weight * a.stored, merit += a.gap.weight * a.push.energy;
    size += a.gap.weight * std::abs(a.push.slope) * barrier.reach;
    least_ = std::min(least_, a.gap.at.gap / barrier.reach);
    active_.push_back(a);
  }
  if (!open) return false;
  for (const Active& a : active_) {
    const NearPair& p = field_.pairs()[z(a.pair)];
    const int body = field_.free_body(p);
    const Vector12 g = body < 0 ? pair_gradient(a.gap, a.push)
                                : gradient_on_body(field_.near(), p, a.gap, a.push, field_.x, poses_[z(p.obstacle)]);
    if (body >= 0) joined->add_gradient(body, g.segment<3>(6), g.segment<3>(9));
    for (std::size_t i = 0; i < 4; ++i) {
      if (p.node[i] < 0) continue;
      const ContactField::NodeAt& at = field_.of_node(p.node[i]);
      parts_[z(at.rod)]->problem.node_gradient(at.k) += g.segment<3>(3 * static_cast<Eigen::Index>(i));
    }
  }
  const double rubbing = friction_.evaluate(joined);
  if (!rods_.empty()) parts_[z(rods_[0])]->problem.add_energy(merit + rubbing, size + rubbing);
  return true;
}

double Touching::stiffest() const {
  double most = 0;
  for (const Active& a : active_) most = std::max(most, a.gap.weight * a.push.bend);
  return most;
}
double Touching::rounding() const {
  double reach = 0, squares = 0;
  for (const Active& a : active_) {
    reach = std::max(reach, centre_of(field_.pairs()[z(a.pair)], a.gap.at).cwiseAbs().maxCoeff());
    squares += (a.gap.weight * a.push.bend) * (a.gap.weight * a.push.bend);
  }
  return 4e-16 * reach * std::sqrt(squares);
}

void Touching::accept() {
  for (const int rod : rods_) {
    const Part& part = *parts_[z(rod)];
    field_.base[z(part.chain.root_node)] = field_.x[z(part.chain.root_node)];
    for (const Link& link : part.chain.links) field_.base[z(link.far)] = field_.x[z(link.far)];
  }
  std::copy(trial_gap_.begin(), trial_gap_.end(), base_gap_.begin());
  std::copy(poses_.begin(), poses_.end(), base_poses_.begin());
}

// Exact, or the part that is positive: stiffness along the gap.
void Touching::assemble(const Coupled& coupled, FoldedLDLT& matrix, bool exact) const {
  friction_.assemble(coupled, matrix, joined_);
  PairGap again;
  PairBend bend;
  for (const Active& a : active_) {
    const NearPair& p = field_.pairs()[z(a.pair)];
    const int body = field_.free_body(p);
    if (exact) field_.near().evaluate(p, field_.x, poses_, again, &bend);
    Matrix12 h = body < 0
                     ? pair_energy(a.gap, bend, a.push, exact).hessian
                     : energy_on_body(field_.near(), p, a.gap, bend, a.push, field_.x, poses_[z(p.obstacle)], exact).hessian;
    int block[4];
    for (std::size_t i = 0; i < 4; ++i) {
      block[i] = -1;
      if (p.node[i] < 0) continue;
      const ContactField::NodeAt& at = field_.of_node(p.node[i]);
      block[i] = coupled.node_block(at.rod, at.k);
    }
    if (body >= 0) {
      block[2] = joined_->place_block(body), block[3] = joined_->turn_block(body);
      const Mat3 free = joined_->freedom(body);
      for (int i = 6; i < 12; i += 3) h.middleRows<3>(i) = free * h.middleRows<3>(i).eval();
      for (int i = 6; i < 12; i += 3) h.middleCols<3>(i) = h.middleCols<3>(i).eval() * free;
    }
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j <= i; ++j) {
        if (block[i] < 0 || block[j] < 0) continue;
        if (i != j && block[i] == block[j]) {
          const Mat3 both = h.block<3, 3>(3 * i, 3 * j) + h.block<3, 3>(3 * j, 3 * i);
          matrix.add(block[i], block[i], both);
        } else {
          matrix.add(block[i], block[j], h.block<3, 3>(3 * i, 3 * j));
        }
      }
  }
}

bool Touching::free_to_start(std::span<const Pose> to) {
  gather();
  to_.assign(to.begin(), to.end());
  follow_bodies(to_);
  for (std::size_t k = 0; k < pairs_.size(); ++k)
    if (free_of(pair(k), base_gap_[k], {field_.x, to_}) < 1) return false;
  move_to(to_);
  return true;
}

void Touching::move_to(std::span<const Pose> poses) {
  gather();
  set_poses(poses);
  for (std::size_t k = 0; k < pairs_.size(); ++k)
    trial_gap_[k] = field_.near().gap(pair(k), field_.x, poses_) + field_.missing_radius;
  accept();
}

double Touching::free_to_drive(std::span<const Pose> to, std::span<const Vec3> shift) {
  for (std::size_t r = 0; r < rods_.size(); ++r) {
    const Part& part = *parts_[z(rods_[r])];
    const auto move = [&](int node) { field_.x[z(node)] = field_.base[z(node)] + shift[r]; };
    move(part.chain.root_node);
    for (const Link& link : part.chain.links)
      if (link.far != part.chain.root_node) move(link.far);
  }
  to_.assign(to.begin(), to.end());
  follow_bodies(to_);
  double fraction = 1;
  for (std::size_t k = 0; k < pairs_.size(); ++k)
    fraction = std::min(fraction, free_of(pair(k), base_gap_[k], {field_.x, to_}));
  return fraction;
}

}  // namespace tendril::compact
