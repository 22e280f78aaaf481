#include "math/rotation.h"
#include "methods/cable/cable.h"
#include "testing/allocation_count.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"
#include "testing/small_rods.h"

namespace tendril::cable::winch_test {
namespace {

using namespace small_rods;

constexpr double g = 10;

// A rope of 2 m in eight segments, 100 kg hanging on it, from a clamp that is a drum.
Scene hoist(double load = 100) {
  StiffnessSection section = plain_section(0.5, 0.5, 0.4);
  section.EA = 1e5;
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(0, 0, -2)}, 8, section);
  scene.rods[0].stretch = Give::elastic, scene.rods[0].damping.internal = 0.02;
  add_clamp(scene, 0, {Hold::position});
  scene.bodies.push_back(body_at("load", Vec3(0, 0, -2), load, Vec3::Constant(0.01 * load)));
  scene.joints.push_back({"hook", JointKind::ball, {"rod", 1}, {"", 0, "load"}, Vec3::UnitZ()});
  scene.loads = {GravityLoad{Vec3(0, 0, -g)}};
  Winch winch;
  winch.name = "drum", winch.rod = "rod", winch.stored = 10, winch.top_speed = 5;
  scene.winches.push_back(winch);
  return scene;
}
Settings usual() {
  Settings s;
  s.averaged = true, s.extra_damping = 0.1;
  return s;
}
Live ordered(double speed) {
  Live live;
  live.winches.add({0, speed});
  return live;
}
double out_of(const Cable& method) {
  const std::vector<double>& s = method.parts().chains[0].material;
  return s.back() - s.front();
}
// Runs for some seconds at 60 steps a second; the last frame.
Frame run(Cable& method, double& time, double seconds, const Live& live) {
  const double dt = 1.0 / 60;
  for (const double end = time + seconds; time < end - 0.5 * dt; time += dt)
    EXPECT_EQ(method.step(time, dt, live).outcome, Outcome::fine) << time;
  Frame frame;
  method.write(frame);
  return frame;
}

struct Sums {
  double mass = 0;
  Vec3 momentum = Vec3::Zero(), angular = Vec3::Zero(), centre = Vec3::Zero();
};
Sums sums_of(const Parts& parts, const State& s) {
  Sums sums;
  for (std::size_t i = 0; i < parts.elements.size(); ++i) {
    const Element& e = parts.elements[i];
    if (e.led) continue;
    sums.mass += e.mass, sums.momentum += e.mass * s.v[i], sums.centre += e.mass * s.x[i];
    sums.angular += e.mass * s.x[i].cross(s.v[i]) + s.momentum[i];
  }
  return sums;
}

