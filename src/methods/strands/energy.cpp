// Assembly: energy, gradient, second variation.
#include "methods/strands/energy.h"

#include <algorithm>
#include <cmath>

#include "methods/strands/ends.h"

namespace tendril::strands {
namespace {

// (1 - +[w]/2 + d [w]^2) x: the left Jacobian's inverse for sign = -1, the right one's for sign = +1.
template <class T>
V3<T> inverse_jacobian_times(const V3<T>& w, const V3<T>& x, double sign, const T& d) {
  const V3<T> wx = cross(w, x);
  return x + (0.5 * sign) * wx + d * cross(w, wx);
}

M3<double> diagonal(const V& v) { return {{v.x, 0, 0}, {0, v.y, 0}, {0, 0, v.z}}; }

}  // namespace

// With R_near exp(a), R_far exp(b):  dw = -Jl^-1 a + Jr^-1 b, and the gradient is (-Jr^-1 m, Jl^-1 m). Its derivative along
// a direction, made symmetric in each node's own block, is the second derivative of the energy in exponential coordinates.
SegmentDerivatives segment_derivatives(const Segment& s, const Law& law, const Quaternion& near, const Quaternion& far) {
  // Forward-mode differentiation: w with its derivatives along the six small turns of the two nodes, three each.
  const V w0 = log_of(Quaternion(conjugate(near) * far));
  const M3<double> left = left_jacobian_inverse(w0), right = transpose(left);
  V3<Jet> w{w0.x, w0.y, w0.z};
  for (int i = 0; i < 3; ++i) {
    for (int d = 0; d < 3; ++d) w[i].low[d] = -left(i, d);
    w[i].low[3] = right(i, 0), w[i].high[0] = right(i, 1), w[i].high[1] = right(i, 2);
  }
  // Moments by the law, tangent included.
  const auto moment = [&](double compliance, const Jet& turn, double rest) {
    const Jet e = (1 / s.h) * turn - rest;
    const LawValue m = moment_of(law, 1 / compliance, e.value);
    return chain(e, m.value, m.tangent);
  };
  const V3<Jet> m{moment(s.compliance.x, w.x, s.u_rest.x), moment(s.compliance.y, w.y, s.u_rest.y),
                  moment(s.compliance.z, w.z, s.u_rest.z)};
  // Inverse Jacobians of the logarithm at w, applied to the moment: gradient with its derivatives.
  const Jet square = squared_norm(w);
  const auto log = log_coefficient(Dual<double>(square.value, 1.0));
  const Jet d = chain(square, log.value, log.slope);
  const V3<Jet> a = -inverse_jacobian_times(w, m, 1, d), b = inverse_jacobian_times(w, m, -1, d);
  SegmentDerivatives out;
  for (int i = 0; i < 6; ++i) {
    // Values are the gradient, slopes the second derivative; made symmetric below.
    const Jet& g = i < 3 ? a[i] : b[i - 3];
    out.gradient[i] = g.value;
    for (int k = 0; k < 6; ++k) out.hessian[i][k] = g.slope(k);
  }
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < i; ++k) out.hessian[i][k] = out.hessian[k][i] = 0.5 * (out.hessian[i][k] + out.hessian[k][i]);
  return out;
}

SegmentGradient segment_gradient(const Segment& s, const Law& law, const Quaternion& near, const Quaternion& far) {
  const V w = log_of(Quaternion(conjugate(near) * far));
  V m;
  for (int i = 0; i < 3; ++i) m[i] = moment_of(law, 1 / s.compliance[i], w[i] / s.h - s.u_rest[i]).value;
  const double d = log_coefficient(squared_norm(w));
  return {-inverse_jacobian_times(w, m, 1, d), inverse_jacobian_times(w, m, -1, d)};
}

void EnergyDescent::resize(const Strand& strand) {
  const int n = strand.nodes();
  q_.assign(z(n), {1, 0, 0, 0});
  kept_q_ = q_;
  span_of_.assign(strand.segments.size(), -1);
  near_force_.assign(strand.segments.size(), {0, 0, 0});
  far_force_ = near_force_;
  find_spans(strand);
  force_.assign(spans_.size(), {0, 0, 0});
  kept_force_ = gap_ = force_;
  fixed_.assign(z(3 * n), 0);
  matrix_.resize(3 * n, 5);
  border_.resize(3 * n, 3 * static_cast<int>(spans_.size()));
  gradient_.assign(z(3 * n) + 3 * spans_.size(), 0);
  step_ = soft_ = correction_ = gradient_;
  shift_.assign(z(3 * n), 0);
  scales_ = Scales::of(strand);
}

