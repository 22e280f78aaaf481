// The largest stable step of RedMax, extended to rods, against that of `compact`: a helix under gravity of 1 to 1000 m/s^2.
//
// RedMax first goes to reduced coordinates, then discretises time: velocities are linearly implicit, M v+ = M v + h (f - M J' v) - h^2 K v+
// with the stiffness K of the joints only; weight and centrifugal terms are explicit. [Zhao 2022, App. C; ERRATA Z18]
// A change from relative to absolute angular velocities is linear and changes none of them, so that the chain solver of `compact` serves here,
// too; frames are turned by them, which differs from adding to exponential coordinates of joints by the second order of a step.
//
// Weight and tension, which RedMax leaves out of its matrix, make it unstable where they are stiffer than the joints: in the limit of long steps
// a mode of elastic stiffness k and stiffness g of the weight is multiplied by -g/k in every step. The paper does not give the modulus of
// its helix. With 1 MPa joints win at every g up to 1000 m/s^2 (columns of the CSV); with 0.03 MPa they do not. `compact` is asked for
// both.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "linear/chain_ldlt.h"
#include "math/rotation.h"
#include "methods/compact/compact.h"
#include "validation/experiment.h"

namespace tendril::experiments::compact_redmax {
namespace {

using namespace compact;

constexpr int helix_segments = 50;
constexpr double soft = 3e4, stiff = 1e6;  // Young's moduli [Pa]: one that g bends, and that of the paper's Fig. 11

std::shared_ptr<const Model> heavy_helix(double E, double g) {
  Scene scene;
  scene.title = "helix", scene.method = "compact";
  const double r = 0.03, area = math::pi * r * r, EI = E * 0.25 * area * r * r;
  Rod rod;
  rod.name = "helix";
  rod.segments = helix_segments;
  rod.section = StiffnessSection{.EA = {}, .EI1 = EI, .EI2 = EI, .GJ = 2 * EI, .mass_per_length = area, .radius = r};
  rod.rest = HelixCurve{Vec3::Zero(), Vec3(0, 0, -1), Vec3::UnitX(), 0.1, 0.05, 5};
  scene.rods.push_back(rod);
  Clamp wall;
  wall.name = "wall", wall.rod = "helix";
  scene.clamps.push_back(wall);
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -g)});
  return std::make_shared<const Model>(*build_model(scene));
}

class RedMax {
 public:
  explicit RedMax(const Model& model)
      : chain_(build_chain(model, 0, StrainKind::angle)),
        gravity_(model.gravity),
        wall_(model.clamps[0].start.orientation),
        q_(start_state(model, chain_).q) {
    spin_.assign(q_.size(), Vec3::Zero());
    matrix_.resize(chain_.real());
    matrix_.hold_root(true);
    right_.resize(z(matrix_.size()));
  }
  void step(double h) {
    const int n = chain_.real();
    Vec3 velocity = Vec3::Zero(), bias = Vec3::Zero();
    std::vector<Vec3> push(z(n));  // momentum and impulses on the far nodes
    for (int i = 0; i < n; ++i) {
      auto& link = matrix_.link(i);
      const Mat3 frame = q_[z(i)].toRotationMatrix();
      link.arm = chain_.links[z(i)].length * frame.col(2);
      velocity += spin_[z(i)].cross(link.arm), bias += spin_[z(i)].cross(spin_[z(i)].cross(link.arm));
      const double m = chain_.mass[z(i + 1)];
      link.node = m * Mat3::Identity();
      push[z(i)] = m * (velocity - h * bias + h * gravity_);
      const double j1 = chain_.links[z(i)].inertia2, j2 = chain_.links[z(i)].inertia1;  // about d1, d2
      const Mat3 inertia = frame * Vec3(j1, j2, j1 + j2).asDiagonal() * frame.transpose();
      link.turn = inertia;
      put(i, inertia * spin_[z(i)] - h * spin_[z(i)].cross(Vec3(inertia * spin_[z(i)])));
    }
    for (int i = 0; i < n; ++i) add_joint(i, h);
    Vec3 beyond = Vec3::Zero();
    for (int i = n - 1; i >= 0; --i) beyond += push[z(i)], put(i, get(i) + matrix_.link(i).arm.cross(beyond));
    std::ignore = matrix_.factor(1e-300);
    matrix_.solve(right_);
    for (int i = 0; i < n; ++i) {
      spin_[z(i)] = get(i);
      q_[z(i)] = (exp_quat(Vec3(h * spin_[z(i)])) * q_[z(i)]).normalized();
    }
  }
  double energy() const {  // kinetic and of the weight; elastic energy is never negative
    double sum = 0;
    Vec3 x = Vec3::Zero(), v = Vec3::Zero();
    for (int i = 0; i < chain_.real(); ++i) {
      const Vec3 arm = chain_.links[z(i)].length * (q_[z(i)] * Vec3::UnitZ());
      x += arm, v += spin_[z(i)].cross(arm);
      sum += chain_.mass[z(i + 1)] * (0.5 * v.squaredNorm() - gravity_.dot(x));
    }
    return sum;
  }

