#include "methods/strands/mesh.h"

#include <algorithm>
#include <cmath>

namespace tendril::strands {

int Mesh::node_of(int edge_node) const {
  int node = 0;
  for (int e = 0; e < edge_node; ++e) node += parts[z(e)];
  return node;
}

void Mesh::fill(Strand& strand) const {
  strand.segments.clear();
  for (std::size_t e = 0; e < edges.size(); ++e) {
    Segment part = edges[e];
    part.h /= parts[e];
    strand.segments.insert(strand.segments.end(), z(parts[e]), part);
  }
}

std::vector<double> local_errors(const Strand& strand, const std::vector<State>& states) {
  std::vector<double> error(strand.segments.size());
  const double length = strand.length();
  for (int j = 0; j < strand.last(); ++j) {
    const Segment& s = strand.segments[z(j)];
    // From the same far state, the screw of this order against the screw of a higher one.
    State far = states[z(j + 1)];
    if (j + 1 < strand.last()) cross_node(strand, j + 1, far);
    const V world = s.loaded_world ? into_material(far.q, s.world_force) : V{0, 0, 0};
    EndStrains<double> ends;
    const auto apart = [&](const Screw<double>& a, const Screw<double>& b) {
      return norm(a.w - b.w) + norm(a.t - b.t) / length;
    };
    if (strand.order == 1) {
      error[z(j)] =
          apart(segment_screw<1>(s, strand.law, far.x, world, ends), segment_screw<2>(s, strand.law, far.x, world, ends));
    } else if (strand.order == 2) {
      error[z(j)] =
          apart(segment_screw<2>(s, strand.law, far.x, world, ends), segment_screw<4>(s, strand.law, far.x, world, ends));
    } else {  // stages 2 and 3: both are the middle
      const Strain<double> e1 = strain_at(s, strand.law, far.x);
      const Stress<double> k1 = back_rate(e1, far.x);
      const Stress<double> x2{far.x.m + (0.5 * s.h) * k1.m, far.x.n + (0.5 * s.h) * (k1.n + world + s.material_force)};
      const Strain<double> e2 = strain_at(s, strand.law, x2);
      const Stress<double> k2 = back_rate(e2, x2);
      const Stress<double> x3{far.x.m + (0.5 * s.h) * k2.m, far.x.n + (0.5 * s.h) * (k2.n + world + s.material_force)};
      const Strain<double> e3 = strain_at(s, strand.law, x3);
      error[z(j)] = s.h / 3 * (norm(e3.u - e2.u) + norm(e3.v - e2.v) / length);
    }
  }
  return error;
}

std::vector<int> wanted_parts(const Mesh& mesh, const Strand& strand, const std::vector<State>& states, double tolerance) {
  std::vector<int> wanted(mesh.parts.size(), 1);
  const std::vector<double> error =
      tolerance > 0 ? local_errors(strand, states) : std::vector<double>(strand.segments.size());
  const double length = strand.length();
  // The local error per length falls with the part's length, or with its square from second order on.
  const bool squared = strand.order > 1;
  int j = 0;
  for (std::size_t e = 0; e < mesh.parts.size(); ++e) {
    // Of each edge: error over its share of the tolerance, and the angle it turns by.
    double worst = 0, turn = 0;
    for (int p = 0; p < mesh.parts[e]; ++p, ++j) {
      const Segment& s = strand.segments[z(j)];
      if (tolerance > 0) worst = std::max(worst, error[z(j)] / (tolerance * s.h / length));
      turn += s.h * norm(strain_at(s, strand.law, states[z(j)].x).u);
    }
    // Parts that keep both small enough.
    double count = turn / max_turn;
    if (worst > 0) count = std::max(count, mesh.parts[e] * (squared ? std::sqrt(worst) : worst));
    wanted[e] = std::clamp(static_cast<int>(std::ceil(count * (1 + 1e-9))), 1, max_parts);
  }
  return wanted;
}

std::vector<State> moved_to(const Mesh& from, const Mesh& to, const std::vector<State>& states) {
  std::vector<State> result;
  int first = 0;
  for (std::size_t e = 0; e < from.edges.size(); ++e) {
    for (int p = 0; p < to.parts[e]; ++p) {
      // A node of the new mesh lies between two of the old one: positions and stress linearly, orientations along the
      // shortest turn.
      const double place = static_cast<double>(p) * from.parts[e] / to.parts[e];
      const int k = std::min(static_cast<int>(place), from.parts[e] - 1);
      const double t = place - k;
      const State &a = states[z(first + k)], &b = states[z(first + k + 1)];
      State at = a;
      if (t > 0) {
        at.r = (1 - t) * a.r + t * b.r;
        at.q = normalized(a.q * to_small(exp_quat(to_eigen(V(t * log_of(Quaternion(conjugate(a.q) * b.q)))))));
        at.x = {(1 - t) * a.x.m + t * b.x.m, (1 - t) * a.x.n + t * b.x.n};
      }
      result.push_back(at);
    }
    first += from.parts[e];
  }
  result.push_back(states.back());
  return result;
}

}  // namespace tendril::strands
