#include "methods/der/lengths/straight_spans.h"

#include <algorithm>
#include <cmath>

#include "math/elementary.h"

namespace tendril::der {
namespace {

constexpr double bent_enough = 0.01;  // part of the excess of length over chord that the shape takes up already
constexpr double taut = 1e-12;        // relative difference of chord and length

template <class Keep>
void find_spans(const Chain& c, const ChainRod& rod, const Keep& keep, std::vector<StraightSpan>& out) {
  out.clear();
  if (rod.ring) return;
  int from = -1;
  StraightSpan span;
  bool stretches = false;
  for (int v = rod.first; v <= rod.first + rod.slots; ++v) {
    const bool wall = v < rod.first + rod.slots && c.kind[z(v)] == SlotKind::wall;
    // A wall's two vertices are one node: the span ends at the first and the next begins at the second.
    if (c.held[z(v)] && from >= 0 && v > from && span.rest > 0) {
      span.from = from, span.to = v;
      const V3<double> apart = c.x.get(v) - c.x.get(from);
      span.chord = norm(apart);
      span.clamped = span.clamped || wall;
      if (span.chord > 0 && !stretches) {
        span.along = (1 / span.chord) * apart;
        if (keep(span)) out.push_back(span);
      }
    }
    if (c.held[z(v)]) {
      from = v;
      span = {};
      stretches = false;
      span.clamped = wall || (v > rod.first && c.kind[z(v - 1)] == SlotKind::wall);
    }
    if (v == rod.first + rod.slots || c.kind[z(v)] != SlotKind::edge) continue;
    span.rest += c.rest_length[z(v)];
    stretches = stretches || c.constrained[z(v)] == 0;
  }
}

// Length of the present polygon, whatever the edges should measure.
double path(const Chain& c, const StraightSpan& span) {
  double sum = 0;
  for (int v = span.from; v < span.to; ++v) sum += norm(c.x.get(v + 1) - c.x.get(v));
  return sum;
}

}  // namespace

// integral of y'^2/2 = rest - chord for y = a sin^2(pi s/L), and for y = a sin(pi s/L) alike
double StraightSpan::amplitude() const { return 2 / math::pi * std::sqrt(rest * std::max(0.0, rest - chord)); }

double StraightSpan::share(double s) const {
  const double sine = math::sin(math::pi * s / rest);
  return clamped ? sine * sine : sine;
}

void find_compressed_spans(const Chain& c, const ChainRod& rod, std::vector<StraightSpan>& out) {
  find_spans(
      c, rod,
      [&](const StraightSpan& span) {
        return span.chord < (1 - taut) * span.rest && path(c, span) - span.chord < bent_enough * (span.rest - span.chord);
      },
      out);
}

void find_taut_spans(const Chain& c, const ChainRod& rod, std::vector<StraightSpan>& out) {
  find_spans(
      c, rod, [](const StraightSpan& span) { return span.chord >= (1 - taut) * span.rest; }, out);
}

V3<double> preferred_side(const Chain& c, const StraightSpan& span, const std::function<V3<double>(int)>& force_at,
                          const V3<double>& before) {
  // The push on the sine: forces weighted with it. Below rounding of the stiffness of a segment there is none.
  V3<double> push{0, 0, 0};
  double s = 0, size = 0;
  for (int v = span.from; v < span.to; ++v) {
    if (v > span.from) {
      const V3<double> force = force_at(v), across = force - dot(force, span.along) * span.along;
      push += span.share(s) * across;
      size += norm(across);
    }
    if (c.kind[z(v)] == SlotKind::edge) s += c.rest_length[z(v)];
  }
  int middle = (span.from + span.to) / 2;
  while (middle < span.to && c.kind[z(middle)] != SlotKind::edge) ++middle;
  const double segment = (c.B_xx[z(middle)] + c.B_yy[z(middle)]) / math::cube(c.rest_length[z(middle)]);
  if (norm(push) > 1e-9 * size && norm(push) > 1e-12 * segment * span.rest) return (1 / norm(push)) * push;
  const V3<double> other = dot(before, span.along) * span.along - before;
  if (norm(other) > 0.5) return (1 / norm(other)) * other;
  // The softer side: the eigenvector of the section's stiffness in the frame m1, m2 of the middle.
  const double xx = c.B_xx[z(middle)], xy = c.B_xy[z(middle)], yy = c.B_yy[z(middle)];
  const double angle = 0.5 * math::atan2(-2 * xy, yy - xx);
  const auto [sine, cosine] = math::sincos(angle);
  V3<double> side = cosine * c.m1.get(middle) + sine * c.m2.get(middle);
  side = side - dot(side, span.along) * span.along;
  return (1 / norm(side)) * side;
}

void bend_span(const Chain& c, const StraightSpan& span, const V3<double>& side,
               const std::function<void(int, const V3<double>&)>& f) {
  // Along the chord each edge covers what its slope leaves of it; the whole is scaled to the chord.
  const double a = span.amplitude();
  const auto advance = [&](int v, double& s, double& covered) {
    if (c.kind[z(v)] != SlotKind::edge) return;
    const double l = c.rest_length[z(v)], rise = a * (span.share(s + l) - span.share(s));
    s += l, covered += std::sqrt(std::max(0.01 * l * l, l * l - rise * rise));
  };
  double s = 0, covered = 0;
  for (int v = span.from; v < span.to; ++v) advance(v, s, covered);
  const double scale = span.chord / covered;
  s = covered = 0;
  for (int v = span.from; v < span.to; ++v) {
    if (v > span.from) f(v, c.x.get(span.from) + (scale * covered) * span.along + (a * span.share(s)) * side);
    advance(v, s, covered);
  }
}

}  // namespace tendril::der