 private:
  void put(int i, const Vec3& v) { Eigen::Map<Vec3>(right_.data() + 3 + 3 * i) = v; }
  Vec3 get(int i) const { return Eigen::Map<const Vec3>(right_.data() + 3 + 3 * i); }
  // kappa_j = Q_j/l_j [Zhao 2022, eq. (33)-(36)], Q by bend and twist as in `compact`, and its exact gradient: with the rotation vector and no
  // derivative of the logarithm moments are not those of an energy, and small steps gain energy.
  void add_joint(int i, double h) {
    const compact::Joint& joint = i == 0 ? chain_.walls[0] : chain_.joints[z(i)];
    const Quat& before = i == 0 ? wall_ : q_[z(i - 1)];
    const Mat3 frame = before.toRotationMatrix();
    const StrainPoint point = strain_point(StrainKind::angle, before.conjugate() * q_[z(i)], 0);
    const Mat3 slopes = strain_gradient(point) * frame.transpose();
    const Vec3 moment = slopes.transpose() * joint.kappa.cwiseProduct(point.strain - joint.rest);
    const Mat3 K = (h * h) * slopes.transpose() * joint.kappa.asDiagonal() * slopes;
    put(i, get(i) - h * moment);
    if (i == 0) {
      matrix_.link(0).turn += K;
      return;
    }
    put(i - 1, get(i - 1) + h * moment);
    matrix_.link(i).joint = K;
  }
  Chain chain_;
  Vec3 gravity_;
  Quat wall_;
  std::vector<Quat> q_;
  std::vector<Vec3> spin_;
  ChainLDLT matrix_;
  std::vector<double> right_;
};

// Two seconds, or 200 steps: energy must not come from nowhere, more than half of what all of the weight could give.
bool redmax_holds(const Model& model, double h) {
  RedMax rod(model);
  const double start = rod.energy(),
               most = start + 0.5 * model.rods[0].length * model.gravity.norm() * model.rods[0].length * 0.0028;
  for (int k = 0; k < std::max(200, static_cast<int>(2 / h)); ++k) {
    rod.step(h);
    if (!(rod.energy() < most)) return false;
  }
  return true;
}
double largest_step(const Model& model) {
  double good = 1e-4, bad = 1;
  if (!redmax_holds(model, good)) return 0;
  while (bad / good > 1.05) {
    const double middle = std::sqrt(good * bad);
    (redmax_holds(model, middle) ? good : bad) = middle;
  }
  return good;
}
struct Held {
  bool fine = true;
  int most = 0;  // iterations
};
Held compact_holds(double E, double g, double h) {
  const auto model = heavy_helix(E, g);
  Settings settings;
  settings.scheme = Scheme::euler, settings.strain = StrainKind::sine;
  Compact method(model, settings);
  Held held;
  for (int k = 0; k < 40; ++k) {
    const StepReport report = method.step(k * h, h, {});
    held.fine = held.fine && report.outcome == Outcome::fine;
    held.most = std::max(held.most, report.iterations);
  }
  return held;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  double first = 0, before = HUGE_VAL;
  for (const double g : {1.0, 10.0, 100.0, 1000.0}) {
    const double h = largest_step(*heavy_helix(soft, g)), of_stiff = largest_step(*heavy_helix(stiff, g));
    const Held held_soft = compact_holds(soft, g, 0.25), held = compact_holds(stiff, g, 0.25);
    rows.push_back({g, h, of_stiff, 1.0 * held_soft.most, 1.0 * held.most});
    if (first == 0) first = h;
    checks.push_back({fmt::format("redmax, 0.03 MPa, g = {:g}: largest step [s], not above that of a tenth of g", g), before,
                      h, 0, 0, h <= before});
    before = h;
    for (const bool is_soft : {true, false})
      checks.push_back(
          absolute_check(fmt::format("compact, {} MPa, g = {:g}: holds 40 steps of 250 ms", is_soft ? "0.03" : "1", g), 1,
                         (is_soft ? held_soft : held).fine ? 1 : 0, 0));
  }
  checks.push_back(bound_check("redmax, 0.03 MPa: largest step at 1000 over that at 1 m/s^2", before / first, 0.01));
  context.write_csv("steps",
                    {"g [m/s^2]", "redmax, 0.03 MPa: largest step [s], 0: below 0.1 ms", "redmax, 1 MPa: largest step [s]",
                     "compact, 0.03 MPa, 250 ms: most iterations", "compact, 1 MPa, 250 ms: most iterations"},
                    rows);
  return checks;
}

}  // namespace tendril::experiments::compact_redmax
