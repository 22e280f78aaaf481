// Table I: the largest load of five cables of particles, in parts of a particle's mass. A cable holds a load when for 30 s no link
// is longer or shorter than its rest length by more than a tenth; with 10 and 20 links by more than the whole, because there
// linearisation alone makes links of (a) wrong by a tenth.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "validation/cable/particle_run.h"
#include "validation/experiment.h"

namespace tendril::experiments::cable_particle_mass_ratio {
namespace {

using enum ParticleModel;

struct TableRow {
  const char* name;
  ParticleCase which;
  double printed;
};
constexpr TableRow table_1[] = {
    {"(a)", {chain, 1e-8, 0}, 1e2},
    {"(b)", {total_length, 1e-8, 1e-9}, 1e2},
    {"(c), 1e-8 and 1e-9", {load_link, 1e-8, 1e-9}, 1e3},
    {"(c), 1e-8 and 1e-12", {load_link, 1e-8, 1e-12}, 1e7},
    {"(c), 1e-18 and 1e-22", {load_link, 1e-18, 1e-22}, 1e15},
    {"(d)", {total_length_cut, 1e-8, 1e-9}, 1e2},
    {"(e), 1e-8 and 1e-4", {angles, 1e-8, 1e-4}, 1e3},
    {"(e), 1e-11 and 1e-9", {angles, 1e-11, 1e-9}, 1e7},
    {"(e), 1e-18 and 1e-17", {angles, 1e-18, 1e-17}, 1e15},
};
constexpr std::array<double, 7> compliances = {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12};

bool limited_to_100(const TableRow& row) {
  return row.which.model == chain || row.which.model == total_length || row.which.model == total_length_cut;
}

// The largest power of ten up to which every ratio holds; 0: not even 1.
double largest_ratio(const ParticleCase& which, int number, double limit) {
  double held = 0;
  for (int decade = 0; decade <= 17; ++decade) {
    const double ratio = std::pow(10.0, decade);
    if (largest_stretch(which, number, ratio, limit) > limit) break;
    held = ratio;
  }
  return held;
}

// Every row at its printed ratio, and (a), (b), (d) a decade above.
void check_table(int number, double limit, std::vector<Check>& checks, std::vector<std::vector<double>>& out) {
  double index = 0;
  for (const TableRow& row : table_1) {
    const double at = largest_stretch(row.which, number, row.printed, limit);
    const double above = largest_stretch(row.which, number, 10 * row.printed, limit);
    out.push_back({++index, 1.0 * number, limit, row.which.stretch_compliance, row.which.extra_compliance, row.printed, at,
                   above, largest_ratio(row.which, number, limit)});
    const bool reported_only = number > 5 && row.which.model == angles;
    const std::string name = fmt::format("N = {}, {}: largest stretch [d]", number, row.name);
    if (!reported_only) checks.push_back(at_most(fmt::format("{}, ratio {:g}", name, row.printed), limit, at));
    if (number <= 5 && limited_to_100(row))
      checks.push_back(at_least(fmt::format("{}, ratio {:g}: fails", name, 10 * row.printed), limit, above));
  }
}

// (a) for every stretch compliance, (b) and (d) for every pair with one of the massless cable: at 1e3 all of them fly apart, at 1e2 none
// does. A tenth of a link is another matter: with five links the motion is irregular, and here and there a pair passes it.
void check_compliances(int number, std::vector<Check>& checks, std::vector<std::vector<double>>& out) {
  constexpr double printed = 1e-8;
  for (const auto& [name, model] : {std::pair{"(a)", chain}, {"(b)", total_length}, {"(d)", total_length_cut}}) {
    double worst_at = 0, worst_printed = 0, least_above = 1e300;
    for (const double eps_d : compliances) {
      for (const double eps_m : compliances) {
        if (model == chain && eps_m != compliances[0]) continue;  // there is none
        const ParticleCase which{model, eps_d, model == chain ? 0 : eps_m};
        const double at = largest_stretch(which, number, 100, 1), above = largest_stretch(which, number, 1000, 1);
        worst_at = std::max(worst_at, at), least_above = std::min(least_above, above);
        if (model == chain || eps_d == printed) worst_printed = std::max(worst_printed, at);
        out.push_back({1.0 * int(model), 1.0 * number, eps_d, which.extra_compliance, at, above});
      }
    }
    const std::string what = fmt::format("N = {}, {}, compliances 1e-6 to 1e-12: ", number, name);
    checks.push_back(at_least(what + "least of the largest stretches at 1e3 [d]", 1, least_above));
    checks.push_back(at_most(what + "largest stretch at 1e2 [d]", 1, worst_at));
    checks.push_back(
        at_most(what + (model == chain ? "the same within a tenth [d]" : "eps_d = 1e-8, at 1e2 [d]"), 0.1, worst_printed));
  }
}

// Every row from many starts, tilted by up to 10 mrad to both sides: how many hold the printed ratio. Bending and the load's own link hold
// from everywhere; (a), (b) and (d) stand at their limit.
void check_starts(int number, int starts, std::vector<Check>& checks, std::vector<std::vector<double>>& out) {
  double index = 0;
  for (const TableRow& row : table_1) {
    std::vector<double> stretch;
    for (int k = 0; k < starts; ++k)
      stretch.push_back(largest_stretch(dropped_cable(row.which, number, row.printed, 0.02 * k / starts - 0.01), 1));
    std::sort(stretch.begin(), stretch.end());
    const auto hold = std::count_if(stretch.begin(), stretch.end(), [](double s) { return s <= 0.1; });
    out.push_back(
        {++index, 1.0 * number, row.printed, 1.0 * starts, double(hold), stretch[stretch.size() / 2], stretch.back()});
    if (limited_to_100(row)) continue;
    const std::string name = fmt::format("N = {}, {}, ratio {:g}: of {} starts hold", number, row.name, row.printed, starts);
    checks.push_back(absolute_check(name, starts, double(hold), 0));
  }
}

// Bending as an explicit force, at the compliances of (e); and one in steps so short that it must hold.
void check_bend_forces(std::vector<Check>& checks) {
  int hold = 0, tried = 0;
  for (const TableRow& row : table_1) {
    if (row.which.model != angles) continue;
    const ParticleCase which{bend_forces, row.which.stretch_compliance, row.which.extra_compliance};
    for (const int number : {3, 5}) {
      for (double ratio = 1; ratio <= row.printed; ratio *= 10, ++tried)
        hold += largest_stretch(which, number, ratio, 0.1) <= 0.1 ? 1 : 0;
    }
  }
  checks.push_back(absolute_check(fmt::format("explicit bending: of {} cables hold their load", tried), 0, hold, 0));
  checks.push_back(at_most("explicit bending, 1e-4, ratio 1, steps of 1/1000 s: largest stretch [d]", 0.1,
                           largest_stretch(dropped_cable({bend_forces, 1e-8, 1e-4}, 5, 1), 0.1, 1e-3)));
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> table, grid, starts;
  for (const int number : {5, 3}) {
    check_table(number, 0.1, checks, table);
    check_compliances(number, checks, grid);
    check_starts(number, context.full() ? 200 : 20, checks, starts);
  }
  for (const int number : {10, 20}) check_table(number, 1, checks, table);
  check_bend_forces(checks);
  context.write_csv("table_1",
                    {"row", "links", "limit [d]", "eps_d [m/N]", "eps_x [m/N or rad/(N m)]", "printed ratio",
                     "largest stretch at it [d]", "a decade above [d]", "largest ratio that holds"},
                    table);
  context.write_csv(
      "compliances",
      {"model (0: a, 1: b, 3: d)", "links", "eps_d [m/N]", "eps_m [m/N]", "largest stretch at 1e2 [d]", "at 1e3 [d]"}, grid);
  context.write_csv("starts",
                    {"row", "links", "printed ratio", "starts", "hold", "median of the largest stretch [d]", "worst [d]"},
                    starts);
  return checks;
}

}  // namespace tendril::experiments::cable_particle_mass_ratio
