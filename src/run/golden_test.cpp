// Golden hashes: the bits of short runs, one number per method, mode (motion, equilibrium, ...), build flavour and array of
// the Frame, over every recorded value. They stand in testing/golden_hashes.txt. A change that means to change nothing leaves them alone; one that means to
// change results renews them (`./test --renew-hashes`, which prints what moved) and says so in its commit and in
// docs/decisions.md. A new array gets a new number; the old ones stay.
#include <fmt/format.h>
#include <tendril_paths.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "record/columns.h"
#include "testing/for_each_method.h"

namespace tendril {
namespace {

using Hashes = std::map<std::string, std::uint64_t>;  // by "method mode flavour array"

// Sums depend on the width of Eigen's packets, so that each kind of processor and each build has its own numbers.
std::string flavour() {
#if defined(__SANITIZE_ADDRESS__)
  std::string name = "address";
#elif defined(__SANITIZE_THREAD__)
  std::string name = "thread";
#else
  std::string name = "release";
#endif
#if defined(__AVX2__)
  return name + "-avx2";
#else
  return name + "-sse2";
#endif
}

// FNV-1a over the bytes of numbers; structs are taken apart, so that padding never counts.
class Hash {
 public:
  void add(double v) { add_bytes(&v, sizeof v); }
  void add(int v) { add(static_cast<double>(v)); }
  void add(const Vec3& v) {
    for (int i = 0; i < 3; ++i) add(v[i]);
  }
  void add(const Quat& q) { add(q.w()), add(Vec3(q.vec())); }
  void add(const Pose& p) { add(p.position), add(p.orientation); }
  void add(const Motion& m) { add(m.linear), add(m.angular); }
  void add(const Wrench& w) { add(w.force), add(w.moment); }
  void add(const BodyState& b) { add(b.pose), add(b.motion); }
  void add(const ContactPoint& c) { add(c.position), add(c.normal), add(c.force), add(c.gap), add(c.edge_a), add(c.edge_b); }
  void add(const Pull& p) {
    for (const int n : {p.coupling, p.hand, p.rod, p.body}) add(n);
    add(p.material), add(p.from), add(p.point), add(p.force), add(p.moment);
  }
  void add(const Energy& e) {
    for (const double v : {e.kinetic, e.bending, e.twisting, e.stretching, e.gravity, e.contact}) add(v);
  }
  template <class Array>
  void add_all(const Array& values) {
    add(static_cast<int>(values.size()));
    for (const auto& v : values) add(v);
  }
  std::uint64_t value() const { return hash_; }

 private:
  void add_bytes(const void* from, std::size_t count) {
    const auto* p = static_cast<const unsigned char*>(from);
    for (std::size_t i = 0; i < count; ++i) hash_ = (hash_ ^ p[i]) * 0x100000001b3ULL;
  }
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

// Every array of the frames of a run.
class FrameHashes final : public Sink {
 public:
  void begin(const Simulation&) override {}
  void take(const Frame& frame, const Measures& measures) override {
    of_["time"].add(frame.time), of_["material"].add_all(frame.material);
    of_["position"].add_all(frame.position), of_["velocity"].add_all(frame.velocity);
    of_["moment"].add_all(frame.moment), of_["orientation"].add_all(frame.orientation);
    of_["spin"].add_all(frame.spin), of_["force"].add_all(frame.force), of_["twist"].add_all(frame.twist);
    of_["bodies"].add_all(frame.bodies), of_["contacts"].add_all(frame.contacts);
    of_["own_energy"].add(frame.own_energy), of_["reactions"].add_all(frame.reactions);
    of_["gravity"].add(frame.gravity), of_["load_factor"].add(frame.load_factor);
    of_["obstacles"].add_all(frame.obstacles), of_["pulls"].add_all(frame.pulls);
    for (const ContactPoint& c : frame.contacts) of_["touched"].add(c.obstacle_b), of_["touched"].add(c.body_b);
    of_["iterations"].add(frame.report.iterations), of_["residual"].add(frame.report.residual);
    of_["penetration"].add(frame.report.penetration), of_["contact_count"].add(frame.report.contacts);
    const Verdict& verdict = frame.report.verdict;
    of_["verdict"].add(static_cast<int>(verdict.kind)), of_["verdict"].add(verdict.unstable);
    of_["softest"].add(verdict.softest);
    of_["energy"].add(measures.energy), of_["momentum"].add(measures.momentum);
    of_["shearing"].add(frame.own_energy.shearing), of_["shearing"].add(measures.energy.shearing);
    of_["angular_momentum"].add(measures.angular_momentum);
    for (const RodSpan& span : frame.rods)
      for (const int n : {span.first_node, span.nodes, span.first_edge, span.edges, span.first_inner, span.inner})
        of_["spans"].add(n);
    for (const ProbeValue& probe : measures.probes) of_["probes"].add_all(probe.value);
    of_["step_taken"].add(frame.report.step_taken), of_["cause"].add(static_cast<int>(frame.report.cause));
    for (const int n : {verdict.neutral.moving, verdict.neutral.swinging, verdict.neutral.turning, verdict.neutral.other})
      of_["neutral"].add(n);
    // All else that run.h5 holds, a column that is new from the day it is there.
    for (const Column& column : all_columns()) {
      if (has_its_array(column.name)) continue;
      values_.clear();
      column.put({frame, measures}, values_);
      of_[column.name].add_all(values_);
    }
  }
  void end(const RunReport&) override {}
  const std::map<std::string, Hash>& all() const { return of_; }

