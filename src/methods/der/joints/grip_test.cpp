// Hands and couplings: springs and dampers at a point, in motion and at rest.
#include <cmath>
#include <random>

#include "methods/der/der_testing.h"
#include "methods/der/rod/joint_hessian.h"
#include "model/grips.h"
#include "testing/allocation_count.h"
#include "testing/finite_difference.h"
#include "testing/random_rods.h"
#include "testing/reactions_of.h"
#include "testing/sentence.h"

using namespace tendril;
using namespace tendril::der;

namespace {

using Vec6 = Eigen::Matrix<double, 6, 1>;

Hand hand_at(double material, const Vec3& place, double stiffness, double damping) {
  Hand hand;
  hand.id = 1, hand.rod = 0, hand.material = material;
  hand.pose.position = place;
  hand.stiffness = stiffness, hand.damping = damping;
  return hand;
}
double worst_length(const Model& model, const Frame& frame) {
  double worst = 0;
  for (const RodModel& rod : model.rods)
    for (int k = 0; k < rod.span.edges; ++k) {
      const int end = k + 1 == rod.span.nodes ? 0 : k + 1;
      const double length =
          (frame.position[NodeIndex(rod.span.first_node + end)] - frame.position[NodeIndex(rod.span.first_node + k)]).norm();
      const double error = std::abs(length / model.rest_length[EdgeIndex(rod.span.first_edge + k)] - 1);
      if (!(error <= worst)) worst = error;
    }
  return worst;
}
Vec3 point_of(const Frame& frame, const Grip& grip) {
  return (1 - grip.share) * frame.position[grip.a] + grip.share * frame.position[grip.b];
}
Vec3 momentum_of(const Chain& c) {
  Vec3 sum = Vec3::Zero();
  for (const int v : c.vertex_of_node) sum += c.mass[z(v)] * to_eigen(c.v.get(v));
  return sum;
}

SENTENCE("der", "the spring of a grip has the gradient and the Hessian it says") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  for (const double share : {0.0, 0.3, 1.0}) {
    const Vec3 place(number(random), number(random), number(random));
    Vec6 x;
    for (int i = 0; i < 6; ++i) x[i] = number(random);
    const auto at = [&](const Vec6& y) {
      return spring_energy_with_derivatives(2.5, share, y.head<3>(), y.tail<3>(), place);
    };
    const auto gradient =
        compare_with_differences([&](const Vec6& y) { return at(y).energy; }, Eigen::VectorXd(at(x).gradient), x);
    EXPECT_TRUE(gradient.ok) << gradient.message;
    const auto hessian = compare_with_differences([&](const Vec6& y) { return Eigen::VectorXd(at(y).gradient); },
                                                  Eigen::MatrixXd(at(x).hessian), x);
    EXPECT_TRUE(hessian.ok) << hessian.message;
  }
}

SENTENCE("der",
         "a grip passes on to a free rod exactly the momentum of its spring and of its damper at the end of the step") {
  const auto model = model_of(one_rod(line, 10));
  const double dt = 1e-3, k = 4, c = 0.3;
  for (const double material : {0.0, 0.37, 0.5, 1.0}) {
    const Vec3 start(material, 0, 0), place(material, 0.2, -0.1), speed(0, 0, 0.5);
    for (const bool spring : {true, false}) {
      Settings whole;
      whole.push = Push::fast;  // leapfrog would begin with half a kick
      Der rod(model, whole);
      Live live;
      live.hands.add(hand_at(material, place, spring ? k : 0, spring ? 0 : c));
      live.hands.begin()->motion.linear = speed;
      const Grip grip = grip_at(*model, 0, material);
      const auto mass = [&](NodeIndex n) { return rod.chain().mass[z(rod.chain().vertex_of_node[z(n.value)])]; };
      const double W = std::pow(1 - grip.share, 2) / mass(grip.a) + std::pow(grip.share, 2) / mass(grip.b);
      ASSERT_EQ(rod.step(0, dt, live).outcome, Outcome::fine);
      const Vec3 J = momentum_of(rod.chain());
      // The point alone, pushed by J, then feels the law that gives J.
      const Vec3 v = W * J, x = start + dt * v;
      const Vec3 law = spring ? Vec3(dt * k * (place - x)) : Vec3(dt * c * (speed - v));
      EXPECT_GT(J.norm(), 1e-5);
      EXPECT_LT((law - J).norm(), 1e-12 * J.norm());
    }
  }
}