SENTENCE("cable", "cut and merged segments keep mass, momentum, angular momentum and the places of their ends") {
  Scene scene = hoist();
  scene.rods[0].rest = ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 2, 1.1};
  scene.bodies.clear(), scene.joints.clear();
  const auto model = model_of(scene);
  Parts parts = build_parts(*model);
  State s = start_state(*model, parts);
  Mesh mesh(*model, 1, parts, s);
  Random random(3);
  for (std::size_t i = 0; i < 8; ++i) {
    s.v[i] = random.vector(3), s.momentum[i] = random.vector(0.1);
    s.x[i] *= 1.001;  // stretched, so that its joints carry something
  }
  for (std::size_t j = 0; j < parts.joints.size(); ++j)
    s.point_on[j] = s.frame_on[j] = parts.joints[j].holds_frame || parts.joints[j].clamp >= 0;
  const auto start_of = [&](int k) {
    const std::size_t i = z(mesh.segment(0, k));
    return Vec3(s.x[i] + s.q[i] * parts.elements[i].end(0));
  };
  const auto end_of = [&](int k) {
    const std::size_t i = z(mesh.segment(0, k));
    return Vec3(s.x[i] + s.q[i] * parts.elements[i].end(1));
  };
  const auto expect_same = [&](const Sums& before, const char* when) {
    const Sums now = sums_of(parts, s);
    EXPECT_NEAR(now.mass, before.mass, 1e-14) << when;
    EXPECT_LT((now.momentum - before.momentum).norm(), 1e-13 * before.momentum.norm()) << when;
    EXPECT_LT((now.angular - before.angular).norm(), 1e-13 * before.angular.norm()) << when;
    EXPECT_LT((now.centre - before.centre).norm(), 1e-13 * before.centre.norm()) << when;
  };
  const double give = 1e-3 * 0.25;  // what the stretch of a segment is
  Sums before = sums_of(parts, s);
  Vec3 start = start_of(3), end = end_of(3);
  mesh.cut(0, 3, mesh.chain(0).material[3] + 0.1);
  mesh.settle();
  EXPECT_EQ(mesh.chain(0).segments.size(), 9u);
  EXPECT_NEAR(mesh.length(0, 3), 0.1, 1e-15);
  EXPECT_LT((start_of(3) - start).norm(), give);
  EXPECT_LT((end_of(4) - end).norm(), give);
  EXPECT_LT((end_of(3) - start_of(4)).norm(), give);
  expect_same(before, "cut");
  before = sums_of(parts, s);
  start = start_of(4), end = end_of(5);
  mesh.merge(0, 4);
  mesh.settle();
  EXPECT_LT((start_of(4) - start).norm(), give);
  EXPECT_LT((end_of(4) - end).norm(), give);
  expect_same(before, "merge");
  EXPECT_TRUE(parts.groups[0].path);
  EXPECT_EQ(parts.groups[0].joints.size(), 8u);  // the drum's and seven inside
  std::size_t owing = 0;
  for (const int i : mesh.chain(0).segments) owing += parts.elements[z(i)].owed_left > 0;
  EXPECT_GE(owing, 1u);
}

SENTENCE("cable", "a winch pays out and reels in what its speed says, to the last bit of its rope, and the load follows") {
  Cable method(model_of(hoist()), usual());
  double time = 0;
  Frame frame = run(method, time, 4, {});
  const double rest = frame.bodies[0].pose.position.z();
  frame = run(method, time, 2, ordered(1));
  EXPECT_NEAR(out_of(method), 2 + 2, 1.0 / 60);  // half a step is lost where a speed jumps
  const double paid = out_of(method) - 2;
  frame = run(method, time, 4, {});
  EXPECT_NEAR(out_of(method), 2 + paid + 0.5 / 60, 1e-12);
  EXPECT_NEAR(method.feed().paid_out(0), out_of(method) - 2, 1e-13);
  // Twice as long: the rope and its own weight stretch it further.
  const double length = out_of(method), stretch = (100 * g * length + 0.5 * g * length * length) / 1e5,
               first = (100 * g * 2 + 0.5 * g * 4) / 1e5;
  EXPECT_NEAR(rest, -(2 + first), 1e-5);
  EXPECT_NEAR(frame.bodies[0].pose.position.z(), -(length + stretch), 1e-4);
  EXPECT_EQ(frame.rods[0].nodes, frame.position.size());
  EXPECT_GT(frame.rods[0].edges, 14);
  EXPECT_NEAR(frame.material[NodeIndex(0)], 2 - length, 1e-12);
  EXPECT_NEAR(frame.material[NodeIndex(frame.rods[0].nodes - 1)], 2, 1e-12);
  EXPECT_LT(frame.position[NodeIndex(0)].norm(), 1e-9);
  frame = run(method, time, 2, ordered(-1));
  frame = run(method, time, 4, {});
  EXPECT_NEAR(out_of(method), 2, 1e-12);
  EXPECT_NEAR(frame.bodies[0].pose.position.z(), rest, 1e-4);
  double mass = 0;
  for (const int i : method.parts().chains[0].segments) mass += method.parts().elements[z(i)].mass;
  EXPECT_NEAR(mass, 2, 1e-12);
}

