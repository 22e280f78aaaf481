#include "methods/cable/particles/particle_cable.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "methods/cable/particles/particle_kernels.h"
#include "testing/allocation_count.h"
#include "testing/finite_difference.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

namespace tendril::cable::particles {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using enum ParticleModel;

constexpr ParticleModel all_models[] = {chain, total_length, load_link, total_length_cut, angles, bend_forces};

VectorXd random_points(Random& random, int count) {
  VectorXd x(3 * count);
  for (int i = 0; i < count; ++i) x.segment<3>(3 * i) = Vec3(i, 0, 0) + 0.3 * random.vector();
  return x;
}
Vec3 point(const VectorXd& x, int i) { return x.segment<3>(3 * i); }
std::vector<Vec3> points(const VectorXd& x) {
  std::vector<Vec3> list;
  for (int i = 0; i < x.size() / 3; ++i) list.push_back(point(x, i));
  return list;
}

SENTENCE("cable", "gradients of the particles' constraints are those of finite differences") {
  Random random(1301);
  for (int trial = 0; trial < 20; ++trial) {
    const auto length = [](const VectorXd& x) { return distance(point(x, 0), point(x, 1)).length; };
    const auto length_gradient = [](const VectorXd& x) {
      const Vec3 u = distance(point(x, 0), point(x, 1)).direction;
      return VectorXd((VectorXd(6) << -u, u).finished());
    };
    const auto angle = [](const VectorXd& x) { return bend_angle(point(x, 0), point(x, 1), point(x, 2)).angle; };
    const auto angle_gradient = [](const VectorXd& x) {
      const BendAngle bend = bend_angle(point(x, 0), point(x, 1), point(x, 2));
      return VectorXd((VectorXd(9) << bend.gradient[0], bend.gradient[1], bend.gradient[2]).finished());
    };
    const auto whole = [](const VectorXd& x) {
      std::vector<Vec3> gradient(std::size_t(x.size() / 3));
      return cable_length(points(x), gradient);
    };
    const auto whole_gradient = [](const VectorXd& x) {
      std::vector<Vec3> gradient(std::size_t(x.size() / 3));
      cable_length(points(x), gradient);
      VectorXd flat(x.size());
      for (int i = 0; i < x.size() / 3; ++i) flat.segment<3>(3 * i) = gradient[std::size_t(i)];
      return flat;
    };
    const auto compare = [](const auto& value, const auto& gradient, const VectorXd& x) {
      return compare_with_differences(value, gradient(x), x);
    };
    const auto link = compare(length, length_gradient, random_points(random, 2));
    const auto bend = compare(angle, angle_gradient, random_points(random, 3));
    const auto cable = compare(whole, whole_gradient, random_points(random, 6));
    EXPECT_TRUE(link.ok) << link.message;
    EXPECT_TRUE(bend.ok) << bend.message;
    EXPECT_TRUE(cable.ok) << cable.message;
  }
}

// Eqs. (14)-(16) as printed.
SENTENCE("cable", "the bend angle's gradient is the printed one, and zero where the links are straight") {
  Random random(1302);
  for (int trial = 0; trial < 20; ++trial) {
    const VectorXd x = random_points(random, 3);
    const Vec3 d0 = point(x, 1) - point(x, 0), d1 = point(x, 2) - point(x, 1), dx = d0.cross(d1);
    const double size = dx.norm(), d = d0.dot(d1), below = size * size + d * d;
    const Vec3 a[3] = {dx.cross(d1) / size, -dx.cross(d0 + d1) / size, dx.cross(d0) / size};
    const Vec3 b[3] = {-d1, d1 - d0, d0};
    const BendAngle bend = bend_angle(point(x, 0), point(x, 1), point(x, 2));
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_LT((bend.gradient[k] - (d / below * a[k] - size / below * b[k])).norm(), 1e-13) << k;
  }
  const BendAngle straight = bend_angle(Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0));
  EXPECT_EQ(straight.angle, 0);
  for (const Vec3& gradient : straight.gradient) EXPECT_EQ(gradient.norm(), 0);
}

