#include "model/build/noise.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "model/framing.h"

namespace tendril {

namespace {

using Size = std::size_t;
constexpr int modes = 8;

// The standard fixes the numbers of the engine but not those of its distributions: the distribution is made here.
double between_minus_one_and_one(std::mt19937_64& engine) { return static_cast<double>(engine() >> 11) * 0x1p-52 - 1; }

Vec3 random_vector(std::mt19937_64& engine) {
  const double x = between_minus_one_and_one(engine), y = between_minus_one_and_one(engine);
  return {x, y, between_minus_one_and_one(engine)};
}

// Nodes (local numbers) between which the displacement starts and ends with zero.
std::vector<int> still_nodes(const Model& model, int rod, const RodSpan& span) {
  std::vector<int> still;
  for (const ClampModel& t : model.clamps)
    if (t.rod == rod && t.position) still.push_back(t.node.value - span.first_node);
  for (const JointModel& j : model.joints) {
    if (j.rod_a == rod) still.push_back(j.node_a.value - span.first_node);
    if (j.rod_b == rod) still.push_back(j.node_b.value - span.first_node);
  }
  if (!span.ring) still.insert(still.end(), {0, span.nodes - 1});
  std::sort(still.begin(), still.end());
  still.erase(std::unique(still.begin(), still.end()), still.end());
  return still;
}

// sum over modes of sin(k pi u) times a random vector, on each stretch between still nodes. A ring that nothing holds uses
// the waves that bend it: two to nine round the ring.
std::vector<Vec3> smooth_field(const Model& model, int rod, std::mt19937_64& engine) {
  const RodSpan& span = model.rods[static_cast<Size>(rod)].span;
  const double length = model.rods[static_cast<Size>(rod)].length;
  std::vector<Vec3> field(static_cast<Size>(span.nodes), Vec3::Zero());
  const auto place = [&](int k) {  // k may run round the ring
    const int turns = k / span.nodes;
    return model.material[NodeIndex(span.first_node + k % span.nodes)] + turns * length;
  };
  const auto add = [&](int first, int last, double wave_numbers_per_stretch, int lowest, double phase) {
    const double from = place(first), to = place(last);
    for (int mode = lowest; mode < lowest + modes; ++mode) {
      const Vec3 amplitude = random_vector(engine);
      for (int k = first; k < last; ++k) {
        const double u = (place(k) - from) / (to - from);
        field[static_cast<Size>(k % span.nodes)] += math::sin(wave_numbers_per_stretch * mode * u + phase) * amplitude;
      }
    }
  };
  const std::vector<int> still = still_nodes(model, rod, span);
  if (still.empty()) {
    add(0, span.nodes, math::two_pi, 2, 0);
    add(0, span.nodes, math::two_pi, 2, math::pi / 2);
    return field;
  }
  for (Size i = 0; i + 1 < still.size(); ++i) add(still[i], still[i + 1], math::pi, 1, 0);
  if (span.ring) add(still.back(), still.front() + span.nodes, math::pi, 1, 0);
  for (const int k : still) field[static_cast<Size>(k)].setZero();
  return field;
}

void carry_frames(const RodSpan& span, Frame& frame) {
  for (int k = 0; k < span.edges; ++k) {
    const EdgeIndex e(span.first_edge + k);
    const NodeIndex a(span.first_node + k), b(span.first_node + (k + 1) % span.nodes);
    frame.orientation[e] = carried_onto(frame.orientation[e], (frame.position[b] - frame.position[a]).normalized());
  }
  for (int j = 0; j < span.inner; ++j) {
    const int after = span.ring ? j : j + 1, before = (after + span.edges - 1) % span.edges;
    double& twist = frame.twist[InnerNodeIndex(span.first_inner + j)];
    twist = twist_between(frame.orientation[EdgeIndex(span.first_edge + before)],
                          frame.orientation[EdgeIndex(span.first_edge + after)], twist);
  }
}

}  // namespace

void add_noise(Model& model, int rod, double size) {
  const RodSpan& span = model.rods[static_cast<Size>(rod)].span;
  std::mt19937_64 engine(0x7e4d511u + static_cast<unsigned>(rod));
  std::vector<Vec3> field = smooth_field(model, rod, engine);
  Frame& frame = model.initial;
  double largest = 0;
  for (int k = 0; k < span.nodes; ++k) {  // only the part across the rod
    const EdgeIndex before(span.first_edge + (span.ring ? (k + span.edges - 1) % span.edges : std::max(k - 1, 0)));
    const EdgeIndex after(span.first_edge + std::min(k, span.edges - 1));
    const Vec3 t = (director(frame.orientation[before], 2) + director(frame.orientation[after], 2)).normalized();
    Vec3& v = field[static_cast<Size>(k)];
    v -= t.dot(v) * t;
    largest = std::max(largest, v.norm());
  }
  if (largest == 0) return;
  for (int k = 0; k < span.nodes; ++k)
    frame.position[NodeIndex(span.first_node + k)] += (size / largest) * field[static_cast<Size>(k)];
  carry_frames(span, frame);
}

}  // namespace tendril
