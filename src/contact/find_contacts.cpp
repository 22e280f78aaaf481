#include "contact/find_contacts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "contact/contact_search.h"
#include "math/pack.h"
#include "math/transport.h"

namespace tendril {

using Size = std::size_t;

namespace {
// Fixed, so that the order of contacts does not depend on the number of threads. Pairs: a multiple of the pack size.
constexpr Size segments_per_chunk = 4096, pairs_per_chunk = 1024;
}  // namespace

Found find_contacts(const ContactGeometry& geometry, const ContactPositions& before, const ContactPositions& after,
                    ContactWorkspace& workspace, std::vector<Touch>& out) {
  TENDRIL_REQUIRE(static_cast<int>(before.nodes.size()) == geometry.nodes() && before.nodes.size() == after.nodes.size(),
                  "one position for each node of the model, before and after");
  TENDRIL_REQUIRE(
      before.obstacles.size() == geometry.obstacles().size() && after.obstacles.size() == before.obstacles.size(),
      "one pose for each obstacle, before and after");
  return ContactSearch(geometry, before, after, workspace, out).run();
}

double safe_fraction(std::span<const Touch> contacts) {
  double fraction = 1;
  for (const Touch& c : contacts) fraction = std::min(fraction, c.time);
  return fraction;
}

Found ContactSearch::run() {
  out_.clear();
  if (!measure()) return Found::not_finite;
  if (!pairs_are_known() && !search_pairs()) return Found::too_many;
  meet_all_segments();
  remove_twins();
  meet_obstacles();
  const auto by_key = [](const Touch& x, const Touch& y) { return x.key < y.key; };
  if (!std::is_sorted(out_.begin(), out_.end(), by_key)) std::sort(out_.begin(), out_.end(), by_key);
  return Found::fine;
}

bool ContactSearch::measure() {
  auto& boxes = work_.now_;
  const Size edges = static_cast<Size>(geometry_.edges()), all = edges + geometry_.obstacles().size();
  boxes.resize(all);
  work_.motion_.resize(edges);
  work_.note_.resize(edges);
  // Every segment with where it goes; every obstacle.
  work_.finite_.assign(edges / segments_per_chunk + 1, 1);
  in_chunks(edges, segments_per_chunk, [&](Size chunk, Size from, Size to) {
    for (Size e = from; e < to; ++e) {
      const Moving m = moving(static_cast<int>(e));
      Bounds b;
      b.low = m.from.p0.cwiseMin(m.from.p1).cwiseMin(m.to.p0.cwiseMin(m.to.p1));
      b.high = m.from.p0.cwiseMax(m.from.p1).cwiseMax(m.to.p0.cwiseMax(m.to.p1));
      boxes[e] = b;
      work_.motion_[e] = m.farthest();
      if (!std::isfinite(work_.motion_[e]) || !m.to.p0.allFinite() || !m.to.p1.allFinite()) work_.finite_[chunk] = 0;
    }
  });
  bool finite = std::find(work_.finite_.begin(), work_.finite_.end(), 0) == work_.finite_.end();
  for (Size o = 0; o + edges < all; ++o) {
    boxes[edges + o] = bounds_of_obstacle(static_cast<int>(o));
    finite = finite && boxes[edges + o].is_finite();
  }
  return finite;
}

// Where it is during the motion. One that turns may be anywhere in the ball it sweeps. Half-spaces, which are everywhere,
// are not part of the search: they get a box without size at their point.
Bounds ContactSearch::bounds_of_obstacle(int obstacle) const {
  const ObstacleGeometry& o = geometry_.obstacles()[static_cast<Size>(obstacle)];
  Bounds b;
  const bool turns = before_.obstacles[static_cast<Size>(obstacle)].orientation.coeffs() !=
                     after_.obstacles[static_cast<Size>(obstacle)].orientation.coeffs();
  for (const ContactPositions* p : {&before_, &after_}) {
    const Pose& pose = p->obstacles[static_cast<Size>(obstacle)];
    Bounds here;
    if (o.is_half_space()) {
      here = {pose.position, pose.position};
    } else if (turns) {
      here = Bounds{pose.position, pose.position}.padded(o.reach);
    } else {
      const Mat3 r = pose.orientation.toRotationMatrix();
      const Vec3 centre = pose.position + r * o.bounds.centre();
      const Vec3 half = r.cwiseAbs() * (0.5 * (o.bounds.high - o.bounds.low));
      here = {centre - half, centre + half};
    }
    b.include(here);
  }
  return b;
}

// `known_` are boxes grown by half the skin, and all pairs of these that come within radii and margin are listed (a Verlet
// list). As long as everything stays inside its box, no other pair can have come near.
bool ContactSearch::pairs_are_known() const {
  if (work_.known_.size() != work_.now_.size() || work_.revision_ != geometry_.revision()) return false;
  for (Size i = 0; i < work_.now_.size(); ++i)
    if (!contains(work_.known_[i], work_.now_[i])) return false;
  return true;
}

bool ContactSearch::search_pairs() {
  ++work_.searches_;
  work_.revision_ = geometry_.revision();
  const int edges = geometry_.edges();
  const auto& obstacles = geometry_.obstacles();
  // Boxes of segments and obstacles, grown by the skin, and once more by what counts as near.
  work_.known_.clear(), work_.searched_.clear();
  for (Size i = 0; i < work_.now_.size(); ++i) {
    const double radius = static_cast<int>(i) < edges ? geometry_.radius(static_cast<int>(i)) : 0;
    work_.known_.push_back(work_.now_[i].padded(0.5 * geometry_.skin()));
    work_.searched_.push_back(work_.known_.back().padded(radius + 0.5 * geometry_.margin()));
  }
  // Pairs that may touch at all; two obstacles never do.
  const auto wanted = [&](int a, int b) {
    if (b < edges) return geometry_.may_touch(a, b);
    return a < edges && !obstacles[static_cast<Size>(b - edges)].is_half_space() && !geometry_.is_excluded(a, b - edges);
  };
  const Size most = 1000 + 200 * static_cast<Size>(edges) * (1 + obstacles.size());
  if (!work_.grid_.find(work_.searched_, wanted, most, work_.pairs_)) {
    work_.known_.clear();
    return false;
  }
  // Those with obstacles in a list of their own, by obstacle.
  work_.at_obstacles_.clear();
  const auto with_obstacle = [edges](const BoxPair& p) { return p.second >= edges; };
  for (const BoxPair& p : work_.pairs_)
    if (with_obstacle(p)) work_.at_obstacles_.emplace_back(p.second - edges, p.first);
  work_.pairs_.erase(std::remove_if(work_.pairs_.begin(), work_.pairs_.end(), with_obstacle), work_.pairs_.end());
  std::sort(work_.at_obstacles_.begin(), work_.at_obstacles_.end());
  return true;
}

void ContactSearch::meet_all_segments() {
  const Size count = work_.pairs_.size();
  work_.met_.resize(std::max(work_.met_.size(), count / pairs_per_chunk + 1));
  for (std::vector<Touch>& met : work_.met_) met.clear();
  in_chunks(count, pairs_per_chunk,
            [&](Size chunk, Size from, Size to) { meet_some_segments(from, to, work_.met_[chunk]); });
  for (const std::vector<Touch>& met : work_.met_) out_.insert(out_.end(), met.begin(), met.end());
}

// Four pairs at a time: most of them are not near, and their distance before the motion shows that.
void ContactSearch::meet_some_segments(Size from, Size to, std::vector<Touch>& out) const {
  const auto& pairs = work_.pairs_;
  for (Size k = from; k < to; k += pack_size) {
    const int lanes = static_cast<int>(std::min<Size>(pack_size, to - k));
    std::array<std::array<double, pack_size>, 12> x;
    for (int lane = 0; lane < pack_size; ++lane) {
      const auto& [a, b] = pairs[k + static_cast<Size>(std::min(lane, lanes - 1))];
      const int nodes[4] = {geometry_.ends(a)[0], geometry_.ends(a)[1], geometry_.ends(b)[0], geometry_.ends(b)[1]};
      for (Size i = 0; i < 12; ++i)
        x[i][static_cast<Size>(lane)] = node(before_, nodes[i / 3])[static_cast<Eigen::Index>(i % 3)];
    }
    const auto point = [&x](Size i) {
      return V3<Pack>{load_pack(x[i].data()), load_pack(x[i + 1].data()), load_pack(x[i + 2].data())};
    };
    const ClosestPoints<Pack> first = closest_points(point(0), point(3), point(6), point(9));
    for (int lane = 0; lane < lanes; ++lane) {
      const auto& [a, b] = pairs[k + static_cast<Size>(lane)];
      meet_segments(a, b, {first.s[lane], first.t[lane], lane_of(first.apart, lane), first.squared[lane]}, out);
    }
  }
}

void ContactSearch::meet_segments(int a, int b, const ClosestPoints<double>& first, std::vector<Touch>& out) const {
  const auto closest = [](const Segment& p, const Segment& q) {
    return closest_points(to_small(p.p0), to_small(p.p1), to_small(q.p0), to_small(q.p1));
  };
  // Too far apart to meet in this motion, however they move.
  const double d0 = std::sqrt(first.squared),
               motion = work_.motion_[static_cast<Size>(a)] + work_.motion_[static_cast<Size>(b)];
  const double radii = geometry_.radius(a) + geometry_.radius(b);
  if (d0 - motion > radii + geometry_.margin()) return;
  const Moving ma = moving(a), mb = moving(b);
  // Passing through: the first instant at which they come too near.
  const double limit = std::min(passing_core * radii, 0.5 * d0);
  if (d0 - motion <= limit && d0 > 0) {
    struct Look {
      double distance, approach;
    };
    const double time = time_of_impact(
        [&](double t) {
          const auto c = t == 0 ? first : closest(ma.at(t), mb.at(t));
          const double d = std::sqrt(c.squared);
          const Vec3 n = to_eigen(c.apart) / d;
          return Look{d, ma.approach(n) + mb.approach(-n)};
        },
        limit);
    if (time < 1) return add_pair(a, b, closest(ma.at(time), mb.at(time)), time, out);
  }
  // Touching at the end.
  const auto last = motion > 0 ? closest(ma.to, mb.to) : first;
  if (std::sqrt(last.squared) <= radii + geometry_.margin()) add_pair(a, b, last, 1, out);
}

void ContactSearch::add_pair(int a, int b, const ClosestPoints<double>& at, double time, std::vector<Touch>& out) const {
  const Segment pa = moving(a).to, pb = moving(b).to;
  Touch c;
  c.key = ContactKey::between_edges(geometry_.edge_number(a), geometry_.edge_number(b));
  c.edge_a = a, c.edge_b = b;
  c.s = at.s, c.t = at.t, c.time = time;
  c.radius_a = geometry_.radius(a), c.radius_b = geometry_.radius(b);
  c.friction = geometry_.friction();
  const double d = std::sqrt(at.squared);
  if (d > 0) {
    c.normal = to_eigen(at.apart) / d;
  } else {  // they cross: any direction perpendicular to both
    const Vec3 u = pa.p1 - pa.p0, n = u.cross(pb.p1 - pb.p0);
    c.normal = n.norm() > 0 ? n.normalized() : u.norm() > 0 ? any_perpendicular(Vec3(u.normalized())) : Vec3::UnitZ();
  }
  c.gap = c.normal.dot(pa.at(c.s) - pb.at(c.t)) - (c.radius_a + c.radius_b);
  out.push_back(c);
}

// Pairs that share a node and meet there report the same contact up to four times. The earliest, else the first, is kept.
void ContactSearch::remove_twins() {
  auto& twins = work_.twins_;
  twins.clear();
  const auto feature = [&](int edge, double place) {  // an odd number: a node; an even one: the edge between its nodes
    const auto& ends = geometry_.ends(edge);
    const int twice = place <= 0 ? 2 * ends[0] + 1 : place >= 1 ? 2 * ends[1] + 1 : 2 * edge;
    return static_cast<std::uint64_t>(twice);
  };
  for (Size i = 0; i < out_.size(); ++i) {
    const Touch& c = out_[i];
    if (c.s > 0 && c.s < 1 && c.t > 0 && c.t < 1) continue;
    const std::uint64_t a = feature(c.edge_a, c.s), b = feature(c.edge_b, c.t);
    twins.emplace_back((a << 32) | b, static_cast<std::uint32_t>(i));
  }
  if (twins.empty()) return;
  std::sort(twins.begin(), twins.end());
  for (Size from = 0; from < twins.size();) {
    Size to = from, keep = from;
    for (; to < twins.size() && twins[to].first == twins[from].first; ++to)
      if (out_[twins[to].second].time < out_[twins[keep].second].time) keep = to;
    for (Size k = from; k < to; ++k)
      if (k != keep) out_[twins[k].second].edge_a = -1;
    from = to;
  }
  out_.erase(std::remove_if(out_.begin(), out_.end(), [](const Touch& c) { return c.edge_a < 0; }), out_.end());
}

}  // namespace tendril