SENTENCE("cable", "the drum's work and the rope it brings balance the energy of a hoist") {
  Scene scene = hoist();
  scene.winches[0].acceleration = 2;
  Cable method(model_of(scene), usual());
  double time = 0;
  const Frame start = run(method, time, 5, {});
  run(method, time, 3, ordered(1.5));
  const Frame low = run(method, time, 3, {});
  run(method, time, 3, ordered(-1.5));
  const Frame end = run(method, time, 3, {});
  const auto error = [&](const Frame& f) {
    return f.own_energy.total() - start.own_energy.total() - (f.flow.work() - start.flow.work()) +
           (f.flow.dissipated() - start.flow.dissipated());
  };
  const double lowered = low.flow.clamps - start.flow.clamps,
               depth = start.bodies[0].pose.position.z() - low.bodies[0].pose.position.z();
  EXPECT_NEAR(lowered, -100 * g * depth, 0.05 * 100 * g * depth);
  EXPECT_LT(std::abs(error(low)), 0.003 * std::abs(lowered));
  EXPECT_LT(std::abs(error(end)), 0.003 * std::abs(lowered));
}

SENTENCE("cable", "a winch stands still where its rope ends, on the drum and outside") {
  for (const double acceleration : {forever, 2.0}) {
    Scene scene = hoist();
    scene.winches[0].stored = 1, scene.winches[0].shortest = 0.8;
    if (acceleration != forever) scene.winches[0].acceleration = acceleration;
    Cable method(model_of(scene), usual());
    double time = 0;
    run(method, time, 5, ordered(1));
    EXPECT_NEAR(out_of(method), 3, 1e-6) << acceleration;
    EXPECT_NEAR(method.feed().speed(0), 0, 1e-3);
    run(method, time, 6, ordered(-1));
    EXPECT_NEAR(out_of(method), 0.8, 1e-6) << acceleration;
    EXPECT_NEAR(method.feed().speed(0), 0, 1e-3);
  }
}

SENTENCE("cable", "a winch that bears less than the load slips, and the load falls with what is missing") {
  Scene scene = hoist();
  scene.winches[0].max_force = 700, scene.winches[0].stored = 40;
  Cable method(model_of(scene), usual());
  double time = 0;
  Frame frame = run(method, time, 1, {});
  const double speed = frame.bodies[0].motion.linear.z(), before = out_of(method);
  frame = run(method, time, 1, {});
  EXPECT_NEAR(frame.reactions[0].force.norm(), 700, 0.1);
  // 100 kg and the rope that is out, 1 kg/m, pulled by 700 N: a little more of it at the end than in the middle.
  const double rope = 0.5 * (before + out_of(method));
  EXPECT_NEAR(speed - frame.bodies[0].motion.linear.z(), g - 700 / (100 + rope), 0.05);
}

SENTENCE("cable", "a winch of given force holds its tension, whatever the load does") {
  Scene scene = hoist();
  scene.winches[0].force.keys = {{0, 1100}, {100, 1100}}, scene.winches[0].top_speed = 50, scene.winches[0].stored = 1;
  scene.rods[0].rest = StraightCurve{Vec3::Zero(), Vec3(0, 0, -8)}, scene.rods[0].segments = 32;
  scene.bodies[0].position = Vec3(0, 0, -8);
  Cable method(model_of(scene), usual());
  double time = 0;
  Frame frame = run(method, time, 1, {});
  const double speed = frame.bodies[0].motion.linear.z();
  frame = run(method, time, 1, {});
  EXPECT_NEAR(frame.reactions[0].force.norm(), 1100, 0.1);
  EXPECT_NEAR(frame.bodies[0].motion.linear.z() - speed, 1 - 0.7, 0.15);  // (1100 - 1000 - weight of the rope) / 100
}

