#include "methods/der/rod/internal_damping.h"

#include "methods/der/der_testing.h"
#include "testing/sentence.h"

using namespace tendril;
using namespace tendril::der;

namespace {

double damped_energy(const Der& rod) { return frame_of(rod).own_energy.total(); }

Vec3 angular_momentum_of(const Der& rod) {
  const Frame frame = frame_of(rod);
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < frame.position.size(); ++i)
    sum += rod.chain().mass[z(rod.chain().vertex_of_node[z(i)])] *
           frame.position[NodeIndex{i}].cross(frame.velocity[NodeIndex{i}]);
  return sum;
}

}  // namespace

SENTENCE("der", "internal damping lets the first mode of a cantilever decay at the rate tau omega^2 / 2") {
  const double tau = 0.01, omega = 3.5160;  // rad/s for EI = mass per length = length = 1
  for (const bool general : {false, true}) {
    Scene scene = one_rod(line, 16, plain_section(1, 1, 1));
    add_clamp(scene, 0);
    scene.rods[0].damping.internal = tau;
    scene.rods[0].angular_velocity = Vec3(0, 0, 1e-3);  // small: linear
    const auto model = model_of(scene);
    Settings settings;
    settings.general = general;
    Der rod(model, settings);
    // Higher modes decay at least 39 times as fast and are gone after a period. Energies a whole number of periods apart.
    const double period = 2 * 3.14159265358979 / omega, h = period / 4000;
    double first = 0;
    for (int i = 0; i < 4 * 4000; ++i) {
      if (i == 4000) first = damped_energy(rod);
      ASSERT_EQ(rod.step(i * h, h, {}).outcome, Outcome::fine);
    }
    const double rate = std::log(first / damped_energy(rod)) / (3 * period);
    EXPECT_NEAR(rate / (tau * omega * omega), 1, 0.02) << general;
  }
}

SENTENCE("der", "internal damping does not shorten the advised step") {
  Scene scene = one_rod(line, 16);
  const double without = advised(*model_of(scene));
  scene.rods[0].damping.internal = 10;
  EXPECT_EQ(advised(*model_of(scene)), without);
}

SENTENCE("der", "internal damping, however strong, stops bending and leaves momenta and rigid turning alone") {
  for (const int kind : {0, 1, 2}) {  // bent out of its shape; twisted strip; ring
    Scene scene = kind == 2 ? one_rod(CircleCurve{}, 16, plain_section(1, 0.3)) : one_rod(line, 16, plain_section(1, 0.3));
    if (kind < 2) scene.rods[0].initial = ArcCurve{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), 0.8, 1.25};
    if (kind == 1) scene.rods[0].natural_twist = 2;
    scene.rods[0].velocity = Vec3(0.1, 0.2, 0.3);
    scene.rods[0].angular_velocity = Vec3(1, 2, 3);
    for (const double tau : {1e-2, 1e4}) {
      scene.rods[0].damping.internal = tau;
      const auto model = model_of(scene);
      Der rod(model, {});
      const Vec3 before = angular_momentum_of(rod);
      const double energy = damped_energy(rod), kinetic = frame_of(rod).own_energy.kinetic;
      const double h = advised(*model);
      for (int i = 0; i * h < 0.5; ++i) ASSERT_EQ(rod.step(i * h, h, {}).outcome, Outcome::fine);
      EXPECT_LT((angular_momentum_of(rod) - before).norm(), (tau > 1 ? 1e-5 : 1e-6) * before.norm()) << kind << " " << tau;
      EXPECT_LT(damped_energy(rod), energy * (1 + 1e-6)) << kind << " " << tau;
      // Frozen in its shape by the strongest damping it goes on turning.
      if (tau > 1) {
        EXPECT_NEAR(frame_of(rod).own_energy.kinetic / kinetic, 1, 0.05) << kind;
      }
    }
  }
}

SENTENCE("der", "a damped rod at rest under load is where the undamped equilibrium is") {
  Scene scene = one_rod(line, 12, plain_section(1, 1, 1));
  add_clamp(scene, 0);
  scene.loads.push_back(GravityLoad{});
  const auto model = model_of(scene);
  Der still(model, {});
  ASSERT_EQ(still.relax(0, 1, {}).outcome, Outcome::fine);
  scene.rods[0].damping.internal = 0.2;
  const auto damped = model_of(scene);
  Der rod(damped, {});
  const double h = advised(*damped);
  for (int i = 0; i * h < 12; ++i) ASSERT_EQ(rod.step(i * h, h, {}).outcome, Outcome::fine);
  EXPECT_LT((frame_of(rod).position[NodeIndex{12}] - frame_of(still).position[NodeIndex{12}]).norm(), 1e-6);
}
