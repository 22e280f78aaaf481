// What finding contacts costs, per segment, and that it grows as the number of segments does.
//
//   search   pairs are searched anew: positions have moved beyond what the workspace knows
//   follow   pairs are known from before: what most steps do
//
// coil: a spring wound tight in layers, every turn touching its neighbours. yarn: straight pieces thrown into a box whose
// volume grows with their number.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <stdexcept>

#include "benchmarks/benchmark.h"
#include "benchmarks/measure_time.h"
#include "contact/find_contacts.h"

namespace tendril {
namespace {

constexpr double radius = 0.005, spacing = 0.01;  // [m]

struct Pile {
  Model model;
  std::vector<Vec3> here, there, far;  // there: a small step away; far: beyond what a workspace knows
};

void add_rod(Model& model, const std::vector<Vec3>& points) {
  RodSpan span;
  span.first_node = model.material.size(), span.nodes = static_cast<int>(points.size());
  span.first_edge = model.rest_length.size(), span.edges = span.nodes - 1;
  double s = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    model.material.push_back(s);
    model.initial.position.push_back(points[k]);
    if (k + 1 == points.size()) break;
    const double length = (points[k + 1] - points[k]).norm();
    model.rest_length.push_back(length);
    s += length;
    Section section;
    section.extent1 = section.extent2 = radius;
    model.section.push_back(section);
  }
  model.rods.push_back({fmt::format("rod{}", model.rods.size() + 1), span, s, {}});
}

Model coil(int segments) {
  std::vector<Vec3> points;
  const double wide = 0.05, pitch = 2 * radius * 1.02, per_turn = std::ceil(2 * 3.14159265358979 * wide / spacing);
  for (int k = 0; k <= segments; ++k) {
    const double turns = k / per_turn, angle = 2 * 3.14159265358979 * turns;
    points.emplace_back(wide * std::cos(angle), wide * std::sin(angle), pitch * turns);
  }
  Model model;
  add_rod(model, points);
  return model;
}

Model yarn(int segments) {
  std::mt19937_64 engine(1);
  const auto uniform = [&engine] { return 2 * (static_cast<double>(engine() >> 11) * 0x1p-53) - 1; };
  constexpr int per_rod = 5;
  const double side = 0.5 * std::cbrt(segments * spacing * spacing * spacing * 8);
  Model model;
  for (int made = 0; made < segments; made += per_rod) {
    const Vec3 start(side * uniform(), side * uniform(), side * uniform());
    const Vec3 along = Vec3(uniform(), uniform(), uniform()).normalized();
    std::vector<Vec3> points;
    for (int k = 0; k <= per_rod; ++k) points.push_back(start + (k * spacing) * along);
    add_rod(model, points);
  }
  return model;
}

Pile pile_of(Model (*make)(int), int segments) {
  Pile pile{make(segments), {}, {}, {}};
  pile.model.contact.enabled = true;
  pile.model.contact.margin = 0.1 * radius;
  pile.here.assign(pile.model.initial.position.begin(), pile.model.initial.position.end());
  for (const Vec3& p : pile.here) {
    pile.there.push_back(p + Vec3(1e-5, 2e-5, -1e-5));
    pile.far.push_back(p + Vec3(1, 0, 0));
  }
  return pile;
}

BenchmarkRow time_finding(Model (*make)(int), int segments, bool anew) {
  const Pile pile = pile_of(make, segments);
  const ContactGeometry geometry(pile.model);
  ContactWorkspace workspace;
  std::vector<Touch> touches;
  const auto find = [&](const std::vector<Vec3>& from, const std::vector<Vec3>& to) {
    if (find_contacts(geometry, {from, {}}, {to, {}}, workspace, touches) != Found::fine)
      throw std::runtime_error("contacts could not be found");
  };
  find(pile.here, pile.there);
  bool away = false;
  const double ns = measure_time({[] {},
                                  [&] {
                                    if (anew) away = !away;
                                    away ? find(pile.far, pile.far) : find(pile.here, pile.there);
                                  }});
  return {ns / segments, 0};
}

}  // namespace

void add_contact_benchmarks(std::vector<Benchmark>& all) {
  struct Family {
    const char* name;
    Model (*make)(int);
  };
  for (const auto& [name, make] : {Family{"coil", coil}, Family{"yarn", yarn}})
    for (const bool anew : {true, false})
      for (const int n : {1000, 10000, 100000})
        all.push_back({fmt::format("contact/{}/{}/{}", name, anew ? "search" : "follow", n),
                       [make, anew, n] { return time_finding(make, n, anew); }});
}

}  // namespace tendril
