#include "methods/der/lengths/straight_spans.h"

#include <algorithm>
#include <cmath>

#include "math/elementary.h"

namespace tendril::der {
namespace {

constexpr double bent_enough = 0.01;  // part of the excess of length over chord that the shape takes up already

template <class Keep>
void find_spans(const Chain& c, std::span<const SpanPath> paths, const Keep& keep, std::vector<StraightSpan>& out) {
  out.clear();
  for (const SpanPath& path : paths) {
    StraightSpan span;
    span.path = &path, span.rest = path.rest, span.clamped = path.clamped;
    const V3<double> apart = c.x.get(path.vertex.back()) - c.x.get(path.vertex.front());
    span.chord = norm(apart);
    if (!(span.chord > 0)) continue;
    span.along = (1 / span.chord) * apart;
    if (keep(span)) out.push_back(span);
  }
}

// Length of the present polygon, whatever the edges should measure.
double length_now(const Chain& c, const SpanPath& path) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < path.vertex.size(); ++i)
    sum += norm(c.x.get(path.vertex[i + 1]) - c.x.get(path.vertex[i]));
  return sum;
}

}  // namespace

void find_compressed_spans(const Chain& c, std::span<const SpanPath> paths, std::vector<StraightSpan>& out) {
  find_spans(
      c, paths,
      [&](const StraightSpan& span) {
        return span.chord < (1 - span.path->slack) * span.rest &&
               length_now(c, *span.path) - span.chord < bent_enough * (span.rest - span.chord);
      },
      out);
}

void find_taut_spans(const Chain& c, std::span<const SpanPath> paths, std::vector<StraightSpan>& out) {
  find_spans(
      c, paths, [](const StraightSpan& span) { return span.chord >= (1 - span.path->slack) * span.rest; }, out);
}

V3<double> preferred_side(const Chain& c, const StraightSpan& span, const std::function<V3<double>(int)>& force_at,
                          const V3<double>& before) {
  // The push on the sine: forces weighted with it. Below rounding of the stiffness of a segment there is none.
  V3<double> push{0, 0, 0};
  double s = 0, size = 0;
  const SpanPath& path = *span.path;
  for (std::size_t i = 0; i < path.edge.size(); ++i) {
    if (i > 0) {
      const V3<double> force = force_at(path.vertex[i]), across = force - dot(force, span.along) * span.along;
      push += span.share(s) * across;
      size += norm(across);
    }
    if (path.edge[i] >= 0) s += c.rest_length[z(path.edge[i])];
  }
  std::size_t half = path.edge.size() / 2;
  while (path.edge[half] < 0) half = half + 1 < path.edge.size() ? half + 1 : 0;
  const int middle = path.edge[half];
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
  const SpanPath& path = *span.path;
  const double a = span.amplitude();
  const auto advance = [&](int edge, double& s, double& covered) {
    if (edge < 0) return;
    const double l = c.rest_length[z(edge)], rise = a * (span.share(s + l) - span.share(s));
    s += l, covered += std::sqrt(std::max(0.01 * l * l, l * l - rise * rise));
  };
  double s = 0, covered = 0;
  for (const int edge : path.edge) advance(edge, s, covered);
  const double scale = span.chord / covered;
  const V3<double> start = c.x.get(path.vertex.front());
  s = covered = 0;
  for (std::size_t i = 0; i < path.edge.size(); ++i) {
    if (i > 0) f(path.vertex[i], start + (scale * covered) * span.along + (a * span.share(s)) * side);
    advance(path.edge[i], s, covered);
  }
}

}  // namespace tendril::der