ParticleCableDescription random_cable(Random& random, ParticleModel model, int n) {
  ParticleCableDescription cable = horizontal_cable(model, n, 1, 1);
  cable.anchor = Vec3(0.1, -0.2, 0.3);
  for (Vec3& x : cable.position) x += 0.2 * random.vector();
  for (double& mass : cable.mass) mass = random.uniform(0.3, 3);
  cable.gravity = Vec3(1, 2, -9);
  cable.stretch_compliance = 1e-3, cable.extra_compliance = 4e-3, cable.damping = 0.02;
  return cable;
}

// phi of all rows, in the order of the multipliers, of positions without the anchor.
VectorXd constraints(const ParticleCableDescription& cable, const VectorXd& flat) {
  const int n = int(cable.position.size());
  std::vector<Vec3> x{cable.anchor};
  for (int i = 0; i < n; ++i) x.push_back(point(flat, i));
  const auto at = [&](int i) { return x[std::size_t(i)]; };
  std::vector<double> phi;
  double whole = -n * cable.link_length;
  for (int i = 0; i < n; ++i) {
    whole += (at(i + 1) - at(i)).norm();
    if (cable.model == total_length_cut && i == n - 1) continue;
    phi.push_back((at(i + 1) - at(i)).norm() - cable.link_length);
    if (cable.model == angles && i + 1 < n) phi.push_back(bend_angle(at(i), at(i + 1), at(i + 2)).angle);
  }
  if (cable.model == load_link) phi.push_back((at(n) - at(0)).norm() - n * cable.link_length);
  if (cable.model == total_length || cable.model == total_length_cut) phi.push_back(whole);
  return Eigen::Map<VectorXd>(phi.data(), Eigen::Index(phi.size()));
}

// Both lines of eq. (9) with their matrix (10), damping after ERRATA S3, whose J is taken from differences of phi.
SENTENCE("cable", "a step of particles solves the equations of the scheme, in every model") {
  Random random(1303);
  constexpr double dt = 0.01;
  for (const ParticleModel model : all_models) {
    for (const int n : {1, 2, 3, 7}) {
      const ParticleCableDescription is = random_cable(random, model, n);
      ParticleCable cable(is);
      VectorXd x(3 * n), v(3 * n);
      for (int i = 0; i < n; ++i) {
        x.segment<3>(3 * i) = is.position[std::size_t(i)];
        v.segment<3>(3 * i) = random.vector();
        cable.set_velocity(i + 1, point(v, i));
      }
      const VectorXd phi = constraints(is, x);
      const Eigen::Index rows = phi.size();
      MatrixXd J(rows, 3 * n);
      VectorXd bend_force = VectorXd::Zero(3 * n);
      const auto energy = [&](const VectorXd& y) {
        ParticleCableDescription bent = is;
        bent.model = angles;
        const VectorXd all = constraints(bent, y);
        double sum = 0;
        for (int k = 1; k < all.size(); k += 2) sum += 0.5 * all[k] * all[k] / is.extra_compliance;
        return sum;
      };
      constexpr double h = 1e-5;
      for (int k = 0; k < 3 * n; ++k) {
        VectorXd more = x, less = x;
        more[k] += h, less[k] -= h;
        J.col(k) = (constraints(is, more) - constraints(is, less)) / (2 * h);
        if (model == bend_forces) bend_force[k] = -(energy(more) - energy(less)) / (2 * h);
      }
      ASSERT_EQ(cable.rows(), int(rows));
      EXPECT_TRUE(cable.step(dt).positive_definite());
      const VectorXd lambda = Eigen::Map<const VectorXd>(cable.multipliers().data(), rows);
      VectorXd after(3 * n), wanted(3 * n);
      const VectorXd pull = J.transpose() * lambda + bend_force;
      for (int i = 0; i < n; ++i) {
        after.segment<3>(3 * i) = cable.velocities()[std::size_t(i + 1)];
        wanted.segment<3>(3 * i) = point(v, i) + dt * (is.gravity + point(pull, i) / is.mass[std::size_t(i)]);
        EXPECT_LT((cable.positions()[std::size_t(i + 1)] - point(x, i) - dt * point(after, i)).norm(), 1e-14);
      }
      EXPECT_LT((after - wanted).norm(), 1e-7 * (1 + dt * pull.norm())) << int(model) << " n " << n;
      // eps lambda = -(phi + (dt + damping) J v'), the last being the rate at the step's end.
      for (Eigen::Index j = 0; j < rows; ++j) {
        const bool extra =
            (model == angles && j % 2 == 1) || (model != angles && model != chain && model != bend_forces && j == rows - 1);
        const double eps = extra ? is.extra_compliance : is.stretch_compliance;
        const double right = -(phi[j] + (dt + is.damping) * J.row(j).dot(after));
        EXPECT_NEAR(eps * lambda[j], right, 1e-7) << int(model) << " n " << n << " row " << j;
      }
      EXPECT_EQ(cable.velocities()[0], Vec3(Vec3::Zero()));
      EXPECT_EQ(cable.positions()[0], is.anchor);
    }
  }
}

