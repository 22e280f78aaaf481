#include "view/values.h"

#include <algorithm>
#include <span>

#include "math/link.h"

namespace tendril::view {
namespace {

// "x [m]" of the probe tip: name "tip.x", unit "m"; "[J]": name "tip", unit "J".
ValueName probe_value(const std::string& probe, const std::string& column) {
  const std::size_t open = column.find('['), close = column.rfind(']');
  std::string name = probe;
  if (open > 0) name.append(".").append(column, 0, open - 1);
  const std::string unit = column.substr(open + 1, close - open - 1);
  return {name, unit == "1" ? "" : unit, "probe"};
}

constexpr std::size_t energies = 8 + parts_of_flow, solver_values = 5;

}  // namespace

std::vector<ValueName> value_names(const Model& model) {
  std::vector<ValueName> names;
  for_each_component(Energy{}, [&](const char* name, double) { names.push_back({name, "J", "energy"}); });
  names.push_back({"total", "J", "energy"});
  int part = 0;
  for_each_component(EnergyFlow{}, [&](const char* name, double) {
    names.push_back({part++ < works_of_flow ? std::string("work of ") + name : std::string(name), "J", "balance"});
  });
  for (const RodModel& rod : model.rods) names.push_back({rod.name, "turns", "twist"});
  for (const char* name : {"iterations", "residual", "energy error", "length error", "penetration"})
    names.push_back({name, std::string(name) == "energy error" ? "%" : "", "solver"});
  for (const ProbeModel& probe : model.probes)
    for (const std::string& column : probe_columns(probe.quantity)) names.push_back(probe_value(probe.name, column));
  return names;
}

std::size_t value_count(const Model& model) {
  std::size_t count = energies + model.rods.size() + solver_values;
  for (const ProbeModel& probe : model.probes) count += probe_columns(probe.quantity).size();
  return count;
}

std::size_t value_count(const Frame& frame, const Measures& measures) {
  std::size_t count = energies + frame.rods.size() + solver_values;
  for (const ProbeValue& probe : measures.probes) count += probe.value.size();
  return count;
}

void put_values(const Frame& frame, const Measures& measures, double* out) {
  const Energy& e = measures.energy;
  for_each_component(e, [&](const char*, double value) { *out++ = value; });
  *out++ = e.total();
  for_each_component(frame.flow, [&](const char*, double value) { *out++ = value; });
  for (const RodSpan& rod : frame.rods)
    *out++ = total_twist({frame.twist.data() + rod.first_inner, static_cast<std::size_t>(rod.inner)});
  const StepReport& r = frame.report;
  for (const double value : {static_cast<double>(r.iterations), r.residual, 100 * measures.energy_error,
                             measures.length_error, measures.penetration})
    *out++ = value;
  for (const ProbeValue& probe : measures.probes) out = std::copy(probe.value.begin(), probe.value.end(), out);
}

}  // namespace tendril::view
