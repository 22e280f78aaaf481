#include "record/columns.h"

#include <bit>

namespace tendril {

ListCounts counts_of(const Frame& frame) {
  return {frame.position.size(), frame.orientation.size(), frame.twist.size(),
          static_cast<std::int64_t>(frame.contacts.size()), static_cast<std::int64_t>(frame.pulls.size())};
}

FileSizes sizes_of(const Frame& frame, std::size_t probes) {
  return {frame.rods.size(), frame.reactions.size(), frame.bodies.size(), frame.obstacles.size(), probes};
}

namespace {

using Values = std::vector<double>;
constexpr std::size_t rods(const FileSizes& s) { return s.rods; }
constexpr std::size_t clamps(const FileSizes& s) { return s.clamps; }
constexpr std::size_t bodies(const FileSizes& s) { return s.bodies; }
constexpr std::size_t obstacles(const FileSizes& s) { return s.obstacles; }
constexpr std::size_t probes(const FileSizes& s) { return s.probes; }
template <std::size_t n>
constexpr std::size_t always(const FileSizes&) {
  return n;
}

// ---- numbers, one after another ------------------------------------------------------------------------------------------
void put(double v, Values& out) { out.push_back(v); }
void put(const Vec3& v, Values& out) { out.insert(out.end(), {v.x(), v.y(), v.z()}); }
void put(const Quat& q, Values& out) { out.insert(out.end(), {q.w(), q.x(), q.y(), q.z()}); }
void put(const Pose& p, Values& out) { put(p.position, out), put(p.orientation, out); }
void put(const Wrench& w, Values& out) { put(w.force, out), put(w.moment, out); }
void put(const BodyState& b, Values& out) { put(b.pose, out), put(b.motion.linear, out), put(b.motion.angular, out); }
void put(const RodSpan& s, Values& out) {
  for (const int n : {s.nodes, s.edges, s.inner, s.ring ? 1 : 0}) put(n, out);
}
void put(const ContactPoint& c, Values& out) {
  put(c.position, out), put(c.normal, out), put(c.force, out), put(c.gap, out);
  for (const int n : {c.edge_a, c.edge_b, c.obstacle_b, c.body_b}) put(n, out);
}
void put(const Pull& p, Values& out) {
  for (const int n : {p.coupling, p.hand, p.rod, p.body}) put(n, out);
  put(p.material, out), put(p.from, out), put(p.point, out), put(p.force, out), put(p.moment, out);
}
void put_energy(const Energy& e, Values& out) {
  out.insert(out.end(), {e.kinetic, e.bending, e.twisting, e.stretching, e.gravity, e.contact, e.total(), e.shearing});
}

[[noreturn]] void fail_number() { throw RecordError("holds a number that cannot be"); }
int whole(double v) {
  if (!(v >= -2 && v < 2147483647.0)) fail_number();
  return static_cast<int>(v);
}
template <class T>
T number(double v) {
  if constexpr (std::is_same_v<T, double>) return v;
  if constexpr (std::is_same_v<T, int>) return whole(v);
  if (!(v >= 0 && v < 9e15)) fail_number();
  return static_cast<T>(v);
}
void take(const double*& v, double& out) { out = *v++; }
void take(const double*& v, int& out) { out = whole(*v++); }
void take(const double*& v, Vec3& out) { out = Vec3(v[0], v[1], v[2]), v += 3; }
void take(const double*& v, Quat& out) { out = Quat(v[0], v[1], v[2], v[3]), v += 4; }
void take(const double*& v, Pose& out) { take(v, out.position), take(v, out.orientation); }
void take(const double*& v, Wrench& out) { take(v, out.force), take(v, out.moment); }
void take(const double*& v, BodyState& out) { take(v, out.pose), take(v, out.motion.linear), take(v, out.motion.angular); }
void take(const double*& v, RodSpan& out) {
  for (int* n : {&out.nodes, &out.edges, &out.inner}) take(v, *n);
  out.ring = *v++ != 0;
}
void take(const double*& v, ContactPoint& out) {
  take(v, out.position), take(v, out.normal), take(v, out.force), take(v, out.gap);
  for (int* n : {&out.edge_a, &out.edge_b, &out.obstacle_b, &out.body_b}) take(v, *n);
}
void take(const double*& v, Pull& out) {
  for (int* n : {&out.coupling, &out.hand, &out.rod, &out.body}) take(v, *n);
  take(v, out.material), take(v, out.from), take(v, out.point), take(v, out.force), take(v, out.moment);
}
Energy energy_from(const double* v) { return {v[0], v[1], v[2], v[3], v[4], v[5], v[7]}; }  // v[6]: their sum

// ---- lists of a Frame: as many as there are rows, or as many as the file always has --------------------------------------
template <auto list>
void put_list(const RowSource& r, Values& out) {
  for (const auto& value : r.frame.*list) put(value, out);
}
template <class List>
void take_count(const double* v, std::size_t count, List& out) {
  out.resize(static_cast<int>(count));
  for (auto& value : out) take(v, value);
}
template <auto list>
void take_rows(const RowTarget& r) {
  take_count(r.values, r.rows, r.frame.*list);
}
template <auto list, auto size>
void take_fixed(const RowTarget& r) {
  take_count(r.values, r.sizes.*size, r.frame.*list);
}
void take_spans(const RowTarget& r) {
  take_fixed<&Frame::rods, &FileSizes::rods>(r);
  std::int64_t node = 0, edge = 0, inner = 0;
  for (RodSpan& s : r.frame.rods) {
    s.first_node = whole(static_cast<double>(node)), node += s.nodes;
    s.first_edge = whole(static_cast<double>(edge)), edge += s.edges;
    s.first_inner = whole(static_cast<double>(inner)), inner += s.inner;
  }
}

// ---- the table -----------------------------------------------------------------------------------------------------------
#define TENDRIL_NUMBER(of)                                                      \
  [](const RowSource& r, Values& out) { put(static_cast<double>(r.of), out); }, \
      [](const RowTarget& r) { r.of = number<std::decay_t<decltype(r.of)>>(*r.values); }

const Column columns[] = {
    {"time", "s", RowIs::frame, nullptr, 0, false, true, TENDRIL_NUMBER(frame.time)},
    {"step", "steps taken so far", RowIs::frame, nullptr, 0, true, true, TENDRIL_NUMBER(frame.step)},
    {counts_column, "rows of this frame: of nodes, edges, inner nodes, contacts, pulls", RowIs::frame, always<lists>, 0,
     true, false,
     [](const RowSource& r, Values& out) {
       for (const std::int64_t n : counts_of(r.frame)) put(static_cast<double>(n), out);
     },
     [](const RowTarget&) {}},
    {checksums_column, "of the values of this frame: those that are plotted, the others", RowIs::frame, always<2>, 0, true,
     true,
     [](const RowSource&, Values& out) {
       out.insert(out.end(), {0, 0});
     },  // filled in by append
     [](const RowTarget&) {}},
    {"rods/spans", "of each rod: nodes, edges, inner nodes, ring", RowIs::frame, rods, 4, true, true, put_list<&Frame::rods>,
     take_spans},
    {"material", "of the nodes: arc length in the rest rod, m", RowIs::node, nullptr, 0, false, false,
     put_list<&Frame::material>, take_rows<&Frame::material>},
    {"positions", "of the nodes, m", RowIs::node, nullptr, 3, false, false, put_list<&Frame::position>,
     take_rows<&Frame::position>},
    {"velocities", "of the nodes, m/s", RowIs::node, nullptr, 3, false, false, put_list<&Frame::velocity>,
     take_rows<&Frame::velocity>},
    {"moments", "internal, at the nodes, action of s+ on s-, world axes, N m", RowIs::node, nullptr, 3, false, false,
     put_list<&Frame::moment>, take_rows<&Frame::moment>},
    {"orientations", "material frames of the edges as quaternions w, x, y, z; d3 = tangent", RowIs::edge, nullptr, 4, false,
     false, put_list<&Frame::orientation>, take_rows<&Frame::orientation>},
    {"spin", "angular velocity of the edges, world axes, rad/s", RowIs::edge, nullptr, 3, false, false,
     put_list<&Frame::spin>, take_rows<&Frame::spin>},
    {"forces", "internal, of the edges, action of s+ on s-, world axes, N", RowIs::edge, nullptr, 3, false, false,
     put_list<&Frame::force>, take_rows<&Frame::force>},
    {"twist", "at inner nodes, unwrapped, rad", RowIs::inner_node, nullptr, 0, false, true, put_list<&Frame::twist>,
     take_rows<&Frame::twist>},
    {"energies",
     "measured, the same for every method: kinetic, bending, twisting, stretching, gravity, contact, total, shearing, J",
     RowIs::frame, always<8>, 0, false, true, [](const RowSource& r, Values& out) { put_energy(r.measures.energy, out); },
     [](const RowTarget& r) { r.measures.energy = energy_from(r.values); }},
    {"own_energies", "that the scheme itself conserves; columns as in energies, J", RowIs::frame, always<8>, 0, false, false,
     [](const RowSource& r, Values& out) { put_energy(r.frame.own_energy, out); },
     [](const RowTarget& r) { r.frame.own_energy = energy_from(r.values); }},
    {"energy_flow",
     "since the start; work of clamps, loads, changing gravity, hands and couplings, wind, obstacles, driven bodies; taken "
     "by damping, drag, friction, impacts, J",
     RowIs::frame, always<parts_of_flow>, 0, false, true,
     [](const RowSource& r, Values& out) {
       for_each_component(r.frame.flow, [&out](const char*, double part) { put(part, out); });
     },
     [](const RowTarget& r) {
       const double* v = r.values;
       for_each_component(r.frame.flow, [&v](const char*, double& part) { part = *v++; });
     }},
    {"momentum", "linear (kg m/s), angular about the origin (kg m^2/s)", RowIs::frame, always<2>, 3, false, false,
     [](const RowSource& r, Values& out) { put(r.measures.momentum, out), put(r.measures.angular_momentum, out); },
     [](const RowTarget& r) {
       const double* v = r.values;
       take(v, r.measures.momentum), take(v, r.measures.angular_momentum);
     }},
    {"gravity", "in force, world axes, m/s^2", RowIs::frame, nullptr, 3, false, false,
     [](const RowSource& r, Values& out) { put(r.frame.gravity, out); },
     [](const RowTarget& r) {
       const double* v = r.values;
       take(v, r.frame.gravity);
     }},
    {"load_factor", "of loads and paths in a statics ramp; else 1", RowIs::frame, nullptr, 0, false, false,
     TENDRIL_NUMBER(frame.load_factor)},
    {"reactions", "of each clamp on its rod: force (N), moment (N m), world axes", RowIs::frame, clamps, 6, false, false,
     put_list<&Frame::reactions>, take_fixed<&Frame::reactions, &FileSizes::clamps>},
    {"clamps", "where each is or would hold: position (m), orientation w, x, y, z", RowIs::frame, clamps, 7, false, false,
     put_list<&Frame::clamps>, take_fixed<&Frame::clamps, &FileSizes::clamps>},
    {"bodies", "position (m), orientation w, x, y, z, velocity (m/s), angular velocity (rad/s), world axes", RowIs::frame,
     bodies, 13, false, false, put_list<&Frame::bodies>, take_fixed<&Frame::bodies, &FileSizes::bodies>},
    {"obstacles", "position (m), orientation w, x, y, z", RowIs::frame, obstacles, 7, false, false,
     put_list<&Frame::obstacles>, take_fixed<&Frame::obstacles, &FileSizes::obstacles>},
    {"pulls",
     "of couplings and hands: coupling (-1: a hand), hand (0: a coupling), rod, body (-1: none), arc length of the point "
     "held "
     "in the rest rod (m), where the hand is (m), where the point is (m), force (N), moment (N m)",
     RowIs::pull, nullptr, 17, false, false, put_list<&Frame::pulls>, take_rows<&Frame::pulls>},
    {"contacts/points",
     "position (m), normal from b to a, force on a (N), gap (m; < 0: overlap), edge a, edge b, obstacle b, body b (-1: "
     "none)",
     RowIs::contact, nullptr, 14, false, false, put_list<&Frame::contacts>, take_rows<&Frame::contacts>},
    {"solver/iterations", "of the solver that limits, in the last step", RowIs::frame, nullptr, 0, true, true,
     TENDRIL_NUMBER(frame.report.iterations)},
    {"solver/residual", "of that solver, in its own scale", RowIs::frame, nullptr, 0, false, true,
     TENDRIL_NUMBER(frame.report.residual)},
    {"solver/outcome", "0 fine, 1 not converged, 2 diverged", RowIs::frame, nullptr, 0, true, true,
     [](const RowSource& r, Values& out) { put(static_cast<double>(r.frame.report.outcome), out); },
     [](const RowTarget& r) {
       if (!(r.values[0] >= 0 && r.values[0] <= static_cast<double>(Outcome::diverged))) fail_number();
       r.frame.report.outcome = static_cast<Outcome>(static_cast<int>(r.values[0]));
     }},
    {"solver/verdict", "of an equilibrium: 0 not asked, 1 a load has no energy, 2 unstable directions are counted",
     RowIs::frame, nullptr, 0, true, true,
     [](const RowSource& r, Values& out) { put(static_cast<int>(r.frame.report.verdict.kind), out); },
     [](const RowTarget& r) {
       if (!(r.values[0] >= 0 && r.values[0] <= static_cast<double>(Verdict::Kind::counted))) fail_number();
       r.frame.report.verdict.kind = static_cast<Verdict::Kind>(static_cast<int>(r.values[0]));
     }},
    {"solver/unstable", "directions in which the energy of an equilibrium falls, where counted", RowIs::frame, nullptr, 0,
     true, true, [](const RowSource& r, Values& out) { put(r.frame.report.verdict.unstable, out); },
     [](const RowTarget& r) { r.frame.report.verdict.unstable = whole(r.values[0]); }},
    {"solver/softest", "eigenvalue of the softest mode, over the method's unit of stiffness; NaN: not known", RowIs::frame,
     nullptr, 0, false, true, TENDRIL_NUMBER(frame.report.verdict.softest)},
    {"solver/energy_error", "of the energy balance, over solver/energy_scale; NaN: no balance (statics)", RowIs::frame,
     nullptr, 0, false, true, TENDRIL_NUMBER(measures.energy_error)},
    {"solver/energy_scale", "the energy that moved so far, by which the error is divided, J", RowIs::frame, nullptr, 0,
     false, true, TENDRIL_NUMBER(measures.energy_scale)},
    {"solver/length_error", "worst relative change of an edge's length", RowIs::frame, nullptr, 0, false, true,
     TENDRIL_NUMBER(measures.length_error)},
    {"solver/penetration", "worst overlap over radius", RowIs::frame, nullptr, 0, false, true,
     TENDRIL_NUMBER(measures.penetration)},
    {"probes/values", "of every probe; the columns are named in probes/columns", RowIs::frame, probes, 0, false, true,
     [](const RowSource& r, Values& out) {
       for (const ProbeValue& probe : r.measures.probes) out.insert(out.end(), probe.value.begin(), probe.value.end());
     },
     [](const RowTarget& r) {
       const double* v = r.values;
       for (ProbeValue& probe : r.measures.probes)
         for (double& value : probe.value) value = *v++;
     }},
};
#undef TENDRIL_NUMBER

}  // namespace

// FNV-1a by words instead of bytes: each step is a bijection of the word, so that no single change goes unnoticed but for the
// bits that number() leaves out.
void FrameChecksum::add(std::span<const double> values) {
  for (const double value : values) hash_ = (hash_ ^ std::bit_cast<std::uint64_t>(value)) * 1099511628211ull;
}

std::span<const Column> all_columns() { return columns; }

void check_frame(const Frame& f, bool plotted) {
  const auto require = [](bool fine) {
    if (!fine) throw RecordError("has arrays that do not belong together");
  };
  const auto among = [](int number, auto count) { return number >= -1 && number < static_cast<std::int64_t>(count); };
  std::int64_t node = 0, edge = 0, inner = 0;
  for (const RodSpan& s : f.rods) {
    // Spans make sense, and arrays have as many entries as they say.
    require(s.nodes >= 2 && s.edges == (s.ring ? s.nodes : s.nodes - 1) && s.inner == (s.ring ? s.nodes : s.nodes - 2));
    node += s.nodes, edge += s.edges, inner += s.inner;
  }
  require(f.twist.size() == inner);
  if (plotted) return;
  for (const std::int64_t size : {f.material.size(), f.position.size(), f.velocity.size(), f.moment.size()})
    require(size == node);
  for (const std::int64_t size : {f.orientation.size(), f.spin.size(), f.force.size()}) require(size == edge);
  // Numbers of edges, obstacles, bodies and rods exist.
  for (const ContactPoint& c : f.contacts)
    require(among(c.edge_a, edge) && among(c.edge_b, edge) && among(c.obstacle_b, f.obstacles.size()) &&
            among(c.body_b, f.bodies.size()));
  for (const Pull& p : f.pulls) require(among(p.rod, f.rods.size()) && among(p.body, f.bodies.size()));
}

}  // namespace tendril