SENTENCE("cable", "a drum may stand on a trolley, at either end of its rope") {
  for (const RodEnd end : {RodEnd::start, RodEnd::end}) {
    Scene scene = hoist();
    const bool at_start = end == RodEnd::start;
    scene.clamps.clear();
    if (!at_start) scene.rods[0].rest = StraightCurve{Vec3(0, 0, -2), Vec3::Zero()};
    scene.joints[0].a.at = at_start ? 1 : 0;
    RigidBody trolley = body_at("trolley", Vec3::Zero(), 20, Vec3::Constant(1));
    trolley.kind = BodyKind::guided, trolley.axis = Vec3::UnitX();
    scene.bodies.push_back(trolley);
    scene.joints.push_back({"axle", JointKind::ball, {"rod", at_start ? 0.0 : 1.0}, {"", 0, "trolley"}, Vec3::UnitZ()});
    scene.winches[0].end = end, scene.winches[0].acceleration = 2;
    Cable method(model_of(scene), usual());
    double time = 0;
    const Frame start = run(method, time, 4, {});
    run(method, time, 1, ordered(1));
    run(method, time, 1, ordered(-0.5));
    const Frame frame = run(method, time, 4, {});
    const double paid = method.feed().paid_out(0);
    EXPECT_NEAR(paid, 0.75, 0.02);
    EXPECT_NEAR(out_of(method), 2 + paid, 1e-12);
    EXPECT_NEAR(frame.material[NodeIndex(0)], at_start ? -paid : 0, 1e-12);
    EXPECT_NEAR(start.bodies[0].pose.position.z() - frame.bodies[0].pose.position.z(), paid * 1.0102, 1e-3);
    EXPECT_NEAR(frame.flow.bodies, -1020 * paid, 0.03 * 1020 * paid);
    EXPECT_EQ(frame.flow.clamps, 0);
  }
}

SENTENCE("cable", "steps of a winch allocate nothing, cuts and merges included") {
  Cable method(model_of(hoist()), usual());
  const double dt = 1.0 / 60;
  Frame frame;
  int step = 0;
  const auto go = [&](double speed, int steps) {
    const Live live = ordered(speed);
    for (int i = 0; i < steps; ++i, ++step) {
      std::ignore = method.step(step * dt, dt, live);
      method.write(frame);
    }
  };
  go(2, 150), go(-2, 150);
  const AllocationCount allocations;
  go(2, 150), go(-2, 150);
  const long count = allocations.count();
  EXPECT_EQ(count, 0);
}

