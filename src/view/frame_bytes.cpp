#include "view/frame_bytes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "contact/shapes.h"
#include "measure/along.h"
#include "model/bodies.h"
#include "view/fibres.h"
#include "view/values.h"

namespace tendril::view {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are little endian");
constexpr std::uint32_t magic = 0x31524654;  // "TFR1"
constexpr std::size_t head_bytes = 64;
constexpr std::uint32_t own_material = 1, contact_forces = 2;  // flags

// Where each part begins; the order of docs/view.md.
struct Layout {
  std::size_t values, spans, positions, material, orientations, curvature, twist, tension, moment, contact, bodies, contacts,
      hands, end;
};

struct Counts {
  std::uint32_t rods, nodes, edges, bodies, obstacles, contacts, hands, values, flags;
};

Layout lay_out(const Counts& n) {
  Layout l{};
  std::size_t at = head_bytes;
  const auto part = [&at](std::size_t& begin, std::size_t bytes) { begin = at, at += bytes; };
  part(l.values, 8 * std::size_t{n.values});
  part(l.spans, 8 * std::size_t{n.rods});
  part(l.positions, 12 * std::size_t{n.nodes});
  part(l.material, (n.flags & own_material) != 0 ? 4 * std::size_t{n.nodes} : 0);
  part(l.orientations, 8 * std::size_t{n.edges});
  for (std::size_t* begin : {&l.curvature, &l.twist, &l.tension, &l.moment}) part(*begin, 4 * std::size_t{n.edges});
  part(l.contact, (n.flags & contact_forces) != 0 ? 4 * std::size_t{n.edges} : 0);
  part(l.bodies, 28 * (std::size_t{n.bodies} + n.obstacles));
  part(l.contacts, 40 * std::size_t{n.contacts});
  part(l.hands, 36 * std::size_t{n.hands});
  l.end = at;
  return l;
}

class ByteWriter {  // writes numbers one after another
 public:
  explicit ByteWriter(std::byte* at) : at_(at) {}
  template <class T>
  ByteWriter& put(T value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
    return *this;
  }
  ByteWriter& floats(const Vec3& v) { return put(float(v.x())).put(float(v.y())).put(float(v.z())); }
  ByteWriter& floats(const Quat& q) { return put(float(q.x())).put(float(q.y())).put(float(q.z())).put(float(q.w())); }

 private:
  std::byte* at_;
};

std::int16_t short_of(double value) {
  if (!(std::abs(value) <= 1)) value = value > 0 ? 1 : value < 0 ? -1 : 0;  // rounding; not a number becomes 0
  return static_cast<std::int16_t>(std::lround(32767 * value));
}

void put_float(std::byte* array, EdgeIndex e, double value) {
  const auto number = static_cast<float>(value);
  std::memcpy(array + 4 * static_cast<std::size_t>(e.value), &number, sizeof number);
}

void put_edges(std::span<const double> rod_lengths, const Frame& frame, const Counts& n, const Layout& l, std::byte* out) {
  // Quaternions as 16-bit fractions: a turn by 1/32767 is not seen.
  ByteWriter frames(out + l.orientations);
  for (const Quat& q : frame.orientation)
    frames.put(short_of(q.x())).put(short_of(q.y())).put(short_of(q.z())).put(short_of(q.w()));
  for_each_edge(rod_lengths, frame, [&](EdgeIndex e, const AlongEdge& v) {
    put_float(out + l.curvature, e, v.curvature);
    put_float(out + l.twist, e, v.twist);
    put_float(out + l.tension, e, v.tension);
    put_float(out + l.moment, e, v.moment);
  });
  if ((n.flags & contact_forces) == 0) return;
  // Contact forces of an edge are added up.
  std::memset(out + l.contact, 0, 4 * std::size_t{n.edges});
  for_each_contact_force(frame, [&](EdgeIndex e, double newtons) {
    float sum = 0;
    std::memcpy(&sum, out + l.contact + 4 * static_cast<std::size_t>(e.value), sizeof sum);
    put_float(out + l.contact, e, sum + newtons);
  });
}

}  // namespace

namespace {
void include(Box& box, bool& any, const Vec3& low, const Vec3& high) {
  box.low = any ? Vec3(box.low.cwiseMin(low)) : low;
  box.high = any ? Vec3(box.high.cwiseMax(high)) : high;
  any = true;
}
// Around a shape of finite size.
void include(Box& box, bool& any, const RigidShape& rigid, const Pose& pose) {
  const Mat3 turn = pose.orientation.toRotationMatrix();
  const Bounds own = std::visit(
      [](const auto& s) {
        if constexpr (std::is_same_v<std::decay_t<decltype(s)>, shape::HalfSpace>)
          return Bounds{};
        else
          return bounds_of(s);
      },
      rigid);
  if (!own.is_finite()) return;
  const Vec3 centre = pose.position + turn * own.centre(), half = turn.cwiseAbs() * (0.5 * (own.high - own.low));
  include(box, any, centre - half, centre + half);
}
}  // namespace