SENTENCE("cable", "a cable of particles hangs at rest with every link stretched by the weight below it") {
  for (const ParticleModel model : {chain, angles, bend_forces}) {
    constexpr int n = 6;
    ParticleCableDescription is = horizontal_cable(model, n, 2, 30);
    is.stretch_compliance = 1e-5;
    double depth = 0, below = 30 + 2.0 * (n - 1);
    for (std::size_t i = 0; i < n; ++i, below -= 2) {
      depth += 1 + is.stretch_compliance * below * 10;
      is.position[i] = Vec3(0, 0, -depth);
    }
    ParticleCable cable(is);
    for (int k = 0; k < 600; ++k) std::ignore = cable.step(1.0 / 60);
    const std::size_t stride = model == angles ? 2 : 1;
    double weight = 10 * (30 + 2.0 * (n - 1));
    for (std::size_t i = 0; i < n; ++i, weight -= 20) {
      EXPECT_LT((cable.positions()[i + 1] - is.position[i]).norm(), 1e-11);
      EXPECT_NEAR(cable.multipliers()[i * stride], -weight, 1e-6 * weight);  // a force that shortens is negative
    }
  }
}

// Quarter of a period K(1/sqrt 2) sqrt(L/g), tension at the bottom 3 M g, both of first order in dt.
SENTENCE("cable", "a load dropped from the horizontal swings as a pendulum does, to first order in the step") {
  const auto drop = [](double dt) {
    ParticleCableDescription is = horizontal_cable(load_link, 1, 1, 7, 2.5);
    is.stretch_compliance = is.extra_compliance = 1e-12;
    ParticleCable cable(is);
    double time = 0, before = 0;
    while (cable.positions()[1].x() > 0) {
      before = cable.positions()[1].x();
      std::ignore = cable.step(dt);
      time += dt;
    }
    time -= dt * cable.positions()[1].x() / (cable.positions()[1].x() - before);
    return std::pair{time, -(cable.multipliers()[0] + cable.multipliers()[1])};
  };
  const double quarter = 1.8540746773013719 * std::sqrt(2.5 / 10), tension = 3 * 70;
  const auto [t1, f1] = drop(1e-3);
  const auto [t2, f2] = drop(5e-4);
  EXPECT_NEAR(t1, quarter, 2e-3 * quarter);
  EXPECT_NEAR(f1, tension, 5e-3 * tension);
  EXPECT_NEAR(std::log2(std::abs(t1 - quarter) / std::abs(t2 - quarter)), 1, 0.1);
  EXPECT_LT(std::abs(f2 - tension), 0.7 * std::abs(f1 - tension));
}

SENTENCE("cable", "particles in steps allocate nothing") {
  Random random(1304);
  for (const ParticleModel model : all_models) {
    ParticleCable cable(random_cable(random, model, 8));
    const AllocationCount allocations;
    for (int k = 0; k < 10; ++k) std::ignore = cable.step(0.005);
    const long count = allocations.count();
    EXPECT_EQ(count, 0) << int(model);
    EXPECT_TRUE(std::isfinite(cable.largest_stretch()));
  }
}

