#include "record/columns.h"

namespace tendril {

FrameSizes sizes_of(const Frame& frame, std::size_t clamps, std::size_t probes) {
  return {static_cast<std::size_t>(frame.position.size()),
          static_cast<std::size_t>(frame.orientation.size()),
          static_cast<std::size_t>(frame.twist.size()),
          clamps,
          probes,
          frame.bodies.size()};
}

namespace {

using Values = std::vector<double>;
constexpr std::size_t single(const FrameSizes&) { return 0; }
constexpr std::size_t nodes(const FrameSizes& s) { return s.nodes; }
constexpr std::size_t edges(const FrameSizes& s) { return s.edges; }
constexpr std::size_t inner(const FrameSizes& s) { return s.inner; }
constexpr std::size_t clamps(const FrameSizes& s) { return s.clamps; }
constexpr std::size_t bodies(const FrameSizes& s) { return s.bodies; }
constexpr std::size_t probes(const FrameSizes& s) { return s.probes; }
constexpr std::size_t eight(const FrameSizes&) { return 8; }
constexpr std::size_t two(const FrameSizes&) { return 2; }

void put(const Vec3& v, Values& out) { out.insert(out.end(), {v.x(), v.y(), v.z()}); }
template <class Array>
void put_all(const Array& array, Values& out) {
  for (const Vec3& v : array) put(v, out);
}
void put_energy(const Energy& e, Values& out) {
  out.insert(out.end(), {e.kinetic, e.bending, e.twisting, e.stretching, e.gravity, e.contact, e.total(), e.shearing});
}

const Column columns[] = {
    {"time", "s", single, 0, false, [](const RowSource& r, Values& out) { out.push_back(r.frame.time); }},
    {"step", "steps taken so far", single, 0, true,
     [](const RowSource& r, Values& out) { out.push_back(static_cast<double>(r.frame.step)); }},
    {"material", "of the nodes: arc length in the rest rod, m", nodes, 0, false,
     [](const RowSource& r, Values& out) { out.insert(out.end(), r.frame.material.begin(), r.frame.material.end()); }},
    {"positions", "of the nodes, m", nodes, 3, false,
     [](const RowSource& r, Values& out) { put_all(r.frame.position, out); }},
    {"velocities", "of the nodes, m/s", nodes, 3, false,
     [](const RowSource& r, Values& out) { put_all(r.frame.velocity, out); }},
    {"moments", "internal, at the nodes, action of s+ on s-, world axes, N m", nodes, 3, false,
     [](const RowSource& r, Values& out) { put_all(r.frame.moment, out); }},
    {"orientations", "material frames of the edges as quaternions w, x, y, z; d3 = tangent", edges, 4, false,
     [](const RowSource& r, Values& out) {
       for (const Quat& q : r.frame.orientation) out.insert(out.end(), {q.w(), q.x(), q.y(), q.z()});
     }},
    {"spin", "angular velocity of the edges, world axes, rad/s", edges, 3, false,
     [](const RowSource& r, Values& out) { put_all(r.frame.spin, out); }},
    {"forces", "internal, of the edges, action of s+ on s-, world axes, N", edges, 3, false,
     [](const RowSource& r, Values& out) { put_all(r.frame.force, out); }},
    {"twist", "at inner nodes, unwrapped, rad", inner, 0, false,
     [](const RowSource& r, Values& out) { out.insert(out.end(), r.frame.twist.begin(), r.frame.twist.end()); }},
    {"energies",
     "measured, the same for every method: kinetic, bending, twisting, stretching, gravity, contact, total, shearing, J",
     eight, 0, false, [](const RowSource& r, Values& out) { put_energy(r.measures.energy, out); }},
    {"own_energies", "that the scheme itself conserves; columns as in energies, J", eight, 0, false,
     [](const RowSource& r, Values& out) { put_energy(r.frame.own_energy, out); }},
    {"momentum", "linear (kg m/s), angular about the origin (kg m^2/s)", two, 3, false,
     [](const RowSource& r, Values& out) { put(r.measures.momentum, out), put(r.measures.angular_momentum, out); }},
    {"reactions", "of each clamp on its rod: force (N), moment (N m), world axes", clamps, 6, false,
     [](const RowSource& r, Values& out) {
       for (const Wrench& w : r.reactions) put(w.force, out), put(w.moment, out);
     }},
    {"bodies", "position (m), orientation w, x, y, z, velocity (m/s), angular velocity (rad/s), world axes", bodies, 13,
     false,
     [](const RowSource& r, Values& out) {
       for (const BodyState& b : r.frame.bodies) {
         const Quat& q = b.pose.orientation;
         put(b.pose.position, out);
         out.insert(out.end(), {q.w(), q.x(), q.y(), q.z()});
         put(b.motion.linear, out), put(b.motion.angular, out);
       }
     }},
    {"solver/iterations", "of the solver that limits, in the last step", single, 0, true,
     [](const RowSource& r, Values& out) { out.push_back(r.frame.report.iterations); }},
    {"solver/residual", "of that solver, in its own scale", single, 0, false,
     [](const RowSource& r, Values& out) { out.push_back(r.frame.report.residual); }},
    {"solver/outcome", "0 fine, 1 not converged, 2 diverged", single, 0, true,
     [](const RowSource& r, Values& out) { out.push_back(static_cast<double>(r.frame.report.outcome)); }},
    {"solver/negative_pivots", "directions in which an equilibrium is no minimum; -1: not asked, -2: loads without energy",
     single, 0, true, [](const RowSource& r, Values& out) { out.push_back(r.frame.report.negative_pivots); }},
    {"solver/drift", "change of total energy since the start over the largest energy seen", single, 0, false,
     [](const RowSource& r, Values& out) { out.push_back(r.measures.drift); }},
    {"solver/length_error", "worst relative change of an edge's length", single, 0, false,
     [](const RowSource& r, Values& out) { out.push_back(r.measures.length_error); }},
    {"solver/penetration", "worst overlap over radius", single, 0, false,
     [](const RowSource& r, Values& out) { out.push_back(r.measures.penetration); }},
    {"contacts/count", "contacts of this frame; they stand in contacts/points", single, 0, true,
     [](const RowSource& r, Values& out) { out.push_back(static_cast<double>(r.frame.contacts.size())); }, 3},
    {"probes/values", "of every probe; the columns are named in probes/columns", probes, 0, false,
     [](const RowSource& r, Values& out) {
       for (const ProbeValue& probe : r.measures.probes) out.insert(out.end(), probe.value.begin(), probe.value.end());
     }},
};

}  // namespace

std::span<const Column> all_columns() { return columns; }

}  // namespace tendril