 private:
  // Columns whose values are all in arrays above, under names that are older than the table of columns. The last two are made of the others.
  static bool has_its_array(std::string_view column) {
    static constexpr std::string_view all[] = {"time",
                                               "material",
                                               "positions",
                                               "velocities",
                                               "moments",
                                               "orientations",
                                               "spin",
                                               "forces",
                                               "twist",
                                               "energies",
                                               "own_energies",
                                               "momentum",
                                               "gravity",
                                               "load_factor",
                                               "reactions",
                                               "bodies",
                                               "obstacles",
                                               "pulls",
                                               "contacts/points",
                                               "solver/iterations",
                                               "solver/residual",
                                               "solver/verdict",
                                               "solver/unstable",
                                               "solver/softest",
                                               "probes/values",
                                               counts_column,
                                               checksums_column};
    return std::find(std::begin(all), std::end(all), column) != std::end(all);
  }
  std::vector<double> values_;
  std::map<std::string, Hash> of_;
};

// ---- the runs ----------------------------------------------------------------------------------------------------------

Rod general_rod(const char* name, const Curve& rest, const Vec3& d1) {
  Rod rod;
  rod.name = name;
  rod.section = StiffnessSection{800.0, 0.02, 0.03, 0.015, 0.2, 0.01};
  rod.rest = rest;
  rod.d1 = d1;
  rod.segments = 14;
  return rod;
}

Scene base_scene(const MethodEntry& method, double duration) {
  Scene scene;
  scene.title = "golden";
  scene.method = method.info.name;
  scene.time.duration = duration;
  scene.time.frames_per_second = 50;
  scene.rods = {general_rod("rod", ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3(0, 1, 1), 0.5, 1.1}, Vec3(0, -1, 1))};
  Clamp wall;
  wall.name = "wall", wall.rod = "rod";
  scene.clamps = {wall};
  scene.loads = {GravityLoad{}};
  scene.probes = {{"tip", "rod", 1, "", Quantity::position}, {"bend", "rod", 0.4, "", Quantity::curvature}};
  return scene;
}

// All that a method claims for rods alone: loads of every kind, paths of clamps, a late clamp, a ring, noise, springs.
void add_everything(Scene& s, const Capability& can) {
  s.clamps[0].turn.keys = {{0, 0}, {0.5 * s.time.duration, 0.2}};
  s.clamps[0].move.keys = {{0, Vec3::Zero()}, {s.time.duration, Vec3(0.02, 0, 0.05)}};
  ForceLoad push;
  push.rod = "rod", push.at = 0.7, push.value = Vec3(0, 0.1, 0.02);
  if (can.any(Feature::follower_loads)) push.axes = Axes::material;
  s.loads.push_back(push);
  MomentLoad wring;
  wring.rod = "rod", wring.at = 1, wring.value = Vec3(0, 0.004, 0.003);
  s.loads.push_back(wring);
  DistributedLoad line;
  line.rod = "rod", line.from = 0.21, line.to = 0.83, line.force = Vec3(0.1, 0, 0.3);
  line.factor.keys = {{0, 0.5}, {s.time.duration, 1}};
  s.loads.push_back(line);
  if (can.any(Feature::couplings)) {
    Coupling spring;
    spring.name = "spring", spring.rod = "rod", spring.at = 0.55, spring.stiffness = 5, spring.damping = 0.1;
    spring.move.keys = {{0, Vec3::Zero()}, {s.time.duration, Vec3(-0.02, 0.03, 0)}};
    s.couplings.push_back(spring);
  }
  if (can.any(Feature::ring)) {
    s.rods.push_back(general_rod("ring", CircleCurve{Vec3(0, 0, 1), Vec3(0.1, 0, 1), 0.2}, Vec3(0, 0, 1)));
    s.rods.back().initial_twist = 1.5, s.rods.back().initial_noise = 1e-3;
    Clamp peg;
    peg.name = "peg", peg.rod = "ring", peg.hold = {Hold::position};
    s.clamps.push_back(peg);
  }
}

Scene motion_scene(const MethodEntry& method) {
  const Capability& can = method.info.can;
  Scene s = base_scene(method, 0.3);
  add_everything(s, can);
  if (can.any(Feature::drag)) {
    DragLoad drag;
    drag.normal = 0.05, drag.tangential = 0.02;
    WindLoad wind;
    wind.velocity = Vec3(0, 2, 0.5), wind.gust = 0.3;
    s.loads.insert(s.loads.end(), {drag, wind});
  }
  if (can.any(Feature::damping)) s.rods[0].damping = {0.4, 1e-4};
  if (can.any(Feature::hold_inside)) {
    Clamp late;
    late.name = "late", late.rod = "rod", late.at = 0.5, late.from = 0.1, late.until = 0.2;
    late.turn.keys = {{0, 0}, {0.3, 0.1}};
    s.clamps.push_back(late);
  }
  return s;
}

// Rods that stretch, shear and stiffen, as far as the method claims it.
Scene stretching_scene(const MethodEntry& method) {
  const Capability& can = method.info.can;
  Scene s = base_scene(method, 0.2);
  if (!can.moves()) s.time.mode = Mode::quasistatic;
  add_everything(s, can);
  for (Rod& rod : s.rods) {
    rod.stretch = Give::elastic;
    if (can.any(Feature::shear)) {
      auto& section = std::get<StiffnessSection>(*rod.section);
      section.GA1 = 300.0, section.GA2 = 250.0;
      rod.shear = Give::elastic;
    }
    if ((can.moves() ? can.motion : can.equilibrium).has(Feature::stiffening)) rod.stiffening_strain = 0.05;
  }
  return s;
}

Scene equilibrium_scene(const MethodEntry& method) {
  Scene s = base_scene(method, 0.2);
  s.time.mode = Mode::quasistatic;
  add_everything(s, method.info.can);
  return s;
}

// A rod that falls across a rough cylinder and a turning box, onto the floor, with a second rod on top.
Scene contact_scene(const MethodEntry& method) {
  Scene s = base_scene(method, 0.4);
  s.rods = {general_rod("rod", StraightCurve{Vec3(-0.4, 0, 0.13), Vec3(0.4, 0, 0.13)}, Vec3::UnitZ()),
            general_rod("top", StraightCurve{Vec3(0.1, -0.3, 0.2), Vec3(0.15, 0.3, 0.2)}, Vec3::UnitZ())};
  s.clamps.clear();
  s.contact.enabled = true, s.contact.friction = 0.4;
  Obstacle floor, log, box;
  floor.name = "floor", floor.shape = HalfSpaceShape{Vec3::Zero(), Vec3::UnitZ()};
  log.name = "log", log.shape = CylinderShape{Vec3(-0.1, -0.5, 0.05), Vec3(-0.1, 0.5, 0.05), 0.05}, log.friction = 0.2;
  box.name = "box", box.shape = BoxShape{Vec3(0.3, 0, 0.03), Vec3(0.1, 0.1, 0.06)};
  box.turn.keys = {{0, 0}, {0.4, 0.1}};
  s.obstacles = {floor, log, box};
  return s;
}

// A rod that carries a box and a ball by a weld and a ball joint, driven by a motor.
Scene bodies_scene(const MethodEntry& method) {
  Scene s = base_scene(method, 0.3);
  s.rods = {general_rod("rod", StraightCurve{Vec3::Zero(), Vec3(0.5, 0, 0)}, Vec3::UnitZ())};
  s.clamps.clear();
  RigidBody box, ball, motor;
  box.name = "box", box.mass = 0.1, box.shape = BoxBody{Vec3(0.05, 0.04, 0.03)}, box.position = Vec3(0.25, 0, 0);
  box.orientation = Vec3(0.3, 0.1, 0);
  ball.name = "ball", ball.mass = 0.2, ball.shape = SphereBody{0.03}, ball.position = Vec3(0.52, 0, 0);
  ball.angular_velocity = Vec3(3, 0, 5);
  motor.name = "motor", motor.kind = BodyKind::driven, motor.axis = Vec3::UnitX(), motor.turn.keys = {{0, 0}, {0.3, 0.3}};
  s.bodies = {box, ball, motor};
  s.joints = {{"a", JointKind::rigid, {"rod", 0.5}, {"", 0, "box"}, Vec3::UnitZ()},
              {"b", JointKind::ball, {"rod", 1}, {"", 0, "ball"}, Vec3::UnitZ()},
              {"c", JointKind::rigid, {"rod", 0}, {"", 0, "motor"}, Vec3::UnitZ()}};
  return s;
}

struct ModeOfRun {
  const char* name;
  bool (*claimed)(const Capability&);
  Scene (*scene)(const MethodEntry&);
};
const ModeOfRun golden_modes[] = {
    {"motion", [](const Capability& c) { return c.moves(); }, motion_scene},
    {"equilibrium", [](const Capability& c) { return c.relaxes(); }, equilibrium_scene},
    {"contact", [](const Capability& c) { return c.motion.has(Feature::contact); }, contact_scene},
    {"stretching", [](const Capability& c) { return c.any(Feature::stretch); }, stretching_scene},
    {"bodies", [](const Capability& c) { return c.motion.has(Feature::joints) && c.motion.has(Feature::bodies); },
     bodies_scene},
};

// ---- the file ----------------------------------------------------------------------------------------------------------

const char* const file_name = TENDRIL_SOURCE_DIR "/testing/golden_hashes.txt";

Hashes read_hashes() {
  Hashes all;
  std::ifstream in(file_name);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string method, mode, kind, array;
    std::uint64_t value = 0;
    if (line.empty() || line[0] == '#' || !(words >> method >> mode >> kind >> array >> std::hex >> value)) continue;
    all[method + " " + mode + " " + kind + " " + array] = value;
  }
  return all;
}
void write_hashes(const Hashes& all) {
  std::ofstream out(file_name);
  out << "# Bits of short runs (src/run/golden_test.cpp): method, mode, build flavour, array of the Frame, hash.\n"
         "# Renewed by ./test --renew-hashes\n";
  for (const auto& [name, value] : all) out << fmt::format("{} {:016x}\n", name, value);
}

Hashes hashes_of(const MethodEntry& method, const ModeOfRun& mode) {
  Checked<Simulation> simulation = Simulation::open(mode.scene(method));
  EXPECT_TRUE(simulation) << to_text(simulation.problems());
  if (!simulation) return {};
  FrameHashes frames;
  Sink* sinks[] = {&frames};
  const RunReport report = simulate(*simulation, sinks);
  EXPECT_EQ(report.outcome, Outcome::fine) << mode.name << ": " << report.message;
  Hashes all;
  for (const auto& [array, hash] : frames.all())
    all[fmt::format("{} {} {} {}", method.info.name, mode.name, flavour(), array)] = hash.value();
  return all;
}

SENTENCE("golden", "short runs of every method and mode have the bits that are on record") {
  const bool renew = std::getenv("TENDRIL_RENEW_HASHES") != nullptr;
  Hashes recorded = read_hashes();
  const std::string kind = " " + flavour() + " ";
  const bool known =
      std::any_of(recorded.begin(), recorded.end(), [&](const auto& h) { return h.first.find(kind) != std::string::npos; });
  if (!known && !renew) {
    // Processors without AVX2 and ThreadSanitizer have none; what every change is gated by must have them.
    ASSERT_FALSE(flavour() == "release-avx2" || flavour() == "address-avx2") << "no hashes of " << flavour();
    GTEST_SKIP() << "no hashes are on record for builds of flavour " << flavour();
  }
  Hashes now;
  for_each_method([&](const MethodEntry& method) {
    for (const ModeOfRun& mode : golden_modes)
      if (mode.claimed(method.info.can)) now.merge(hashes_of(method, mode));
  });
  for (const auto& [name, value] : now) {
    const auto old = recorded.find(name);
    if (old != recorded.end() && old->second == value) continue;
    if (renew)
      fmt::print("{} {}\n", old == recorded.end() ? "new  " : "moved", name);
    else if (old == recorded.end())
      ADD_FAILURE() << name << " is not on record; ./test --renew-hashes adds it";
    else
      ADD_FAILURE() << name << " has other bits; if that is meant, ./test --renew-hashes and say so in docs/decisions.md";
  }
  if (!renew) {
    for (const auto& [name, value] : recorded)
      EXPECT_TRUE(now.contains(name) || name.find(kind) == std::string::npos) << name << " is no longer there";
    return;
  }
  for (auto it = recorded.begin(); it != recorded.end();) {  // of this flavour only what was found just now stays
    const bool gone = it->first.find(kind) != std::string::npos && !now.contains(it->first);
    if (gone) fmt::print("gone  {}\n", it->first);
    it = gone ? recorded.erase(it) : std::next(it);
  }
  for (const auto& [name, value] : now) recorded[name] = value;
  write_hashes(recorded);
}

}  // namespace
}  // namespace tendril