void EnergyDescent::find_spans(const Strand& strand) {
  supports_.clear(), spans_.clear();
  // Supports: held positions, and springs where nothing is held, as supports with softness 1/k.
  for (const HeldNode& hold : strand.holds)
    if (hold.position) supports_.push_back({hold.node, hold.r, 0});
  for (const Spring& spring : strand.springs) {
    const HeldNode* hold = strand.hold_at(spring.node);
    if (spring.k > 0 && !(hold && hold->position)) supports_.push_back({spring.node, spring.r, 1 / spring.k});
  }
  std::sort(supports_.begin(), supports_.end(), [](const Support& a, const Support& b) { return a.node < b.node; });
  std::fill(span_of_.begin(), span_of_.end(), -1);
  // A span between two neighbouring supports has one unknown force; before the first and after the last it is known.
  first_held_ = supports_.empty() ? 0 : supports_.front().node;
  for (std::size_t i = 0; i + 1 < supports_.size(); ++i) {
    spans_.push_back({supports_[i].node, supports_[i + 1].node});
    for (int j = spans_.back().from; j < spans_.back().to; ++j) span_of_[z(j)] = static_cast<int>(i);
  }
}

// The jump of the force at a support; before the first one lies what the loads before it need.
V EnergyDescent::support_force(std::size_t i) const {
  const V beyond = i < spans_.size() ? force_[i] : V{0, 0, 0};
  return (i > 0 ? force_[i - 1] : before_) - beyond;
}

// Positions by the trapezoid, from the first support that is held, or from where the first spring is stretched to.
void EnergyDescent::find_positions(const Strand& strand, std::vector<V>& r, bool give) const {
  r.resize(q_.size());
  if (supports_.empty()) return;
  // Start at a support that is held, if there is one.
  std::size_t base = 0;
  for (std::size_t i = supports_.size(); i-- > 0;)
    if (supports_[i].softness == 0) base = i;
  const Support& support = supports_[base];
  // Mean of the two ends' stretched tangents, times the length.
  const auto step_of = [&](int j) {
    const Segment& s = strand.segments[z(j)];
    const auto end = [&](const Quaternion& q, const V& force) {
      const V v = give ? s.v_rest + scaled(s.give, into_material(q, force + force_beyond(j))) : s.v_rest;
      return into_world(q, v);
    };
    return (0.5 * s.h) * (end(q_[z(j)], near_force_[z(j)]) + end(q_[z(j + 1)], far_force_[z(j)]));
  };
  // From there in both directions.
  r[z(support.node)] = support.r - support.softness * support_force(base);
  for (int j = support.node; j < strand.last(); ++j) r[z(j + 1)] = r[z(j)] + step_of(j);
  for (int j = support.node - 1; j >= 0; --j) r[z(j)] = r[z(j + 1)] - step_of(j);
}

// The force of the loads beyond each end of each segment; what turns with the strand is taken as it is turned now.
void EnergyDescent::find_forces(const Strand& strand) {
  // From the far end to the near end: loads on nodes and along segments are added up.
  V sum{0, 0, 0};
  const auto add_node = [&](int node) {
    const int index = strand.load_at[z(node)];
    if (index < 0) return;
    if (const HeldNode* hold = strand.hold_at(node); hold && hold->position) return;  // the hold bears it
    const StrandLoad& load = strand.loads[z(index)];
    sum += load.world_force + into_world(q_[z(node)], load.material_force);
  };
  for (int j = strand.last() - 1; j >= 0; --j) {
    const Segment& s = strand.segments[z(j)];
    add_node(j + 1);
    far_force_[z(j)] = sum;
    if (s.loaded_world) sum += s.h * s.world_force;
    if (s.loaded_material)
      sum += (0.5 * s.h) * (into_world(q_[z(j)], s.material_force) + into_world(q_[z(j + 1)], s.material_force));
    near_force_[z(j)] = sum;
  }
  add_node(0);
  before_ = -sum;
}