SENTENCE("cable", "a load of 1e15 particles falls with its cable: pivots of 1e-15 are solved, not replaced") {
  for (const ParticleModel model : {load_link, angles}) {
    ParticleCableDescription is = horizontal_cable(model, 5, 1, 1e15);
    is.stretch_compliance = 1e-18, is.extra_compliance = model == angles ? 1e-17 : 1e-22;
    ParticleCable cable(is);
    double smallest = 1;
    for (int k = 0; k < 60; ++k) {  // it passes the bottom after 1.31 s: here it is on its way
      const PivotReport report = cable.step(1.0 / 60);
      ASSERT_TRUE(report.positive_definite()) << "step " << k << ": " << report.smallest;
      smallest = std::min(smallest, report.smallest);
    }
    EXPECT_LT(smallest, 2e-14);
    EXPECT_LT(cable.largest_stretch(), 0.1);
    EXPECT_LT(cable.positions()[5].z(), -2);
  }
}

// eps lambda = -(phi + dt J v'), summed over the links: forces of 3e15 N, of which single links know no more than 0.5 N, cancel there. One
// solve alone misses it by 6e-3, because eps/dt^2 of 4e-14 is added to 2/m.
SENTENCE("cable", "a cable with a load of 1e14 particles has its own compliance, to four digits") {
  constexpr std::size_t n = 5;
  ParticleCableDescription is = horizontal_cable(angles, n, 1, 1e14);
  is.stretch_compliance = 1e-17, is.extra_compliance = 1e-16;
  ParticleCable cable(is);
  double worst = 0;
  for (int k = 0; k < 90; ++k) {
    const std::vector<Vec3> before(cable.positions().begin(), cable.positions().end());
    ASSERT_TRUE(cable.step(1.0 / 60).positive_definite());
    double give = 0, stretch = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Distance link = distance(before[i], before[i + 1]);
      const double rate = link.direction.dot(cable.velocities()[i + 1] - cable.velocities()[i]);
      give -= is.stretch_compliance * cable.multipliers()[2 * i];
      stretch += link.length - is.link_length + rate / 60;
    }
    if (k > 5) worst = std::max(worst, std::abs(stretch - give) / give);  // before, it hardly pulls
  }
  EXPECT_LT(worst, 1e-4);
}

SENTENCE("cable", "particles that cannot be stepped are refused with a sentence") {
  const auto refused = [](auto change, const std::string& words) {
    ParticleCableDescription is = horizontal_cable(total_length, 3, 1, 10);
    change(is);
    try {
      ParticleCable cable(is);
      ADD_FAILURE() << "taken: " << words;
    } catch (const Misuse& misuse) {
      EXPECT_NE(std::string(misuse.what()).find(words), std::string::npos) << misuse.what();
    }
  };
  using Is = ParticleCableDescription;
  refused([](Is& is) { is.position.clear(), is.mass.clear(); }, "at least one particle");
  refused([](Is& is) { is.mass.pop_back(); }, "every particle needs a mass");
  refused([](Is& is) { is.mass[1] = 0; }, "masses must be > 0");
  refused([](Is& is) { is.link_length = -1; }, "length of a link must be > 0");
  refused([](Is& is) { is.stretch_compliance = -1e-9; }, "compliances must be >= 0");
  refused([](Is& is) { is.extra_compliance = std::nan(""); }, "compliances must be >= 0");
  refused([](Is& is) { is.damping = -1; }, "damping must be >= 0");
  refused([](Is& is) { is.stretch_compliance = is.extra_compliance = 0; }, "one of the compliances must be > 0");
  refused([](Is& is) { is.model = angles, is.extra_compliance = 0; }, "compliance of bending must be > 0");
  ParticleCable cable(horizontal_cable(chain, 2, 1, 1));
  EXPECT_THROW(std::ignore = cable.step(0), Misuse);
  EXPECT_THROW(cable.set_velocity(0, Vec3(1, 0, 0)), Misuse);
  EXPECT_THROW(cable.set_velocity(3, Vec3(1, 0, 0)), Misuse);
}

}  // namespace
}  // namespace tendril::cable::particles
