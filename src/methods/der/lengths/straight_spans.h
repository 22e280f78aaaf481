// Rods that lie straight between two held points although those have come nearer than the rod is long.
//
// Nothing of first order says to which side such a rod bends: its lengths cannot be restored and its energy has a saddle. It is
// bent before the solver starts, by the sine that has the right length, towards the side that loads and natural curvature
// push it to; where nothing pushes, towards the softer side of its section.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "math/sine_bend.h"
#include "methods/der/lengths/span_paths.h"

namespace tendril::der {

struct StraightSpan : SineBend {
  const SpanPath* path = nullptr;
  V3<double> along{1, 0, 0};  // from its first point to its last
};

// Those that are not bent yet: by less than a hundredth of what their ends ask for.
void find_compressed_spans(const Chain& chain, std::span<const SpanPath> paths, std::vector<StraightSpan>& out);
// Those whose ends are as far apart as the rod between them is long.
void find_taut_spans(const Chain& chain, std::span<const SpanPath> paths, std::vector<StraightSpan>& out);

// Unit vector across the span, given the force on each vertex. `before`: the side that the span before it on the same rod went to,
// or 0; where no force decides, the rod goes on to the other side behind a pin.
V3<double> preferred_side(const Chain& chain, const StraightSpan& span, const std::function<V3<double>(int)>& force_at,
                          const V3<double>& before);
// f(vertex, position) for every vertex between the ends.
void bend_span(const Chain& chain, const StraightSpan& span, const V3<double>& side,
               const std::function<void(int, const V3<double>&)>& f);

}  // namespace tendril::der