SENTENCE("der", "no hand is too wild: far jumps and jerks with any stiffness leave the rod whole") {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-1, 1);
  for (const bool ring : {false, true}) {
    Scene scene = one_rod(ring ? Curve(CircleCurve{Vec3::Zero(), Vec3::UnitZ(), 0.2}) : line, 20);
    if (!ring) add_clamp(scene, 0);
    scene.loads.push_back(GravityLoad{});
    const auto model = model_of(scene);
    const double dt = advised(*model), length = model->rods[0].length, mass = length;  // 1 kg/m
    const int steps_per_jerk = std::max(1, static_cast<int>(1e-3 / dt));
    for (const double k : {1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9}) {
      for (const bool damped : {false, true}) {
        SCOPED_TRACE(testing::Message() << "k = " << k << " m/dt^2, " << (ring ? "ring" : "rod") << ", damped " << damped);
        Der rod(model, {});
        Live live;
        const double stiffness = k * mass / 20 / (dt * dt);
        live.hands.add(hand_at(0.63 * length, Vec3::Zero(), stiffness, damped ? 2 * std::sqrt(stiffness * mass) : 0));
        bool fine = true;
        double time = 0, worst = 0;
        for (int i = 0; fine && i < 4000; ++i, time += dt) {
          if (i % steps_per_jerk == 0) {
            const double far = i < 2000 ? 1.0 : 100.0;
            live.hands.begin()->pose.position = far * length * Vec3(number(random), number(random), number(random));
          }
          const StepReport report = rod.step(time, dt, live);
          fine = report.outcome == Outcome::fine;
          EXPECT_TRUE(fine) << "step " << i << ": " << failure_of(report.cause, entry().info).sentence;
          if (i % 50 == 0) worst = std::max(worst, worst_length(*model, frame_of(rod)));
        }
        EXPECT_LT(worst, 1e-7);
        const Frame frame = frame_of(rod);
        for (const Vec3& p : frame.position) EXPECT_TRUE(p.allFinite());
        // And when the hand comes to rest, so that the rod can, it is where the hand is.
        if (ring && damped && k >= 1e-3) {
          live.hands.begin()->pose.position = point_of(frame, grip_at(*model, 0, 0.63 * length));
          for (int i = 0; fine && i < 4000; ++i, time += dt) fine = rod.step(time, dt, live).outcome == Outcome::fine;
          EXPECT_TRUE(fine);
        }
      }
    }
  }
}

SENTENCE("der", "a hand at a clamp moves nothing but is felt by the clamp") {
  Scene scene = one_rod(line, 10);
  add_clamp(scene, 0);
  const auto model = model_of(scene);
  Der rod(model, {}), still(model, {});
  Live live;
  live.hands.add(hand_at(0, Vec3(0, 0, 1), 100, 0));
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(rod.step(1e-3 * i, 1e-3, live).outcome, Outcome::fine);
    ASSERT_EQ(still.step(1e-3 * i, 1e-3, {}).outcome, Outcome::fine);
  }
  const Frame a = frame_of(rod), b = frame_of(still);
  for (int i = 0; i < a.position.size(); ++i) EXPECT_EQ(a.position[NodeIndex(i)], b.position[NodeIndex(i)]);
  const std::vector<Wrench> reactions = reactions_of(rod);
  EXPECT_LT((reactions[0].force - Vec3(0, 0, -100)).norm(), 1e-12);
}

