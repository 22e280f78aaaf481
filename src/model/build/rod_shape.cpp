#include "model/build/rod_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/elementary.h"
#include "model/build/fit_lengths.h"
#include "model/framing.h"

namespace tendril {

namespace {

using Size = std::size_t;

// What turns along the rest curve without natural twist: one frame at the first node, one on each edge, one at the last
// node.
struct Stations {
  std::vector<Vec3> tangent, curvature;  // edges + 2: first node, edges, last node
  std::vector<Quat> frame;
};

Stations rest_stations(const ArcLengthCurve& curve, const RodShape& shape) {
  Stations st;
  const auto add = [&](const Vec3& tangent, double s) {
    st.tangent.push_back(tangent);
    st.curvature.push_back(curve.at(s).curvature);
  };
  // The curve's own tangent at both ends, the polygon's on its edges.
  const double L = curve.length();
  add(curve.at(0).tangent, 0);
  for (Size k = 0; k < shape.rest_length.size(); ++k)
    add((shape.rest_point[k + 1] - shape.rest_point[k]).normalized(), 0.5 * L * (shape.fraction[k] + shape.fraction[k + 1]));
  add(curve.at(L).tangent, L);
  return st;
}

void carry_from(Stations& st, Size from, const Quat& frame) {
  st.frame.assign(st.tangent.size(), frame);
  for (Size i = from + 1; i < st.tangent.size(); ++i) st.frame[i] = carried_onto(st.frame[i - 1], st.tangent[i]);
  for (Size i = from; i-- > 0;) st.frame[i] = carried_onto(st.frame[i + 1], st.tangent[i]);
}

// d1 towards the centre of curvature. Where the curvature vanishes the frame is carried on, and past an inflection d1 points
// AWAY from the centre: the section stays continuous instead of jumping by half a turn (a real strip does not jump either).
void follow_curve(Stations& st, const std::optional<Vec3>& d1) {
  // Start at the first place that is curved, for d1 is known there.
  double largest = 0;
  for (const Vec3& c : st.curvature) largest = std::max(largest, c.norm());
  const auto curved = [&](Size i) { return largest > 0 && st.curvature[i].norm() > 1e-6 * largest; };
  Size first = 0;
  while (first < st.tangent.size() && !curved(first)) ++first;
  if (first == st.tangent.size()) {  // straight: nothing to follow
    carry_from(st, 0, frame_from(st.tangent[0], d1.value_or(any_perpendicular(st.tangent[0]))));
    return;
  }
  carry_from(st, first, frame_from(st.tangent[first], st.curvature[first]));
  for (Size i = first + 1; i < st.tangent.size(); ++i) {
    // On from there: towards the centre, or away from it, whichever is nearer to the carried frame.
    const Quat carried = carried_onto(st.frame[i - 1], st.tangent[i]);
    const double side = director(carried, 0).dot(st.curvature[i]) < 0 ? -1 : 1;
    st.frame[i] = curved(i) ? frame_from(st.tangent[i], side * st.curvature[i]) : carried;
  }
  if (!d1) return;
  // A given d1 keeps its angle to the centre of curvature all along.
  const double offset = twist_between(st.frame[0], frame_from(st.tangent[0], *d1), 0);
  for (Quat& frame : st.frame) frame = turned(frame, offset);
}

void add_rest_frames(const Rod& rod, const ArcLengthCurve& curve, RodShape& shape) {
  Stations st = rest_stations(curve, shape);
  const auto edges = shape.rest_length.size();
  // Frames without natural twist: of a bent curve its own; following the curve; or by parallel transport (Bishop frame).
  double own_twist = 0;  // [rad/m] known beforehand, so that a coarse mesh counts whole turns rightly
  if (const auto* bent = std::get_if<BentCurve>(&rod.rest)) {
    own_twist = bent->twist;
    st.frame.push_back(*curve.own_frame(0));
    for (Size k = 0; k < edges; ++k) {
      const double s = 0.5 * curve.length() * (shape.fraction[k] + shape.fraction[k + 1]);
      st.frame.push_back(carried_onto(*curve.own_frame(s), st.tangent[k + 1]));
    }
    st.frame.push_back(*curve.own_frame(curve.length()));
  } else if (rod.follows == SectionFollows::curve) {
    follow_curve(st, rod.d1);
  } else {
    carry_from(st, 0, frame_from(st.tangent[0], rod.d1.value_or(any_perpendicular(st.tangent[0]))));
  }
  // Natural twist turns the section along the rod, counted from its start.
  const double rate = own_twist + rod.natural_twist;
  const Quat rest_start = st.frame.front();
  for (Size k = 0; k < edges; ++k)
    shape.rest_frame.push_back(
        turned(st.frame[k + 1], rod.natural_twist * 0.5 * (shape.material[k] + shape.material[k + 1])));
  const Quat rest_end = turned(st.frame.back(), rod.natural_twist * shape.length());
  shape.first_half_twist = twist_between(rest_start, shape.rest_frame.front(), 0.5 * rate * shape.rest_length.front());
  shape.last_half_twist = twist_between(shape.rest_frame.back(), rest_end, 0.5 * rate * shape.rest_length.back());
  shape.rest_twist.assign(edges, 0.0);
  for (Size k = shape.ring ? 0 : 1; k < edges; ++k) {
    // Twist at each inner node, unwrapped by what is expected there.
    const double expected = rate * shape.dual_length(static_cast<int>(k));
    const Quat& before = shape.rest_frame[k > 0 ? k - 1 : edges - 1];
    // A ring's node 0 carries what closes the frame: minus the holonomy of the rest polygon. Where the rest curve is open
    // there is no such thing, and the weld carries the natural twist of its length like every other node.
    shape.rest_twist[k] = k == 0 && !shape.rest_closed ? expected : twist_between(before, shape.rest_frame[k], expected);
  }
  for (int node = 0; node <= shape.edges; ++node) shape.rest_node_frame.push_back(rest_frame_at_node(shape, node));
}

// Where the section's d1 points at the start of the initial curve: as said; else as the curve says, when the section follows
// curves; else the rest frame carried onto the new direction.
Quat initial_start_frame(const Rod& rod, const ArcLengthCurve& curve, const RodShape& shape) {
  const CurvePoint start = curve.at(0);
  if (rod.initial_d1) return frame_from(start.tangent, *rod.initial_d1);
  const auto* bent = std::get_if<BentCurve>(&*rod.initial);
  if (bent != nullptr && bent->d1) return *curve.own_frame(0);
  const bool curved = start.curvature.norm() * curve.length() > 1e-9;
  if (rod.follows == SectionFollows::curve && curved && !rod.d1) return frame_from(start.tangent, start.curvature);
  return carried_onto(shape.rest_node_frame.front(), start.tangent);
}

// Frames and twist at the start. Each joint has its rest twist plus its share of the initial twist, so that the elastic
// twist is uniform: initial_twist turns over the whole length, from wall to wall, of which an inner node's share is its dual
// length.
//
// A ring is a rod whose ends were turned against each other by ANY angle before they were welded. What its edges' frames
// show at the weld (node 0) is fixed up to whole turns by the other joints and by the holonomy of the polygon; it is not in
// general what an evenly twisted rod should have there. The weld itself keeps the difference: rest_twist of node 0 is set to
// the geometric twist less node 0's share. So frames and unwrapped twists agree with each other, twist - rest_twist is
// uniform, and it sums to exactly 2 pi initial_twist, also for 1.73 turns. (Nothing physical sits at node 0: for an
// isotropic section only the elastic twist counts; an anisotropic one really has a step in its section there, as a rod so
// welded would.)
void add_initial_frames(const Rod& rod, const ArcLengthCurve* initial, RodShape& shape) {
  const auto edges = shape.rest_length.size();
  shape.added_rate = math::two_pi * rod.initial_twist / shape.length();
  const double rate = shape.added_rate;
  const auto direction = [&](Size k) -> Vec3 { return (shape.point[k + 1] - shape.point[k]).normalized(); };
  // Twist at the nodes: that at rest and the share of the initial twist.
  shape.twist = shape.rest_twist;
  for (Size k = 1; k < edges; ++k) shape.twist[k] += rate * shape.dual_length(static_cast<int>(k));
  // The rest frames turned, or, on another curve, frames carried from node to node and turned by the twist.
  if (initial == nullptr) {
    for (Size k = 0; k < edges; ++k)
      shape.frame.push_back(turned(shape.rest_frame[k], rate * 0.5 * (shape.material[k] + shape.material[k + 1])));
  } else {
    const Quat start = initial_start_frame(rod, *initial, shape);
    shape.frame.push_back(
        turned(carried_onto(start, direction(0)), shape.first_half_twist + 0.5 * rate * shape.rest_length[0]));
    for (Size k = 1; k < edges; ++k)
      shape.frame.push_back(turned(carried_onto(shape.frame[k - 1], direction(k)), shape.twist[k]));
  }
  if (shape.ring && (initial != nullptr || rate != 0)) {
    const double share = rate * shape.dual_length(0);
    // The same ring without the initial twist: what its weld would show.
    double added = 0;
    for (Size k = 1; k < edges; ++k) added += rate * shape.dual_length(static_cast<int>(k));
    const double plain = twist_between(turned(shape.frame.back(), -added), shape.frame.front(), shape.rest_twist[0]);
    shape.twist[0] = twist_between(shape.frame.back(), shape.frame.front(), shape.rest_twist[0] + share);
    shape.rest_twist[0] = shape.twist[0] - share;
    shape.weld_turn = shape.rest_twist[0] - plain;
  }
}

// cos of the largest turn between neighbouring edges: beyond about 170 degrees curvature measures lose all meaning.
constexpr double sharpest_cosine = -0.985;

Problems check_polygon(const std::vector<Vec3>& point, bool closed, bool may_fold, const std::string& field) {
  // Finite nodes, no edge without length, no fold.
  const Size edges = point.size() - 1;
  double length = 0;
  for (Size k = 0; k < edges; ++k) length += (point[k + 1] - point[k]).norm();
  const auto complain = [&](std::string what, std::string allowed, std::string remedy) {
    return Problems{{Severity::error, "", field, std::move(what), std::move(allowed), std::move(remedy)}};
  };
  for (const Vec3& p : point)
    if (!p.allFinite()) return complain("a node is not finite", "must be finite", "");
  for (Size k = 0; k < edges; ++k) {
    const double share = (point[k + 1] - point[k]).norm() / length;
    if (!(share > 1e-10))
      return complain(fmt::format("nodes {} and {} are at the same place", k, k + 1), "neighbouring nodes must be apart",
                      "use fewer segments, or take out the double point");
  }
  for (Size k = closed ? 0 : 1; k < edges && !may_fold; ++k) {
    const Size before = k > 0 ? k - 1 : edges - 1;
    const Vec3 a = (point[before + 1] - point[before]).normalized(), b = (point[k + 1] - point[k]).normalized();
    if (a.dot(b) < sharpest_cosine)
      return complain(
          fmt::format("the rod folds back on itself at node {} (it turns by {:.3g} degrees between two segments)", k,
                      math::acos(a.dot(b)) * 180 / math::pi),
          "must turn by less than 170 degrees", "use more segments, or round the corner");
  }
  return {};
}

Problems place_initial(const ArcLengthCurve& rest, const ArcLengthCurve& curve, bool ends_held, RodShape& shape,
                       const std::string& field) {
  const double ratio = curve.length() / rest.length();
  if (!(std::abs(ratio - 1) <= 0.01))
    return {{Severity::error, "", field + ".initial",
             fmt::format("the initial curve is {:.6g} m long but the rest curve {:.6g} m", curve.length(), rest.length()),
             "lengths must agree within 1 %", "scale one of them; a stretched start is reached by moving a clamp"}};
  // Edges keep their rest lengths, so the nodes are fitted to the curve rather than taken from it.
  const FittedPolygon fitted = shape.ring  ? fit_closed(curve, shape.fraction, shape.rest_length)
                               : ends_held ? fit_open(curve, shape.rest_length)
                                           : walk_along(curve, shape.rest_length);
  if (!fitted.fine)
    return {{Severity::error, "", field + ".initial", "the segments do not fit the initial curve", "",
             fmt::format("use more segments than {}", shape.edges)}};
  shape.point = fitted.point;
  for (const double s : fitted.arc_length) shape.tangent.push_back(curve.at(s).tangent);
  return {};
}

}  // namespace

namespace {
// Of a rope over sheaves: falls may run back on themselves, where no frame can be carried along; each has one of its own, and what
// happens on the sheave is no strain.
void give_falls_frames(RodShape& shape) {
  const Size edges = static_cast<Size>(shape.edges);
  for (Size k = 0; k < edges; ++k) {
    const Vec3 t = (shape.rest_point[k + 1] - shape.rest_point[k]).normalized();
    shape.rest_frame[k] = shape.frame[k] = frame_from(t, any_perpendicular(t));
    shape.rest_twist[k] = shape.twist[k] = 0;
  }
  for (Size k = 0; k <= edges; ++k) {
    shape.rest_node_frame[k] = shape.rest_frame[std::min(k, edges - 1)];
    shape.rest_tangent[k] = shape.tangent[k] = director(shape.rest_node_frame[k], 2);
  }
  shape.first_half_twist = shape.last_half_twist = 0;
}
}  // namespace

Checked<RodShape> shape_rod(const Rod& rod, const std::vector<double>& borders, const std::string& field, bool ends_held,
                            bool reeved) {
  // A rod is a ring if it starts closed; an open rest curve may be welded, a closed one cannot start open.
  const ArcLengthCurve rest(rod.rest, rod.d1);
  std::optional<ArcLengthCurve> initial;
  if (rod.initial) initial.emplace(*rod.initial, rod.initial_d1);
  RodShape shape;
  shape.rest_closed = rest.closed();
  shape.ring = initial ? initial->closed() : rest.closed();
  if (rest.closed() && !shape.ring)
    return Problems{{Severity::error, "", field + ".initial", "the rest curve is closed but the initial curve is open", "",
                     "close the initial curve, or open the rest curve"}};
  // Rest polygon: nodes on the rest curve, at the borders of the mesh. Its edges define the rest lengths.
  shape.edges = static_cast<int>(borders.size()) - 1;
  shape.fraction = borders;
  for (const double f : borders) {
    const CurvePoint p = rest.at(f * rest.length());
    shape.rest_point.push_back(p.position);
    shape.rest_tangent.push_back(p.tangent);
  }
  if (rest.closed()) shape.rest_point.back() = shape.rest_point.front();
  if (Problems bad = check_polygon(shape.rest_point, rest.closed(), reeved, field + ".rest"); !bad.empty()) return bad;
  shape.material = {0.0};
  for (Size k = 0; k + 1 < borders.size(); ++k) {
    shape.rest_length.push_back((shape.rest_point[k + 1] - shape.rest_point[k]).norm());
    shape.material.push_back(shape.material.back() + shape.rest_length.back());
  }
  // Rest frames and twist; then the start: another curve with the same lengths, or the rest polygon itself.
  add_rest_frames(rod, rest, shape);
  if (initial) {
    if (Problems bad = place_initial(rest, *initial, ends_held, shape, field); !bad.empty()) return bad;
    if (Problems bad = check_polygon(shape.point, shape.ring, reeved, field + ".initial"); !bad.empty()) return bad;
  } else {
    shape.point = shape.rest_point;
    shape.tangent = shape.rest_tangent;
  }
  add_initial_frames(rod, initial ? &*initial : nullptr, shape);
  if (reeved) give_falls_frames(shape);
  return shape;
}

namespace {

struct FramedPolygon {
  const std::vector<Vec3>& tangent;
  const std::vector<Quat>& frame;
  const std::vector<double>& twist;
  double added_rate;
  bool closed;
};

Quat frame_at_node(const RodShape& shape, const FramedPolygon& polygon, int node) {
  const auto edges = shape.rest_length.size();
  // At a free end: the frame of the only edge, turned back or on by the twist of half an edge.
  const auto k = polygon.closed ? static_cast<Size>(node) % edges : static_cast<Size>(node);
  const Vec3& t = polygon.tangent[k];
  const auto& length = shape.rest_length;
  if (!polygon.closed && k == 0)
    return turned(carried_onto(polygon.frame.front(), t),
                  -(shape.first_half_twist + 0.5 * polygon.added_rate * length.front()));
  if (!polygon.closed && k == edges)
    return turned(carried_onto(polygon.frame.back(), t), shape.last_half_twist + 0.5 * polygon.added_rate * length.back());
  const Size before = k > 0 ? k - 1 : edges - 1;
  // Between two edges: each frame turned by its share of the twist; rounding makes them differ, so the middle is taken.
  const double share = length[before] / (length[before] + length[k]);
  const Quat from_before = turned(carried_onto(polygon.frame[before], t), share * polygon.twist[k]);
  const Quat from_after = turned(carried_onto(polygon.frame[k], t), -(1 - share) * polygon.twist[k]);
  return turned(from_before, 0.5 * twist_between(from_before, from_after, 0));
}

}  // namespace

Quat material_frame_at_node(const RodShape& shape, int node) {
  return frame_at_node(shape, {shape.tangent, shape.frame, shape.twist, shape.added_rate, shape.ring}, node);
}

Quat rest_frame_at_node(const RodShape& shape, int node) {
  return frame_at_node(shape, {shape.rest_tangent, shape.rest_frame, shape.rest_twist, 0.0, shape.rest_closed}, node);
}

}  // namespace tendril
