#include "view/frame_bytes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "contact/shapes.h"
#include "measure/along.h"
#include "model/bodies.h"
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
  part(l.hands, 24 * std::size_t{n.hands});
  l.end = at;
  return l;
}

class Pen {  // writes numbers one after another
 public:
  explicit Pen(std::byte* at) : at_(at) {}
  template <class T>
  Pen& put(T value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
    return *this;
  }
  Pen& floats(const Vec3& v) { return put(float(v.x())).put(float(v.y())).put(float(v.z())); }
  Pen& floats(const Quat& q) { return put(float(q.x())).put(float(q.y())).put(float(q.z())).put(float(q.w())); }

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

void put_edges(const Model& model, const Frame& frame, const Counts& n, const Layout& l, std::byte* out) {
  Pen frames(out + l.orientations);
  for (const Quat& q : frame.orientation)
    frames.put(short_of(q.x())).put(short_of(q.y())).put(short_of(q.z())).put(short_of(q.w()));
  for_each_edge(model, frame, [&](EdgeIndex e, const AlongEdge& v) {
    put_float(out + l.curvature, e, v.curvature);
    put_float(out + l.twist, e, v.twist);
    put_float(out + l.tension, e, v.tension);
    put_float(out + l.moment, e, v.moment);
  });
  if ((n.flags & contact_forces) == 0) return;
  std::memset(out + l.contact, 0, 4 * std::size_t{n.edges});
  for_each_contact_force(frame, [&](EdgeIndex e, double newtons) {
    float sum = 0;
    std::memcpy(&sum, out + l.contact + 4 * static_cast<std::size_t>(e.value), sizeof sum);
    put_float(out + l.contact, e, sum + newtons);
  });
}

// The point that a hand holds.
Vec3 held_point(const Model& model, const Frame& frame, const Hand& hand) {
  if (hand.rod >= 0) return MaterialPoint(model, frame, hand.rod, hand.material).at_nodes(frame.position);
  const Pose& pose = frame.bodies[static_cast<std::size_t>(hand.body)].pose;
  return pose.position + pose.orientation * hand.point;
}
bool holds(const Frame& frame, const Hand& hand) {
  return (hand.rod >= 0 && hand.rod < static_cast<int>(frame.rods.size())) ||
         (hand.rod < 0 && hand.body >= 0 && hand.body < static_cast<int>(frame.bodies.size()));
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
    const RodSpan& rod = model.rods[r].span;
    for (int k = 0; k < rod.nodes; ++k) {
      const EdgeIndex edge(rod.first_edge + std::min(k, rod.edges - 1));
      const Vec3 radius = Vec3::Constant(model.section[edge].radius());
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
  const Vec3& I = body.inertia;
  const double sum = I.sum();
  const auto side = [&](int k) { return std::sqrt(std::max(0.0, 6 * (sum - 2 * I[k]) / body.mass)); };
  return BoxBody{Vec3(side(0), side(1), side(2))};
}

FrameWriter::FrameWriter(const Model& model)
    : origin_(box_at_start(model).middle()), model_(&model), values_(value_count(model)) {
  for (const ObstacleModel& o : model.obstacles) moving_ += o.moves() ? 1 : 0;
}

void FrameWriter::write(const Frame& frame, const Measures& measures, const Live& live, const FrameBytesOptions& options,
                        std::vector<std::byte>& out) const {
  const auto count = [](auto n) { return static_cast<std::uint32_t>(n); };
  Counts n{count(frame.rods.size()),
           count(frame.position.size()),
           count(frame.orientation.size()),
           count(frame.bodies.size()),
           moving_,
           count(frame.contacts.size()),
           0,
           options.with_values ? count(values_) : 0,
           0};
  for (const Hand& hand : live.hands) n.hands += holds(frame, hand) ? 1 : 0;
  if (!model_->couplings.empty() || moving_ > 0) evaluate(*model_, live, frame.time, 1, drive_);
  for (const Grip& grip : drive_.grips) n.hands += grip.coupling >= 0 ? 1 : 0;
  if (!(frame.material == model_->material)) n.flags |= own_material;
  if (!frame.contacts.empty()) n.flags |= contact_forces;
  const Layout l = lay_out(n);
  out.resize(l.end);
  std::byte* const data = out.data();

  Pen head(data);
  head.put(magic).put(options.generation).put(frame.time).put(static_cast<double>(frame.step));
  for (const std::uint32_t c : {n.rods, n.nodes, n.edges, n.bodies, n.obstacles, n.contacts, n.hands, n.values, n.flags})
    head.put(c);
  head.put(std::uint32_t{0});
  if (n.values > 0) put_values(*model_, frame, measures, reinterpret_cast<double*>(data + l.values));
  Pen spans(data + l.spans), positions(data + l.positions), bodies(data + l.bodies), contacts(data + l.contacts),
      hands(data + l.hands);
  for (const RodSpan& rod : frame.rods) spans.put(count(rod.nodes)).put(count(rod.edges));
  for (const Vec3& p : frame.position) positions.floats(p - origin_);
  if ((n.flags & own_material) != 0) {
    Pen material(data + l.material);
    for (const double s : frame.material) material.put(static_cast<float>(s));
  }
  put_edges(*model_, frame, n, l, data);
  for (const BodyState& body : frame.bodies) bodies.floats(body.pose.position - origin_).floats(body.pose.orientation);
  for (std::size_t o = 0; o < model_->obstacles.size() && moving_ > 0; ++o) {
    const Pose& pose = drive_.obstacles[o].pose;
    if (model_->obstacles[o].moves()) bodies.floats(pose.position - origin_).floats(pose.orientation);
  }
  for (const ContactPoint& c : frame.contacts)
    contacts.floats(c.position - origin_).floats(c.normal).floats(c.force).put(static_cast<float>(c.gap));
  for (const Hand& hand : live.hands)
    if (holds(frame, hand)) hands.floats(hand.pose.position - origin_).floats(held_point(*model_, frame, hand) - origin_);
  for (const Grip& grip : drive_.grips) {
    if (grip.coupling < 0) continue;
    const CouplingModel& coupling = model_->couplings[static_cast<std::size_t>(grip.coupling)];
    const MaterialPoint point(*model_, frame, coupling.rod, coupling.material);
    hands.floats(grip.pose.position - origin_).floats(point.at_nodes(frame.position) - origin_);
  }
}

}  // namespace tendril::view