SENTENCE("der", "with a coupling at rest a damped motion ends at the equilibrium that relax finds, also between two nodes") {
  for (const bool drag : {false, true}) {
    Scene scene = one_rod(line, 12);
    scene.rods[0].damping.mass = drag ? 0 : 6;
    add_clamp(scene, 0);
    scene.loads.push_back(GravityLoad{});
    if (drag) scene.loads.push_back(DragLoad{"", 6, 6});
    const auto model = model_of(scene);
    Live live;
    live.hands.add(hand_at(0.79, Vec3(0.7, 0.1, 0.25), 20, 4));
    Der relaxed(model, {});
    Live part = live;
    for (int i = 1; i <= 8; ++i) {
      part.hands.begin()->stiffness = live.hands.begin()->stiffness * i / 8;
      ASSERT_EQ(relaxed.relax(0, 1, part).outcome, Outcome::fine) << i;
    }
    // The scheme's equilibrium sees the spring in a row with dt^2/m (docs/methods/der.md): of second order in the step.
    std::vector<double> errors;
    for (const double finer : {1.0, 2.0, 4.0}) {
      Der moved(model, {});
      const double dt = advised(*model) / finer;
      for (double time = 0; time < 12; time += dt) ASSERT_EQ(moved.step(time, dt, live).outcome, Outcome::fine);
      const Frame a = frame_of(moved), b = frame_of(relaxed);
      double worst = 0;
      for (int i = 0; i < a.position.size(); ++i)
        worst = std::max(worst, (a.position[NodeIndex(i)] - b.position[NodeIndex(i)]).norm());
      errors.push_back(worst);
    }
    EXPECT_LT(errors[2], 5e-4);
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.3) << errors[0] << " " << errors[1] << " " << errors[2];
    EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.3);
  }
}

SENTENCE("der", "a spring at the end of a cantilever: EI w'''' = 0 gives F = k d / (1 + k L^3 / 3 EI), with order two") {
  // Small displacement, so that the linear beam holds: the end moves by d k/(k + 3 EI/L^3).
  const double k = 6, d = 1e-5;
  std::vector<double> errors;
  for (const int segments : {10, 20, 40}) {
    Scene scene = one_rod(line, segments);
    scene.time.mode = Mode::statics;
    add_clamp(scene, 0);
    Coupling spring;
    spring.name = "spring", spring.rod = "rod", spring.at = 1, spring.stiffness = k;
    spring.position = Vec3(1, 0, d);
    scene.couplings.push_back(spring);
    Der rod(model_of(scene), {});
    const StepReport report = rod.relax(1, 1, {});
    ASSERT_EQ(report.outcome, Outcome::fine);
    EXPECT_TRUE(report.verdict.minimum());
    const double tip = frame_of(rod).position[NodeIndex(segments)].z();
    errors.push_back(std::abs(tip / (d * k / (k + 3)) - 1));
  }
  EXPECT_LT(errors[2], 1e-3);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.2);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.2);
}

SENTENCE("der", "relax follows springs from soft to nearly as stiff as a clamp") {
  Scene scene = one_rod(line, 16);
  add_clamp(scene, 0);
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -1)});
  const auto model = model_of(scene);
  for (const double stiffness : {1e-3, 1.0, 1e3, 1e6}) {
    SCOPED_TRACE(stiffness);
    Der rod(model, {});
    Live live;
    live.hands.add(hand_at(0.9, Vec3(0.9, 0, 0), stiffness, 0));
    for (int i = 0; i <= 20; ++i) {
      live.hands.begin()->pose.position = Vec3(0.9, 0, 0) + 0.05 * i * Vec3(-0.4, 0.3, 0.3);
      ASSERT_EQ(rod.relax(0, 1, live).outcome, Outcome::fine) << i;
    }
    const Frame frame = frame_of(rod);
    EXPECT_LT(worst_length(*model, frame), 1e-9);
    const double away = (point_of(frame, grip_at(*model, 0, 0.9)) - live.hands.begin()->pose.position).norm();
    if (stiffness >= 1e3) {
      EXPECT_LT(away, 30 / stiffness);
    }
  }
}

SENTENCE("der", "steps with hands and couplings allocate nothing") {
  Scene scene = one_rod(line, 10);
  add_clamp(scene, 0);
  Coupling coupling;
  coupling.name = "c", coupling.rod = "rod", coupling.at = 0.5, coupling.stiffness = 3;
  coupling.move.keys = {{0, Vec3::Zero()}, {1, Vec3(0, 0.1, 0)}};
  scene.couplings.push_back(coupling);
  Der rod(model_of(scene), {});
  Live live;
  std::ignore = rod.step(0, 1e-3, live);
  const AllocationCount allocations;
  live.hands.add(hand_at(0.77, Vec3(0.7, 0.1, 0), 5, 1));
  for (int i = 1; i < 50; ++i) rod.step(1e-3 * i, 1e-3, live);
  const long count = allocations.count();
  EXPECT_EQ(count, 0);
}

}  // namespace
