// Order in time: position, velocity and force of a beam that is pushed and let go, and after a sudden release.
#include "validation/clamped_cases.h"
#include "validation/experiment.h"
#include "validation/solve.h"

namespace tendril::experiments::galpha_order {
namespace {

constexpr int nodes = 8;

struct End {
  Vec3 position, velocity, force;
};

// Length, mass and stiffness 1, and so thick that the steps resolve its waves of twist and the turning of single nodes; bent in space by a force that comes and goes; sudden: that is there from the start, and gone at 0.4.
End end_of(double rho, bool paper, bool sudden, int steps) {
  Scene scene =
      clamped_rod("galpha", "beam", StraightCurve{Vec3::Zero(), Vec3::UnitX()},
                  StiffnessSection{.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = 1, .mass_per_length = 1, .radius = 0.2}, nodes);
  scene.time.duration = 0.8, scene.time.step = 0.8 / steps, scene.time.frames_per_second = 2.5;
  ForceLoad load;
  load.rod = "beam", load.value = Vec3(-0.5, 1.5, 1),
  load.factor.shape = sudden ? TimetableShape::hold : TimetableShape::smooth;
  if (sudden)
    load.factor.keys = {{0, 1.0}, {0.4, 0.0}};
  else
    load.factor.keys = {{0, 0.0}, {0.4, 1.0}, {0.8, 0.0}};
  scene.loads.push_back(load);
  auto& options = scene.options["galpha"];
  options["newton_tolerance"] = 1e-11;
  if (paper)
    options["scheme"] = std::string("triple");
  else
    options["rho_infinity"] = rho;
  const Simulation simulation = run_to_end(scene);
  const Frame& frame = simulation.frame();
  return {frame.position[NodeIndex(nodes)], frame.velocity[NodeIndex(nodes)], frame.force[EdgeIndex(0)]};
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  const auto orders = [&](const std::string& name, double rho, bool paper, bool sudden, double target) {
    End ends[3];
    for (int k = 0; k < 3; ++k) ends[k] = end_of(rho, paper, sudden, 1600 << k);
    const auto order = [](const Vec3& a, const Vec3& b, const Vec3& c) {
      return std::log2((a - b).norm() / (b - c).norm());
    };
    const double r = order(ends[0].position, ends[1].position, ends[2].position),
                 v = order(ends[0].velocity, ends[1].velocity, ends[2].velocity),
                 n = order(ends[0].force, ends[1].force, ends[2].force);
    rows.push_back({rho, r, v, n});
    checks.push_back(absolute_check(name + ": order of the position", target, r, 0.1));
    if (sudden) return;
    checks.push_back(absolute_check(name + ": order of the velocity", target, v, 0.1));
    checks.push_back(absolute_check(name + ": order of the force at the wall", target, n, 0.1));
  };
  for (const double rho : {0.0, 0.3, 0.6, 0.9}) orders(fmt::format("rho_infinity {:g}", rho), rho, false, false, 2);
  orders("rho_infinity 0.3, let go at once", 0.3, false, true, 2);
  orders("the paper's .3, 0, .7", -1, true, false, 1);
  context.write_csv("orders", {"rho_infinity", "position", "velocity", "force"}, rows);
  return checks;
}

}  // namespace tendril::experiments::galpha_order