SENTENCE("cable", "a winch loaded from a saved state goes on with the same bits; a damaged mesh is refused") {
  Cable whole(model_of(hoist()), usual()), other(model_of(hoist()), usual());
  double time = 0;
  run(whole, time, 1.5, ordered(1));
  StateWriter saved;
  whole.visit_state(saved);
  const std::vector<std::byte> bytes(saved.buffer().begin(), saved.buffer().end());
  StateReader reader(bytes);
  other.visit_state(reader);
  EXPECT_TRUE(reader.at_end());
  double again = time;
  const Frame a = run(whole, time, 2, ordered(-1)), b = run(other, again, 2, ordered(-1));
  ASSERT_EQ(a.position.size(), b.position.size());
  for (int i = 0; i < a.position.size(); ++i) EXPECT_EQ(a.position[NodeIndex(i)], b.position[NodeIndex(i)]) << i;
  EXPECT_EQ(a.own_energy.total(), b.own_energy.total());
  EXPECT_EQ(a.flow.clamps, b.flow.clamps);
  // Whatever byte of it is wrong: refused, or read without harm.
  int refused = 0;
  for (std::size_t i = bytes.size() / 2; i < bytes.size(); i += 7) {
    std::vector<std::byte> damaged = bytes;
    damaged[i] ^= std::byte{0x55};
    StateReader wrong(damaged);
    try {
      other.visit_state(wrong);
    } catch (const Misuse&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
  StateReader right(bytes);
  other.visit_state(right);
  EXPECT_EQ(out_of(other), 2 + other.feed().paid_out(0));
}

SENTENCE("cable", "a hand and a load stay at their material points while rope comes and goes") {
  Scene scene = hoist();
  ForceLoad push;
  push.rod = "rod", push.at = 0.5, push.value = Vec3(20, 0, 0);
  scene.loads.push_back(push);
  scene.bodies[0].damping = 1.5;
  Cable method(model_of(scene), usual());
  double time = 0;
  Frame frame = run(method, time, 6, {});
  const auto aside = [](const Frame& f, double s) {
    Vec3 place = Vec3::Zero();
    for (int k = 0; k + 1 < f.rods[0].nodes; ++k) {
      const double a = f.material[NodeIndex(k)], b = f.material[NodeIndex(k + 1)];
      if (s >= a && s <= b) place = ((b - s) * f.position[NodeIndex(k)] + (s - a) * f.position[NodeIndex(k + 1)]) / (b - a);
    }
    return place.x();
  };
  // F = T tan(alpha) of both halves: the load hangs 1 m below the push.
  EXPECT_NEAR(aside(frame, 1), 20.0 * 1 / 1010, 2e-3);
  run(method, time, 1, ordered(1));
  frame = run(method, time, 10, {});
  EXPECT_NEAR(frame.material[NodeIndex(0)], -1, 1e-12);
  EXPECT_NEAR(aside(frame, 1), 20.0 * 2 / 1010, 6e-3);  // twice as far from the drum
  EXPECT_NEAR(frame.reactions[0].force.x(), -20, 1.5);
}

SENTENCE("cable",
         "an adaptive rope has few segments where it is straight and those of the scene where it is bent, and is saved so") {
  Settings settings = usual();
  settings.adaptive = true;
  Scene taut = hoist();
  taut.winches.clear(), taut.rods[0].segments = 64;
  Cable method(model_of(taut), settings);
  double time = 0;
  Frame frame = run(method, time, 0.5, {});
  EXPECT_EQ(frame.rods[0].edges, 16);  // an eighth of a metre each; twice that would be more than a tenth of the rope
  EXPECT_LT(method.mesh_events().momentum, 1e-13);
  // Without its load, its other end brought near: it hangs in a loop.
  Scene slack = taut;
  slack.bodies.clear(), slack.joints.clear();
  slack.rods[0].rest = StraightCurve{Vec3::Zero(), Vec3(2, 0, 0)};
  Clamp far;
  far.name = "far", far.rod = slack.rods[0].name, far.at = 1, far.hold = {Hold::position};
  far.move.keys = {{0.2, Vec3::Zero()}, {4.2, Vec3(-1.6, 0, 0)}};
  slack.rods[0].damping.mass = 2;
  slack.clamps.push_back(far);
  Cable falling(model_of(slack), settings), other(model_of(slack), settings);
  time = 0;
  frame = run(falling, time, 0.2, {});
  const int straight = frame.rods[0].edges;
  int most = 0;
  for (int i = 0; i < 50; ++i) most = std::max(most, run(falling, time, 0.1, {}).rods[0].edges);
  EXPECT_GT(most, straight + 4);
  EXPECT_LE(most, 64);
  StateWriter saved;
  falling.visit_state(saved);
  StateReader reader(saved.buffer());
  other.visit_state(reader);
  double again = time;
  const Frame a = run(falling, time, 0.5, {}), b = run(other, again, 0.5, {});
  ASSERT_EQ(a.position.size(), b.position.size());
  for (int i = 0; i < a.position.size(); ++i) EXPECT_EQ(a.position[NodeIndex(i)], b.position[NodeIndex(i)]) << i;
}

}  // namespace
}  // namespace tendril::cable::winch_test
