// Stiffness of helical springs with few segments a turn, and the hanging helix of docs/references.md 3.
//
// A helix, clamped at its start, pulled by a small force at its end along its axis. The continuous rod is statically determinate: the end moves
// along the force by F times the integral of M^T diag(1/EI, 1/EI, 1/GJ) M over the length, M = (r(L) - r(s)) x axis in the rod's axes, which
// is summed here by Gauss's rule. The paper's bending energy (`bending = "paper"`) is too stiff by about (7/24 + EI/(4 GJ)) phi^2, phi
// being the turn from segment to segment; shown beside.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "math/number.h"
#include "validation/clamped.h"
#include "validation/experiment.h"
#include "validation/references.h"
#include "validation/solve.h"

namespace tendril::experiments::der_coil_stiffness {
namespace {

constexpr double coil_radius = 1, coil_pitch = 0.4;

// Movement of the end along the axis under a force of 1 along it, EI = 1.
double exact_compliance(double turns, double GJ) {
  const double rise = coil_pitch / math::two_pi, speed = std::hypot(coil_radius, rise), end = math::two_pi * turns;
  const auto place = [&](double t) { return Vec3(coil_radius * std::cos(t), coil_radius * std::sin(t), rise * t); };
  const auto density = [&](double t) {
    const Vec3 tangent = Vec3(-coil_radius * std::sin(t), coil_radius * std::cos(t), rise) / speed;
    const Vec3 M = (place(end) - place(t)).cross(Vec3::UnitZ());
    const double along = M.dot(tangent);
    return (along * along / GJ + M.squaredNorm() - along * along) * speed;
  };
  // Gauss's rule of three points, on panels of a hundredth of a turn.
  const int panels = static_cast<int>(std::lround(100 * turns));
  const double h = end / panels, off = 0.5 * h * std::sqrt(0.6);
  double sum = 0;
  for (int k = 0; k < panels; ++k) {
    const double middle = (k + 0.5) * h;
    sum += h / 18 * (5 * density(middle - off) + 8 * density(middle) + 5 * density(middle + off));
  }
  return sum;
}

Scene coil(double turns, double GJ, int segments, const char* bending) {
  Scene scene =
      clamped_rod("der", "coil", HelixCurve{Vec3::Zero(), Vec3::UnitZ(), Vec3::UnitX(), coil_radius, coil_pitch, turns},
                  StiffnessSection{.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = GJ, .mass_per_length = 1, .radius = 0.01}, segments);
  scene.time.mode = Mode::statics;
  scene.options["der"]["bending"] = std::string(bending);
  return scene;
}
// Stiffness over the exact one, less one. The force moves the end by a hundred-thousandth of the radius; a force to both sides
// takes out what is quadratic in it.
double stiffness_error(double turns, double GJ, int segments, const char* bending) {
  const double exact = exact_compliance(turns, GJ), force = 1e-5 * coil_radius / exact;
  double moved = 0;
  for (const double sign : {1.0, -1.0}) {
    Scene scene = coil(turns, GJ, segments, bending);
    ForceLoad load;
    load.rod = "coil", load.value = Vec3(0, 0, sign * force);
    scene.loads.push_back(load);
    moved += sign * 0.5 * run_to_end(scene).frame().position[NodeIndex(segments)].z();
  }
  return force * exact / moved - 1;
}

double helix_error(const reference::SpatialTip& t, int segments) {
  const double length = 6 * math::pi * std::hypot(1.0, 0.6 / math::two_pi);
  Scene scene =
      clamped_rod("der", "helix", HelixCurve{Vec3::Zero(), Vec3(0, 0, -1), Vec3::UnitX(), 1, 0.6, 3},
                  StiffnessSection{.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = 0.8, .mass_per_length = 1, .radius = 0.05}, segments);
  scene.time.mode = Mode::statics;
  if (t.weight > 0) {
    scene.loads.push_back(GravityLoad{Vec3(0, 0, -t.weight)});
  } else {
    ForceLoad force;
    force.rod = "helix", force.value = Vec3(0, 0, -t.load);
    scene.loads.push_back(force);
  }
  return (run_to_end(scene).frame().position[NodeIndex(segments)] - Vec3(t.x, t.y, t.z)).norm() / length;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  for (const double turns : {3.0, 6.0, 12.0})
    for (const double GJ : {0.4, 0.8, 2.0, 6.0}) {
      std::array<double, 3> error{};
      for (std::size_t k = 0; k < 3; ++k) {
        const int per_turn = 20 << k;
        error[k] = stiffness_error(turns, GJ, static_cast<int>(turns) * per_turn, "averaged");
        rows.push_back({turns, GJ, 1.0 * per_turn, error[k], 0});
      }
      const std::string name = fmt::format("{:g} turns, GJ = {:g} EI", turns, GJ);
      checks.push_back(bound_check(name + ": stiffness at 20 segments a turn, error", error[0], 1e-3));
      checks.push_back(absolute_check(name + ": observed order", 2, std::log2(std::abs(error[1] / error[2])), 0.15));
    }
  for (const double GJ : {0.4, 0.8, 6.0}) {  // the paper's, for comparison
    const double phi = math::two_pi / 20, error = stiffness_error(12, GJ, 240, "paper");
    rows.push_back({12, GJ, 20, 0, error});
    checks.push_back(relative_check(fmt::format("12 turns, GJ = {:g} EI, the paper's energy: too stiff by", GJ),
                                    (7.0 / 24 + 1 / (4 * GJ)) * phi * phi, error, 0.1));
  }
  for (const reference::SpatialTip& t : reference::hanging_helix) {
    const double coarse = helix_error(t, 100), fine = helix_error(t, 200);
    const std::string name =
        t.weight > 0 ? fmt::format("helix, weight {:g}", t.weight) : fmt::format("helix, tip load {:g}", t.load);
    checks.push_back(bound_check(name + ": tip at 100 segments, part of the length", coarse, 5e-4));
    checks.push_back(absolute_check(name + ": observed order", 2, std::log2(coarse / fine), 0.15));
  }
  context.write_csv("stiffness", {"turns", "GJ/EI", "segments a turn", "error", "error of the paper's energy"}, rows);
  return checks;
}

}  // namespace tendril::experiments::der_coil_stiffness