void EnergyDescent::hold_orientations(const Strand& strand) {
  std::fill(fixed_.begin(), fixed_.end(), 0);
  for (const HeldNode& hold : strand.holds) {
    if (!hold.direction) continue;
    // Held nodes turn to their holds; a hold without twist leaves the third row, about the tangent, free.
    q_[z(hold.node)] = held_orientation(hold, q_[z(hold.node)]);
    for (int i = 0; i < (hold.twist ? 3 : 2); ++i) fixed_[z(3 * hold.node + i)] = 1;
  }
}

void EnergyDescent::load(const Strand& strand, const std::vector<State>& states) {
  for (std::size_t i = 0; i < q_.size(); ++i) q_[i] = states[i].q;
  find_spans(strand);
  find_forces(strand);
  for (std::size_t p = 0; p < spans_.size(); ++p) {
    const int j = spans_[p].from;  // behind the span's first node: force beyond it, the span's own included
    force_[p] = into_world(states[z(j)].q, states[z(j)].x.n) - near_force_[z(j)];
  }
}

double EnergyDescent::energy(const Strand& strand) const {
  double sum = 0;
  for (int j = 0; j < strand.last(); ++j) {
    const Segment& s = strand.segments[z(j)];
    // Elastic energy of the strain, less the work of the forces beyond along the tangents.
    const V w = log_of(Quaternion(conjugate(q_[z(j)]) * q_[z(j + 1)]));
    for (int i = 0; i < 3; ++i) sum += s.h * energy_of(strand.law, 1 / s.compliance[i], w[i] / s.h - s.u_rest[i]);
    const V extra = j < first_held_ ? before_ : V{0, 0, 0};
    sum -= 0.5 * s.h * dot(near_force_[z(j)] + extra, into_world(q_[z(j)], s.v_rest));
    sum -= 0.5 * s.h * dot(far_force_[z(j)] + extra, into_world(q_[z(j + 1)], s.v_rest));
  }
  for (const Spring& spring : strand.springs)
    for (const TurningSpring& turning : spring.turning)
      sum += 0.5 * turning.k * squared_norm(log_of(Quaternion(conjugate(q_[z(spring.node)]) * turning.q)));
  return sum;
}

void EnergyDescent::add_segment(const Strand& strand, int j) {
  const SegmentDerivatives d = segment_derivatives(strand.segments[z(j)], strand.law, q_[z(j)], q_[z(j + 1)]);
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k <= i; ++k) matrix_.add(3 * j + i, 3 * j + k, d.hessian[i][k]);
}

// -c (F . R v + F R give R^T F / 2), c = h/2; f = R^T F, v = v_rest + give f.
void EnergyDescent::add_end(const Segment& s, int node, const V& force, int span, bool give) {
  const double c = 0.5 * s.h;
  const Quaternion& q = q_[z(node)];
  const V f = into_material(q, force), v = give ? s.v_rest + scaled(s.give, f) : s.v_rest, gradient = -c * cross(v, f);
  for (int i = 0; i < 3; ++i) gradient_[z(3 * node + i)] += gradient[i];
  if (span >= 0) gap_[z(span)] += c * into_world(q, v);
}
void EnergyDescent::add_end_curvature(const Segment& s, int node, const V& force, int span, bool give) {
  const double c = 0.5 * s.h;
  const Quaternion& q = q_[z(node)];
  const V f = into_material(q, force);
  const M3<double> S = give ? diagonal(s.give) : diagonal({0, 0, 0}), R = matrix_of(q);
  const V v = s.v_rest + S * f;
  // Second derivative by the node's turn, made symmetric.
  const M3<double> second = -c * (skew(v) * skew(f) - skew(f) * S * skew(f));
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k <= i; ++k) matrix_.add(3 * node + i, 3 * node + k, 0.5 * (second(i, k) + second(k, i)));
  if (span < 0) return;
  // Border: how the span's length changes with the turn; corner: how it stretches with its force.
  const M3<double> mixed = -c * ((skew(v) - skew(f) * S) * transpose(R)), corner = -c * (R * S * transpose(R));
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) border_.column(3 * node + i, 3 * span + k) += mixed(i, k);
    for (int k = 0; k <= i; ++k) border_.add_corner(3 * span + i, 3 * span + k, corner(i, k));
  }
}

