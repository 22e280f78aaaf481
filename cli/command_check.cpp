#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/find_scene.h"

namespace tendril::cli {
namespace {

using Json = nlohmann::ordered_json;

const char* word(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "";
}

Json problems_json(const Problems& problems) {
  Json out = Json::array();
  for (const Problem& p : problems)
    out.push_back({{"severity", word(p.severity)},
                   {"where", p.where},
                   {"field", p.field},
                   {"what", p.what},
                   {"allowed", p.allowed},
                   {"remedy", p.remedy}});
  return out;
}

void print_json(const Problems& problems, const Derived& derived) {
  Json out;
  out["fine"] = !has_errors(problems);
  out["problems"] = problems_json(problems);
  out["rods"] = Json::object();
  for (const RodDerived& r : derived.rods)
    out["rods"][r.name] = {{"segments", r.segments},
                           {"length", r.length},
                           {"mass", r.mass},
                           {"EA", r.EA},
                           {"EI1", r.EI1},
                           {"EI2", r.EI2},
                           {"GJ", r.GJ},
                           {"uniform", r.uniform},
                           {"slenderness", r.slenderness},
                           {"stretch_speed", r.stretch_speed},
                           {"bending_speed", r.bending_speed},
                           {"twist_speed", r.twist_speed}};
  out["methods"] = Json::object();
  for (const MethodDerived& m : derived.methods)
    out["methods"][m.method] = {{"can", m.problems.empty()},
                                {"problems", problems_json(m.problems)},
                                {"stable_step", m.step.stable},
                                {"advised_step", m.step.advised},
                                {"reason", m.step.reason}};
  // File names and lines that are quoted may hold any bytes.
  fmt::print("{}\n", out.dump(1, ' ', false, Json::error_handler_t::replace));
}

std::string with_unit(double value, const char* unit) {
  return value > 0 ? fmt::format("{:.4g} {}", value, unit) : "not given";
}

// " (beam.toml:7:12): it computes equilibria only, but ...": what one method lacks; errors of the scene itself are listed before.
std::string why_not(const MethodDerived& method) {
  const std::string name = fmt::format("method `{}` ", method.method);
  for (const Problem& p : method.problems)
    if (p.what.starts_with(name))
      return fmt::format(" ({}): it {}{}{}", p.where, p.what.substr(name.size()), p.remedy.empty() ? "" : "; ", p.remedy);
  const Problem& first = method.problems.front();
  return fmt::format(": {}{}{}", first.field, first.field.empty() ? "" : ": ", first.what);
}

void print_text(const Scene& scene, const Derived& derived) {
  for (const RodDerived& r : derived.rods) {
    fmt::print("rod {}: {} segments, length {:.4g} m, mass {:.4g} kg, slenderness {}{}\n", r.name, r.segments, r.length,
               r.mass, r.slenderness > 0 ? fmt::format("{:.4g}", r.slenderness) : "not known",
               r.uniform ? "" : "; values of its middle:");
    fmt::print("  EA {}, EI1 {}, EI2 {}, GJ {}\n", with_unit(r.EA, "N"), with_unit(r.EI1, "N m^2"),
               with_unit(r.EI2, "N m^2"), with_unit(r.GJ, "N m^2"));
    fmt::print("  wave speeds: stretch {}, twist {}, bending {} (a wave as long as the rod)\n",
               with_unit(r.stretch_speed, "m/s"), with_unit(r.twist_speed, "m/s"), with_unit(r.bending_speed, "m/s"));
  }
  for (const MethodDerived& m : derived.methods) {
    const char* mark = m.method == scene.method ? " (this scene's)" : "";
    if (!m.problems.empty())
      fmt::print("method {}{}: cannot run this scene{}\n", m.method, mark, printable(why_not(m)));
    else if (m.step.advised > 0)
      fmt::print("method {}{}: {}, advised step {:.4g} s ({})\n", m.method, mark,
                 m.step.stable > 0 ? fmt::format("stable up to {:.4g} s", m.step.stable) : "stable for any step",
                 m.step.advised, m.step.reason);
    else
      fmt::print("method {}{}: no time step needed ({})\n", m.method, mark, m.step.reason);
  }
}

}  // namespace

int command_check(const CheckArguments& a) {
  const Checked<Scene> scene = load_scene({a.scene, {}, a.sets});
  Derived derived;
  Problems problems = scene.problems();
  if (scene) {
    for (Problem& p : check(*scene)) problems.push_back(std::move(p));
    const Checked<Derived> found = derive(*scene);
    if (found) derived = *found;
  }
  if (a.json) {
    print_json(problems, derived);
  } else {
    fmt::print(stderr, "{}", to_text(problems));
    if (scene) print_text(*scene, derived);
    if (!has_errors(problems)) fmt::print("{}: no errors\n", a.scene);
  }
  return has_errors(problems) ? bad_input : fine;
}

}  // namespace tendril::cli