Box box_at_start(const Model& model) {
  Box box;
  bool any = false;
  for (std::size_t r = 0; r < model.rods.size(); ++r) {
    // Rods with their thickness, then bodies.
    const RodSpan& rod = model.rods[r].span;
    const double spread = spread_about(model, static_cast<int>(r));
    for (int k = 0; k < rod.nodes; ++k) {
      const EdgeIndex edge(rod.first_edge + std::min(k, rod.edges - 1));
      const Vec3 radius = Vec3::Constant(model.section[edge].radius() + spread);
      const Vec3& p = model.initial.position[NodeIndex(rod.first_node + k)];
      include(box, any, p - radius, p + radius);
    }
  }
  for (const BodyModel& body : model.bodies) include(box, any, rigid_shape(drawn_shape(body, box)), body.start.pose);
  // Obstacles only as far as they are near: a table under a hair must not make the scene as large as the table.
  const double size = (box.high - box.low).maxCoeff();
  Box all = box;
  for (const ObstacleModel& o : model.obstacles) include(all, any, o.shape, o.start);
  box.low = all.low.cwiseMax(box.low - Vec3::Constant(size));
  box.high = all.high.cwiseMin(box.high + Vec3::Constant(size));
  return box;
}

// A box with the same inertia; where there is no inertia either, a small ball.
BodyShape drawn_shape(const BodyModel& body, const Box& around) {
  if (body.shape) return *body.shape;
  if (!(body.mass > 0)) return SphereBody{0.02 * std::max((around.high - around.low).maxCoeff(), 1e-9)};
  // Ixx = m (b^2 + c^2)/12 and so on, solved for the sides.
  const Vec3& I = body.inertia;
  const double sum = I.sum();
  const auto side = [&](int k) { return std::sqrt(std::max(0.0, 6 * (sum - 2 * I[k]) / body.mass)); };
  return BoxBody{Vec3(side(0), side(1), side(2))};
}

FrameFacts frame_facts(const Model& model) {
  FrameFacts facts{box_at_start(model).middle(), model.material, {}, {}, value_count(model)};
  for (const RodModel& rod : model.rods) facts.rod_lengths.push_back(rod.length);
  for (const ObstacleModel& o : model.obstacles) facts.moves.push_back(o.moves() ? 1 : 0);
  return facts;
}

FrameWriter::FrameWriter(FrameFacts facts) : facts_(std::move(facts)) {
  for (const char moves : facts_.moves) moving_ += moves != 0 ? 1 : 0;
}

void FrameWriter::write(const Frame& frame, const Measures& measures, const FrameBytesOptions& options,
                        std::vector<std::byte>& out) const {
  TENDRIL_REQUIRE(frame.rods.size() == facts_.rod_lengths.size() && frame.obstacles.size() == facts_.moves.size(),
                  "the frame belongs to another scene");
  TENDRIL_REQUIRE(!options.with_values || value_count(frame, measures) == facts_.values,
                  "the measures belong to another scene");
  // How much of everything there is. Parts that are empty or known from the description are left out.
  const auto count = [](auto n) { return static_cast<std::uint32_t>(n); };
  Counts n{count(frame.rods.size()),
           count(frame.position.size()),
           count(frame.orientation.size()),
           count(frame.bodies.size()),
           moving_,
           count(frame.contacts.size()),
           count(frame.pulls.size()),
           options.with_values ? count(facts_.values) : 0,
           0};
  if (!(frame.material == facts_.material)) n.flags |= own_material;
  if (!frame.contacts.empty()) n.flags |= contact_forces;
  const Layout l = lay_out(n);
  out.resize(l.end);
  std::byte* const data = out.data();

  // The head, and the plotted numbers.
  ByteWriter head(data);
  head.put(magic).put(options.generation).put(frame.time).put(static_cast<double>(frame.step));
  for (const std::uint32_t c : {n.rods, n.nodes, n.edges, n.bodies, n.obstacles, n.contacts, n.hands, n.values, n.flags})
    head.put(c);
  head.put(std::uint32_t{0});
  if (n.values > 0) put_values(frame, measures, reinterpret_cast<double*>(data + l.values));
  // The rods.
  ByteWriter spans(data + l.spans), positions(data + l.positions), bodies(data + l.bodies), contacts(data + l.contacts),
      hands(data + l.hands);
  for (const RodSpan& rod : frame.rods) spans.put(count(rod.nodes)).put(count(rod.edges));
  for (const Vec3& p : frame.position) positions.floats(p - facts_.origin);
  if ((n.flags & own_material) != 0) {
    ByteWriter material(data + l.material);
    for (const double s : frame.material) material.put(static_cast<float>(s));
  }
  put_edges(facts_.rod_lengths, frame, n, l, data);
  // Bodies and obstacles that move, contacts, hands and couplings.
  for (const BodyState& body : frame.bodies) bodies.floats(body.pose.position - facts_.origin).floats(body.pose.orientation);
  for (std::size_t o = 0; o < frame.obstacles.size(); ++o)
    if (facts_.moves[o] != 0)
      bodies.floats(frame.obstacles[o].position - facts_.origin).floats(frame.obstacles[o].orientation);
  for (const ContactPoint& c : frame.contacts)
    contacts.floats(c.position - facts_.origin).floats(c.normal).floats(c.force).put(static_cast<float>(c.gap));
  for (const Pull& pull : frame.pulls)
    hands.floats(pull.from - facts_.origin).floats(pull.point - facts_.origin).floats(pull.force);
}

}  // namespace tendril::view
