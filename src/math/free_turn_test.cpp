#include "math/free_turn.h"

#include "testing/sentence.h"

namespace tendril {
namespace {

double energy_of(const Quat& q, const Vec3& inertia, const Vec3& momentum) {
  const Vec3 own = q.conjugate() * momentum;
  return 0.5 * own.dot(own.cwiseQuotient(inertia));
}
Vec3 spin_of(const Quat& q, const Vec3& inertia, const Vec3& momentum) {
  return q * (q.conjugate() * momentum).cwiseQuotient(inertia);
}

SENTENCE("math", "a free body with an axis of symmetry turns exactly, in one step as in a thousand") {
  for (const Vec3& inertia : {Vec3(2, 2, 0.01), Vec3(0.5, 3, 3), Vec3(1, 0.2, 1), Vec3(2, 2, 2)}) {
    const Quat start = exp_quat(Vec3(0.3, -0.2, 0.9));
    const Vec3 momentum = start * inertia.cwiseProduct(Vec3(1.5, -0.7, 4));
    Quat q = start;
    for (int i = 0; i < 1000; ++i) q = turn_freely(q, inertia, spin_of(q, inertia, momentum), 1e-3);
    EXPECT_LT(turn_freely(start, inertia, spin_of(start, inertia, momentum), 1).angularDistance(q), 1e-10);
  }
}

SENTENCE("math", "a free body that tumbles about its middle axis keeps its energy over a hundred thousand steps") {
  const Vec3 inertia(0.13 / 12, 0.1 / 12, 0.05 / 12);  // a box of 0.1 x 0.2 x 0.3 m, 1 kg
  const Vec3 momentum = inertia.cwiseProduct(Vec3(0.1, 100, 0.1));
  Quat q = Quat::Identity();
  const double start = energy_of(q, inertia, momentum);
  double worst = 0, least = 1;
  for (int i = 0; i < 100000; ++i) {
    q = turn_freely(q, inertia, spin_of(q, inertia, momentum), 1.0 / 120);  // 0.83 rad
    worst = std::max(worst, std::abs(energy_of(q, inertia, momentum) / start - 1));
    least = std::min(least, (q.conjugate() * momentum).y() / momentum.norm());
  }
  EXPECT_LT(worst, 1e-3);
  EXPECT_LT(least, -0.99);  // it has tumbled
}

SENTENCE("math", "a free body without symmetry turns to second order in the step") {
  const Vec3 inertia(1, 1.4, 2), spin(0.03, 0.02, 0.01);  // so slow that a step is one part
  const auto after = [&](int steps) {
    Quat q = exp_quat(Vec3(0.1, 0.2, 0.3));
    const Vec3 momentum = q * inertia.cwiseProduct(q.conjugate() * spin);
    for (int i = 0; i < steps; ++i) q = turn_freely(q, inertia, spin_of(q, inertia, momentum), 2.0 / steps);
    return q;
  };
  const Quat exact = after(512);
  const double coarse = after(2).angularDistance(exact), fine = after(4).angularDistance(exact);
  EXPECT_GT(coarse, 1e-9);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
}

}  // namespace
}  // namespace tendril
