// summary.json: the final state, probes, invariants and timings of a run. Others read these keys: new ones go into `run`.
#include <cmath>
#include <nlohmann/json.hpp>

#include "tendril/record.h"

namespace tendril {
namespace {

using Json = nlohmann::ordered_json;

Json numbers(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Json numbers(const Quat& q) { return {q.w(), q.x(), q.y(), q.z()}; }

template <class Index, class Array>
Json rows(const Array& array, int first, int count) {
  Json out = Json::array();
  for (int i = 0; i < count; ++i) out.push_back(numbers(array[Index(first + i)]));
  return out;
}

// The last frame: rods by name, bodies by name.
void add_state(const Simulation& simulation, Json& out) {
  const Frame& frame = simulation.frame();
  out["rods"] = Json::object();
  const std::vector<std::string> rods = simulation.rod_names();
  for (std::size_t r = 0; r < frame.rods.size(); ++r) {
    const RodSpan& span = frame.rods[r];
    out["rods"][rods[r]] = {{"positions", rows<NodeIndex>(frame.position, span.first_node, span.nodes)},
                            {"frames", rows<EdgeIndex>(frame.orientation, span.first_edge, span.edges)},
                            {"internal_force", rows<EdgeIndex>(frame.force, span.first_edge, span.edges)},
                            {"internal_moment", rows<NodeIndex>(frame.moment, span.first_node, span.nodes)}};
  }
  out["bodies"] = Json::object();
  const std::vector<std::string> bodies = simulation.body_names();
  for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
    const BodyState& body = frame.bodies[b];
    out["bodies"][bodies[b]] = {{"position", numbers(body.pose.position)},
                                {"orientation", numbers(body.pose.orientation)},
                                {"velocity", numbers(body.motion.linear)},
                                {"angular_velocity", numbers(body.motion.angular)}};
  }
}

// At the end; and the balance: work done on rods and bodies since the start, what was taken from them, and the remainder.
Json energy_of(const Frame& frame, const RunReport& report) {
  Json out;
  const Energy& e = report.last.energy;
  for_each_component(e, [&](const char* name, double value) { out[name] = value; });
  out["total"] = e.total();
  int part = 0;
  for_each_component(frame.flow, [&](const char* name, double value) {
    out[part++ < works_of_flow ? "work" : "dissipated"][name] = value;
  });
  const auto number_or_null = [](double v) { return std::isfinite(v) ? Json(v) : Json(); };
  out["error"] = number_or_null(report.energy_error);
  out["worst_error"] = number_or_null(report.worst_energy_error);
  out["scale"] = report.last.energy_scale;
  return out;
}

}  // namespace

std::string summary_json(const Simulation& simulation, const RunReport& report) {
  const Frame& frame = simulation.frame();
  Json out;
  // How the run went.
  out["method"] = report.method;
  out["time"] = report.time;
  out["steps"] = report.steps;
  out["wall_seconds"] = report.wall_seconds;
  add_state(simulation, out);
  // Last value of every probe; the history is in run.h5.
  out["probes"] = Json::object();
  for (const ProbeValue& probe : report.last.probes) {
    Json last = probe.value.size() == 1 ? Json(probe.value[0]) : Json(probe.value);
    out["probes"][probe.name] = {{"last", std::move(last)}};
  }
  // Energies at the end, and the worst values of the whole run.
  out["energy"] = energy_of(frame, report);
  out["worst"] = {{"length_error", report.worst_length_error},
                  {"penetration", report.worst_penetration},
                  {"contacts", report.max_contacts},
                  {"residual", report.worst_residual},
                  {"iterations", report.worst_iterations}};
  // Equilibria: whether the last one is stable. null where it was not counted.
  if (simulation.scene().time.mode != Mode::dynamics) {
    const Verdict& v = frame.report.verdict;
    const bool counted = v.kind == Verdict::Kind::counted;
    out["equilibrium"] = {{"verdict", to_text(v)},
                          {"unstable_directions", counted ? Json(v.unstable) : Json()},
                          {"neutral_directions", counted ? Json(v.neutral.count()) : Json()},
                          {"softest_eigenvalue", counted && std::isfinite(v.softest) ? Json(v.softest) : Json()}};
  }
  // What belongs to the run rather than to the rods.
  out["run"] = {
      {"title", simulation.scene().title},
      {"outcome", to_text(report.outcome)},
      {"message", report.message},
      {"finished", (report.outcome == Outcome::fine || report.outcome == Outcome::suspect) && simulation.finished()},
      {"frames", report.frames},
      {"retries", report.retries},
      {"step_size", simulation.step_size()}};
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";  // titles made in code may be no UTF-8
}

}  // namespace tendril
