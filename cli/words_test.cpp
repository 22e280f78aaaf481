#include "cli/words.h"

#include <algorithm>

#include "testing/sentence.h"

namespace tendril::cli {
namespace {

RunReport some_report() {
  RunReport r;
  r.time = 2, r.worst_residual = 9.9e-9, r.worst_iterations = 4, r.worst_length_error = 4.7e-9;
  r.energy_error = 0.003, r.last.energy_scale = 10;
  r.last.probes = {{"tip", {0.69, 0, -0.63}}, {"axis", {1, 0, 0}}};
  return r;
}

SENTENCE("cli",
         "a run reports its solver in one line, contacts only where there were any, and no energy error where there is no "
         "balance") {
  RunReport r = some_report();
  EXPECT_EQ(solver_lines(r), std::vector<std::string>{"solver: residual 9.9e-9 (4 iterations), length error 4.7e-9, no step "
                                                      "retried; energy error 0.3 %"});
  r.retries = 3, r.max_contacts = 12, r.worst_penetration = 0.004;
  r.energy_error = std::numeric_limits<double>::quiet_NaN();
  ASSERT_EQ(solver_lines(r).size(), 2u);
  EXPECT_EQ(solver_lines(r)[0],
            "solver: residual 9.9e-9 (4 iterations), length error 4.7e-9, 3 steps retried with half the size");
  EXPECT_EQ(solver_lines(r)[1], "contact: at most 12 at once, deepest overlap 0.4 % of the radius");
}

SENTENCE("cli", "a run reports what did work and what took energy, nothing else") {
  EnergyFlow flow;
  EXPECT_TRUE(energy_lines(some_report(), flow).empty());
  flow.clamps = 2.1, flow.loads = -0.5, flow.damping = 0.3, flow.drag = 1e-9;
  EXPECT_EQ(energy_lines(some_report(), flow),
            std::vector<std::string>{"work done on rods and bodies by clamps 2.1 J, loads -0.5 J; taken by damping 0.3 J"});
}

SENTENCE("cli", "what leads away from an equilibrium that is no minimum is an option only where the method has it") {
  Verdict verdict;
  verdict.kind = Verdict::Kind::counted;
  EXPECT_EQ(verdict_line(verdict, "der"), "the last equilibrium is a minimum of the energy");
  verdict.unstable = 1;
  int with = 0;
  for (const MethodInfo& m : all_method_infos()) {
    const bool has =
        std::any_of(m.options.begin(), m.options.end(), [](const OptionInfo& o) { return o.name == "seek_minimum"; });
    const std::string line = verdict_line(verdict, m.name);
    EXPECT_EQ(line.find("options." + m.name + ".seek_minimum") != std::string::npos, has) << line;
    EXPECT_EQ(line.find("initial_noise") != std::string::npos, !has) << line;
    with += has;
  }
  EXPECT_GT(with, 0);
}

SENTENCE("cli", "probes are reported with their time and unit, of equilibria without a time") {
  Scene scene;
  scene.probes = {{"tip", "rod", 1, "", Quantity::position}, {"axis", "rod", 1, "", Quantity::direction}};
  EXPECT_EQ(probe_lines(some_report(), scene),
            (std::vector<std::string>{"tip at t = 2 s: 0.69, 0, -0.63 m", "axis at t = 2 s: 1, 0, 0"}));
  scene.time.mode = Mode::statics;
  EXPECT_EQ(probe_lines(some_report(), scene)[0], "tip: 0.69, 0, -0.63 m");
}

}  // namespace
}  // namespace tendril::cli
