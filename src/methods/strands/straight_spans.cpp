// Spans that lie straight: pushed together, pulled longer, or taut under a load across.
#include <algorithm>
#include <cmath>

#include "methods/strands/ends.h"
#include "methods/strands/energy.h"

namespace tendril::strands {
namespace {
struct SpanShape {
  V reached{0, 0, 0};  // from end to end, as it lies
  double length = 0;   // at rest
};
SpanShape shape_between(const Strand& strand, const std::vector<Quaternion>& q, int from, int to) {
  SpanShape shape;
  for (int j = from; j < to; ++j) {
    const Segment& s = strand.segments[z(j)];
    shape.reached += (0.5 * s.h) * (into_world(q[z(j)], s.v_rest) + into_world(q[z(j + 1)], s.v_rest));
    shape.length += s.h;
  }
  return shape;
}
}  // namespace

// Shortening goes with the square of the bend: a hundredth of what is asked for is a tenth of the bend.
bool EnergyDescent::lies_straight_but_shortened(const Strand& strand, const std::vector<State>& states) {
  load(strand, states);
  for (std::size_t p = 0; p < spans_.size(); ++p) {
    if (squared_norm(strand.segments[z(spans_[p].from)].give) > 0) continue;
    const SpanShape shape = shape_between(strand, q_, spans_[p].from, spans_[p].to);
    const double missing = shape.length - norm(supports_[p + 1].r - supports_[p].r);
    if (missing > 1e-12 * shape.length && shape.length - norm(shape.reached) < 0.01 * missing) return true;
  }
  return false;
}

bool EnergyDescent::pushed_while_taut(const Strand& strand, const std::vector<State>& states) {
  load(strand, states);
  for (std::size_t p = 0; p < spans_.size(); ++p) {
    if (supports_[p].softness > 0 || supports_[p + 1].softness > 0) continue;
    if (squared_norm(strand.segments[z(spans_[p].from)].give) > 0) continue;
    const SpanShape shape = shape_between(strand, q_, spans_[p].from, spans_[p].to);
    const V apart = supports_[p + 1].r - supports_[p].r;
    if (norm(apart) < (1 - 1e-12) * shape.length || norm(shape.reached) < (1 - 1e-9) * shape.length) continue;
    // A force across the span that changes along it is a load across; one that does not is borne by the ends.
    const V t = (1 / norm(apart)) * apart, first = near_force_[z(spans_[p].from)];
    for (int j = spans_[p].from; j < spans_[p].to; ++j) {
      const V change = far_force_[z(j)] - first;
      if (norm(change - dot(change, t) * t) > 1e-9 * scales_.force) return true;
    }
  }
  return false;
}

bool EnergyDescent::pulled_longer(const Strand& strand) {
  find_spans(strand);
  for (std::size_t p = 0; p < spans_.size(); ++p) {
    double length = 0;
    for (int j = spans_[p].from; j < spans_[p].to; ++j) length += strand.segments[z(j)].h;
    const bool stretches = strand.segments[z(spans_[p].from)].give.z > 0;
    if (stretches && norm(supports_[p + 1].r - supports_[p].r) > (1 + 1e-12) * length) return true;
  }
  return false;
}

// A straight span cannot be shortened to first order: it is bent a little first, as between two clamps, towards where its
// end is asked to go sideways, else where loads and natural curvature turn it, else about its softer axis.
void EnergyDescent::bend_straight_spans(const Strand& strand) {
  find_forces(strand);  // orientations as they are: holds are followed later, in moderate steps
  assemble_gradient(strand, false);
  for (std::size_t p = 0; p < spans_.size(); ++p) {
    const Span& span = spans_[p];
    // Distance of the ends against the length between them: straight?
    const auto [reached, length] = shape_between(strand, q_, span.from, span.to);
    if (norm(reached) < (1 - 1e-4) * length) continue;
    // A sine whose mean is zero: the ends keep their directions. What loads do along it is a moment about some axis.
    const V t = (1 / norm(reached)) * reached, wanted = supports_[p + 1].r - supports_[p].r,
            aside = wanted - dot(wanted, t) * t;
    const auto sine = [length = length](double along) { return math::sin(math::two_pi * along / length); };
    V turned{0, 0, 0};
    double along = 0;
    for (int j = span.from; j <= span.to; ++j) {
      const V g{gradient_[z(3 * j)], gradient_[z(3 * j + 1)], gradient_[z(3 * j + 2)]};
      turned -= sine(along) * into_world(q_[z(j)], g);
      if (j < span.to) along += strand.segments[z(j)].h;
    }
    turned -= dot(turned, t) * t;
    const V& soft = strand.segments[z((span.from + span.to) / 2)].compliance;
    V axis = into_world(q_[z((span.from + span.to) / 2)], soft.x == soft.y  ? V{0.8, 0.6, 0}
                                                          : soft.x > soft.y ? V{1, 0, 0}
                                                                            : V{0, 1, 0});
    if (norm(turned) > 1e-10 * scales_.moment) axis = (1 / norm(turned)) * turned;
    if (norm(aside) > 1e-9 * length) axis = (1 / norm(aside)) * cross(t, aside);
    along = 0;
    for (int j = span.from; j <= span.to; ++j) {
      const V turn = (0.1 * sine(along)) * into_material(q_[z(j)], axis);
      q_[z(j)] = q_[z(j)] * to_small(exp_quat(to_eigen(turn)));
      if (j < span.to) along += strand.segments[z(j)].h;
    }
  }
}

}  // namespace tendril::strands
