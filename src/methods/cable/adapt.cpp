#include "methods/cable/adapt.h"

#include "model/grips.h"

namespace tendril::cable {
namespace {
constexpr double bent = 0.2;          // [rad] of a joint: its segments are cut
constexpr double straight = 0.05;     // [rad] of a joint: it may go
constexpr double soon = 0.5;          // [s] ahead: it stays straight
constexpr double coarsest = 0.1;      // of the rod's length: no longer segments
constexpr double most_uneven = 2.01;  // of neighbours that are merged, so that lengths change gradually
}  // namespace

Adapt::Adapt(const Model& model, Mesh& mesh) : model_(model), mesh_(mesh) {
  std::size_t most = 0;
  for (const RodModel& rod : model.rods) most = std::max(most, z(std::max(rod.max_edges, rod.span.edges)) + 2);
  bend_.reserve(most);
}

double Adapt::finest(int rod, double material) const {
  const RodModel& from = model_.rods[z(rod)];
  return model_.rest_length[point_on_nodes(from.span, model_.material, from.length, material).edge];
}

void Adapt::note_bends(int rod) {
  bend_.clear();
  for (int i = 0; i < static_cast<int>(mesh_.chain(rod).joints.size()); ++i) bend_.push_back(mesh_.strain(rod, i).norm());
}

void Adapt::cut_bent(int rod, std::span<const char> touched) {
  note_bends(rod);
  // From the end on: numbers before a cut stay.
  for (int k = static_cast<int>(mesh_.chain(rod).segments.size()) - 1; k >= 0; --k) {
    const double start = mesh_.chain(rod).material[z(k)], length = mesh_.length(rod, k), middle = start + 0.5 * length;
    if (length < 1.99 * finest(rod, middle) || !mesh_.has_room()) continue;
    const bool before = k > 0 && bend_[z(k - 1)] > bent, after = z(k) < bend_.size() && bend_[z(k)] > bent;
    const bool touches = !touched.empty() && touched[z(mesh_.segment(rod, k))];
    if (before || after || touches) mesh_.cut(rod, k, middle);
  }
}

bool Adapt::may_merge(int rod, int k, std::span<const char> touched) const {
  const double la = mesh_.length(rod, k), lb = mesh_.length(rod, k + 1), whole = la + lb;
  if (mesh_.is_pinned(rod, k) || whole > coarsest * model_.rods[z(rod)].length ||
      std::max(la, lb) > most_uneven * std::min(la, lb))
    return false;
  if (!touched.empty() && (touched[z(mesh_.segment(rod, k))] || touched[z(mesh_.segment(rod, k + 1))])) return false;
  const double bend = bend_[z(k)];
  if (bend + soon * mesh_.relative_spin(rod, k) > straight) return false;
  const double before = k > 0 ? bend_[z(k - 1)] : 0, after = z(k + 1) < bend_.size() ? bend_[z(k + 1)] : 0;
  return before + bend * lb / whole < 0.5 * bent && after + bend * la / whole < 0.5 * bent;
}

void Adapt::merge_straight(int rod, std::span<const char> touched) {
  note_bends(rod);
  // From the end on. A segment is merged once in a step: the joint before the pair is left alone.
  for (int k = static_cast<int>(mesh_.chain(rod).segments.size()) - 2; k >= 0; --k) {
    if (!may_merge(rod, k, touched)) continue;
    mesh_.merge(rod, k);
    --k;
  }
}

void Adapt::remesh(std::span<const char> touched) {
  for (int r = 0; r < static_cast<int>(model_.rods.size()); ++r) {
    if (!mesh_.chain(r).varies) continue;
    cut_bent(r, touched);
    merge_straight(r, touched);
  }
}

}  // namespace tendril::cable