void EnergyDescent::add_node_moments(const Strand& strand) {
  const auto add = [&](int node, const V& moment) {
    for (int i = 0; i < 3; ++i) gradient_[z(3 * node + i)] -= moment[i];
  };
  for (const StrandLoad& load : strand.loads)
    add(load.node, into_material(q_[z(load.node)], load.world_moment) + load.material_moment);
  for (const Spring& spring : strand.springs)
    for (const TurningSpring& turning : spring.turning)
      add(spring.node, turning.k * log_of(Quaternion(conjugate(q_[z(spring.node)]) * turning.q)));
}
void EnergyDescent::add_node_curvature(const Strand& strand) {
  for (const Spring& spring : strand.springs) {
    const int row = 3 * spring.node;
    for (const TurningSpring& turning : spring.turning) {
      const M3<double> inverse = left_jacobian_inverse(log_of(Quaternion(conjugate(q_[z(spring.node)]) * turning.q)));
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k <= i; ++k) matrix_.add(row + i, row + k, 0.5 * turning.k * (inverse(i, k) + inverse(k, i)));
    }
  }
}

void EnergyDescent::fix(int row) {
  // A held turn becomes an equation of its own with a positive pivot of usual size.
  for (int other = std::max(0, row - 5); other <= std::min(matrix_.size() - 1, row + 5); ++other)
    matrix_.entry(row, other) = 0;
  matrix_.entry(row, row) = scales_.moment;
  for (int k = 0; k < border_.border(); ++k) border_.column(row, k) = 0;
}

V EnergyDescent::force_beyond(int j) const {
  const int span = span_of_[z(j)];
  return span >= 0 ? force_[z(span)] : (j < first_held_ ? before_ : V{0, 0, 0});
}

void EnergyDescent::assemble_gradient(const Strand& strand, bool give) {
  std::fill(gradient_.begin(), gradient_.end(), 0.0);
  for (std::size_t p = 0; p < spans_.size(); ++p) {
    const Support &a = supports_[p], &b = supports_[p + 1];
    // Constraint of each span: support to support; the tangents are added below. Springs give way by their force.
    gap_[p] = a.r - b.r - a.softness * support_force(p) + b.softness * support_force(p + 1);
  }
  for (int j = 0; j < strand.last(); ++j) {
    const Segment& s = strand.segments[z(j)];
    const V beyond = force_beyond(j);
    // Bending and twist, and the moments of the forces at both ends of each segment.
    const SegmentGradient d = segment_gradient(s, strand.law, q_[z(j)], q_[z(j + 1)]);
    for (int i = 0; i < 3; ++i) gradient_[z(3 * j + i)] += d.near[i], gradient_[z(3 * j + 3 + i)] += d.far[i];
    add_end(s, j, near_force_[z(j)] + beyond, span_of_[z(j)], give);
    add_end(s, j + 1, far_force_[z(j)] + beyond, span_of_[z(j)], give);
  }
  add_node_moments(strand);
  for (int row = 0; row < matrix_.size(); ++row)
    if (fixed_[z(row)]) gradient_[z(row)] = 0;
  for (std::size_t p = 0; p < spans_.size(); ++p)
    for (int i = 0; i < 3; ++i) gradient_[z(matrix_.size()) + 3 * p + z(i)] = -gap_[p][i];
}

void EnergyDescent::assemble(const Strand& strand, bool give) {
  assemble_gradient(strand, give);
  matrix_.set_zero();
  border_.set_zero();
  for (std::size_t p = 0; p < spans_.size(); ++p) {
    const Support &a = supports_[p], &b = supports_[p + 1];
    const int row = 3 * static_cast<int>(p);
    for (int i = 0; i < 3; ++i) {
      // Springs: compliances in the corner of the border, coupling neighbouring spans.
      border_.add_corner(row + i, row + i, -a.softness - b.softness);
      if (p + 1 < spans_.size()) border_.add_corner(row + i, row + 3 + i, b.softness);
    }
  }
  for (int j = 0; j < strand.last(); ++j) {
    const Segment& s = strand.segments[z(j)];
    const V beyond = force_beyond(j);
    // Bending and twist, and the forces at both ends of each segment.
    add_segment(strand, j);
    add_end_curvature(s, j, near_force_[z(j)] + beyond, span_of_[z(j)], give);
    add_end_curvature(s, j + 1, far_force_[z(j)] + beyond, span_of_[z(j)], give);
  }
  add_node_curvature(strand);
  for (int row = 0; row < matrix_.size(); ++row)
    if (fixed_[z(row)]) fix(row);
}

}  // namespace tendril::strands
