// What a step costs, part by part, beside the paper's table.  [Bergou 2008, Table 1]
//
// The paper's numbers are from one core of a 2.66 GHz Core 2 Duo; the machine's own name stands in the table. Forces include
// the drive, bodies and the air; contact is finding and answering. For a chain the numbers are those of one link.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "validation/der/figure_scenes.h"
#include "validation/experiment.h"
#include "validation/machine_speed.h"

namespace tendril::experiments::der_table_1 {
namespace {

std::string machine() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  for (const FigureScene& scene : figure_scenes()) {
    const StepCost& p = scene.paper;
    // Bounds on the whole step: the paper's, and our own where there is one.
    const double own = scene.figure == 1 ? 0.02 : scene.figure == 12 ? 1 : p.total;
    MeasuredCost m;
    const Check whole = clock_check(fmt::format("figure {}, {} vertices: ms per step", scene.figure, scene.vertices),
                                    std::min(own, p.total), [&] {
                                      const MeasuredCost now = measure_cost(scene);
                                      if (m.cost.total == 0 || now.cost.total < m.cost.total) m = now;
                                      return now.cost.total;
                                    });
    const StepCost& c = m.cost;
    rows.push_back({double(scene.figure), double(scene.vertices), m.step, c.forces, c.contact, c.frames, c.projection,
                    c.total, m.finding, m.contacts, m.iterations, p.forces, p.contact, p.frames, p.projection, p.total});
    checks.push_back(whole);
    checks.push_back(
        at_most(fmt::format("figure {}: ms per step, at most the paper's", scene.figure), p.total, whole.result));
    if (scene.figure == 9)
      checks.push_back(at_most("plectoneme, search for contacts over the step", 0.4, m.finding / c.total));
  }
  context.write_csv("table-1",
                    {"figure", "vertices", "time step [ms]", "forces [ms]", "contact [ms]", "frames [ms]", "projection [ms]",
                     "total [ms]", "finding contacts [ms]", "contacts", "iterations of the projection", "paper: forces [ms]",
                     "paper: contact [ms]", "paper: frames [ms]", "paper: projection [ms]", "paper: total [ms]"},
                    rows);
  std::ofstream(context.folder() / "machine.txt") << machine() << ", one thread; the least over many short runs\n";
  return checks;
}

}  // namespace tendril::experiments::der_table_1
