#include <tendril_paths.h>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "measure/along.h"
#include "model/drive.h"
#include "record/record_testing.h"
#include "run/open.h"
#include "testing/allocation_count.h"
#include "testing/fake_method.h"
#include "testing/sentence.h"
#include "view/description.h"
#include "view/frame_bytes.h"
#include "view/page.h"
#include "view/view_testing.h"

namespace tendril {
namespace {

using nlohmann::json;
using view::FrameWriter;

Simulation moved(const std::filesystem::path& file, double until) {
  Checked<Simulation> simulation = Simulation::open(*read_scene_file(file));
  std::ignore = simulation->advance_to(until);
  return std::move(*simulation);
}

void expect_vectors(const std::vector<float>& found, std::size_t at, const Vec3& wanted) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(found.at(at + static_cast<std::size_t>(i)), static_cast<float>(wanted[i]));
}

SENTENCE("view", "a frame's bytes read back as the frame, for every scene") {
  for (const auto& file : scene_files()) {
    const Simulation simulation = moved(file, 0.02);
    const Frame& frame = simulation.frame();
    const FrameWriter writer(simulation);
    std::vector<std::byte> bytes;
    writer.write(frame, simulation.measures(), {.generation = 7, .with_values = true}, bytes);
    const FrameRead f = read_frame_bytes(bytes);
    EXPECT_EQ(f.magic, 0x31524654u);
    EXPECT_EQ(f.generation, 7u);
    EXPECT_EQ(f.time, frame.time);
    EXPECT_EQ(f.step, static_cast<double>(frame.step));
    EXPECT_EQ(f.counts[8], frame.contacts.empty() ? 0u : 2u);
    for (std::size_t r = 0; r < frame.rods.size(); ++r) {
      EXPECT_EQ(f.spans.at(2 * r), static_cast<unsigned>(frame.rods[r].nodes));
      EXPECT_EQ(f.spans.at(2 * r + 1), static_cast<unsigned>(frame.rods[r].edges));
    }
    ASSERT_EQ(f.positions.size(), 3 * static_cast<std::size_t>(frame.position.size()));
    for (int i = 0; i < frame.position.size(); ++i)
      expect_vectors(f.positions, 3 * static_cast<std::size_t>(i), frame.position[NodeIndex(i)] - writer.origin());
    ASSERT_EQ(f.orientations.size(), 4 * static_cast<std::size_t>(frame.orientation.size()));
    for (int k = 0; k < frame.orientation.size(); ++k)
      for (int i = 0; i < 4; ++i)
        EXPECT_NEAR(f.orientations[4 * static_cast<std::size_t>(k) + static_cast<std::size_t>(i)] / 32767.0,
                    frame.orientation[EdgeIndex(k)].coeffs()[i], 0.51 / 32767);
  }
}

SENTENCE("view", "values are energies, twist, solver and probes, as the description names them") {
  for (const auto& file : scene_files()) {
    const Simulation simulation = moved(file, 0.02);
    std::vector<std::byte> bytes;
    const FrameWriter writer(simulation);
    writer.write(simulation.frame(), simulation.measures(), {}, bytes);
    const FrameRead f = read_frame_bytes(bytes);
    const json d = json::parse(view::description_json(simulation, "x", 1));
    ASSERT_EQ(f.values.size(), d.at("values").size()) << file;
    const auto value = [&](const std::string& name, const std::string& group) {
      for (std::size_t i = 0; i < f.values.size(); ++i)
        if (d.at("values")[i].at("name") == name && d.at("values")[i].at("group") == group) return f.values[i];
      ADD_FAILURE() << name;
      return std::nan("");
    };
    const Measures& m = simulation.measures();
    EXPECT_EQ(value("kinetic", "energy"), m.energy.kinetic);
    EXPECT_EQ(value("total", "energy"), m.energy.total());
    EXPECT_EQ(value("work of clamps", "balance"), simulation.frame().flow.clamps);
    EXPECT_EQ(value("impacts", "balance"), simulation.frame().flow.impacts);
    EXPECT_TRUE(same_or_none(value("energy error", "solver"), 100 * m.energy_error));
    EXPECT_EQ(value("length error", "solver"), m.length_error);
    EXPECT_EQ(value("iterations", "solver"), simulation.frame().report.iterations);
    std::size_t at = f.values.size();
    for (auto probe = m.probes.rbegin(); probe != m.probes.rend(); ++probe)
      for (auto v = probe->value.rbegin(); v != probe->value.rend(); ++v) EXPECT_EQ(f.values.at(--at), *v) << probe->name;
    double turns = 0;
    const RodSpan& rod = simulation.frame().rods[0];
    for (int i = 0; i < rod.inner; ++i) turns += simulation.frame().twist[InnerNodeIndex(rod.first_inner + i)] / (2 * M_PI);
    EXPECT_NEAR(value(simulation.rod_names()[0], "twist"), turns, 1e-12);
    writer.write(simulation.frame(), {}, {.generation = 0, .with_values = false}, bytes);
    EXPECT_EQ(read_frame_bytes(bytes).counts[7], 0u);
  }
}

SENTENCE("view", "contacts, bodies, moved arc lengths and hands are in the bytes when a frame has them") {
  const Simulation simulation = open_fake(fake_scene());
  const FrameWriter writer(simulation);
  Frame frame = simulation.frame();
  ContactPoint contact;
  contact.position = Vec3(0.5, 0, 0.25), contact.normal = Vec3::UnitZ(), contact.force = Vec3(0, 3, 4), contact.gap = -0.001;
  contact.edge_a = 2, contact.edge_b = -1;
  frame.contacts = {contact, contact};
  frame.contacts[1].edge_b = 0;
  frame.bodies.push_back({{Vec3(1, 2, 3), Quat(0.5, -0.5, 0.5, 0.5)}, {}});
  frame.material[NodeIndex(1)] += 0.01;
  Drive drive;
  Live live;
  Hand hand;
  hand.rod = 0, hand.material = 0.625, hand.pose.position = Vec3(0, 0, 1);
  live.hands.add(hand);
  hand.rod = -1, hand.body = 0;
  live.hands.add(hand);
  hand.body = -1;  // holds nothing
  live.hands.add(hand);
  Scene with_body = fake_scene();
  RigidBody ball;
  ball.name = "ball", ball.mass = 1, ball.shape = SphereBody{0.1};
  with_body.bodies = {ball};
  const Model model = *build_model(with_body);
  evaluate(model, live, 0, 1, drive);
  write_drive(model, drive, frame);
  frame.pulls[0].force = Vec3(7, -8, 9);
  std::vector<std::byte> bytes;
  writer.write(frame, simulation.measures(), {}, bytes);
  const FrameRead f = read_frame_bytes(bytes);
  EXPECT_EQ(f.counts, (std::array<std::uint32_t, 9>{1, 5, 4, 1, 0, 2, 2, static_cast<unsigned>(f.values.size()), 3}));
  EXPECT_EQ(f.material[1], static_cast<float>(frame.material[NodeIndex(1)]));
  EXPECT_EQ(f.contact, (std::vector<float>{5, 0, 10, 0}));
  expect_vectors(f.bodies, 0, Vec3(1, 2, 3) - writer.origin());
  EXPECT_EQ((std::vector<float>(f.bodies.begin() + 3, f.bodies.end())), (std::vector<float>{-0.5F, 0.5F, 0.5F, 0.5F}));
  expect_vectors(f.contacts, 10, contact.position - writer.origin());
  expect_vectors(f.contacts, 13, contact.normal);
  expect_vectors(f.contacts, 16, contact.force);
  EXPECT_EQ(f.contacts[19], -0.001F);
  expect_vectors(f.hands, 0, Vec3(0, 0, 1) - writer.origin());
  const Vec3 middle = 0.5 * (frame.position[NodeIndex(2)] + frame.position[NodeIndex(3)]);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(f.hands[3 + static_cast<std::size_t>(i)], (middle - writer.origin())[i], 1e-6);
  expect_vectors(f.hands, 6, Vec3(7, -8, 9));
  expect_vectors(f.hands, 12, Vec3(1, 2, 3) - writer.origin());
}

SENTENCE("view", "writing a frame allocates nothing once it has been done") {
  const Simulation simulation = moved(scene_files().front(), 0.02);
  const FrameWriter writer(simulation);
  const Frame& frame = simulation.frame();
  const Measures& measures = simulation.measures();
  std::vector<std::byte> bytes;
  writer.write(frame, measures, {}, bytes);
  const AllocationCount allocations;
  writer.write(frame, measures, {}, bytes);
  const long count = allocations.count();
  EXPECT_EQ(count, 0);
}

SENTENCE("measure", "values along a rod are those that probes find in the middle of each edge") {
  int edges = 0;
  for (const auto& file : scene_files()) {
    const Simulation simulation = moved(file, 0.05);
    const Frame& frame = simulation.frame();
    const Model& model = model_of(simulation);
    const FrameWriter writer(simulation);
    for_each_edge(writer.facts().rod_lengths, frame, [&](EdgeIndex e, const AlongEdge& along) {
      int r = 0;
      while (e.value >= frame.rods[static_cast<std::size_t>(r)].first_edge + frame.rods[static_cast<std::size_t>(r)].edges)
        ++r;
      const RodSpan& rod = frame.rods[static_cast<std::size_t>(r)];
      const double length = model.rods[static_cast<std::size_t>(r)].length;
      const int k = e.value - rod.first_edge;
      const double s = frame.material[NodeIndex(rod.first_node + k)] + 0.5 * rest_length_of_edge(frame, rod, k, length);
      const MeasuredPoint point(model, frame, r, s);
      const double scale = 1 + std::abs(along.twist) + along.moment + std::abs(along.tension);
      EXPECT_NEAR(along.twist, point.strain().z(), 1e-9 * scale) << file << " edge " << e.value;
      EXPECT_NEAR(along.tension, point.tension(), 1e-9 * scale) << file << " edge " << e.value;
      EXPECT_NEAR(along.moment, point.at_nodes(frame.moment).norm(), 1e-9 * scale) << file << " edge " << e.value;
      EXPECT_NEAR(rest_length_of_edge(frame, rod, k, length), model.rest_length[e], 1e-9 * length)
          << file << " edge " << e.value;
      ++edges;
    });
  }
  EXPECT_GT(edges, 100);
}

SENTENCE("measure", "a helix has its curvature on every edge, whether its section is twisted or not") {
  for (const double twist : {0.0, 3.0}) {
    Scene scene = fake_scene();
    scene.rods[0].rest = HelixCurve{Vec3::Zero(), Vec3::UnitZ(), Vec3::UnitX(), 0.5, 1.0, 2, false};
    scene.rods[0].natural_twist = twist;
    scene.rods[0].segments = 400;
    const Simulation simulation = open_fake(scene);
    const double c = 1.0 / (2 * M_PI), curvature = 0.5 / (0.25 + c * c);
    for_each_edge(FrameWriter(simulation).facts().rod_lengths, simulation.frame(), [&](EdgeIndex e, const AlongEdge& along) {
      EXPECT_NEAR(along.curvature, curvature, 1e-3 * curvature) << e.value << " with twist " << twist;
    });
  }
}

SENTENCE("view", "every scene's description is JSON with the scene's counts") {
  for (const auto& file : scene_files()) {
    const Checked<Simulation> simulation = Simulation::open(*read_scene_file(file));
    const Model& model = model_of(*simulation);
    const json d = json::parse(view::description_json(*simulation, file.stem().string(), 5));
    EXPECT_EQ(d.at("generation"), 5);
    EXPECT_EQ(d.at("name"), file.stem().string());
    EXPECT_EQ(d.at("method"), simulation->scene().method);
    EXPECT_EQ(d.at("step"), simulation->step_size());
    EXPECT_FALSE(d.at("title").get<std::string>().empty());
    ASSERT_EQ(d.at("rods").size(), model.rods.size());
    for (std::size_t r = 0; r < model.rods.size(); ++r) {
      const json& rod = d.at("rods")[r];
      EXPECT_EQ(rod.at("nodes"), model.rods[r].span.nodes);
      EXPECT_EQ(rod.at("edges"), model.rods[r].span.edges);
      EXPECT_EQ(rod.at("ring"), model.rods[r].span.ring);
      EXPECT_EQ(rod.at("material").size(), rod.at("nodes").get<std::size_t>());
      for (const char* axis : {"a", "b"}) {
        const std::size_t sizes = rod.at("section").at(axis).size();
        EXPECT_TRUE(sizes == 1 || sizes == rod.at("edges").get<std::size_t>());
      }
    }
    EXPECT_EQ(d.at("clamps").size(), model.clamps.size());
    EXPECT_EQ(d.at("inputs").size(), simulation->input_names().size());
    for (const json& input : d.at("inputs")) {
      if (input.at("low").is_array()) {  // each component has its own range
        for (std::size_t i = 0; i < 3; ++i)
          EXPECT_LE(input.at("low").at(i).get<double>(), input.at("high").at(i).get<double>()) << input;
      } else {
        EXPECT_LT(input.at("low").get<double>(), input.at("high").get<double>());
      }
      EXPECT_EQ(input.at("value").is_array(), input.at("kind") == "vector") << input;
    }
    EXPECT_EQ(d.at("methods").size(), all_method_infos().size());
    for (const json& method : d.at("methods"))  // whoever looks at the page has no use for a file of another machine
      for (const json& problem : method.at("problems"))
        EXPECT_EQ(problem.get<std::string>().find(".toml"), std::string::npos) << problem;
    for (int i = 0; i < 3; ++i) {
      const auto at = [&](const char* key) { return d.at(key)[static_cast<std::size_t>(i)].get<double>(); };
      EXPECT_LE(at("low"), at("high"));
      EXPECT_NEAR(at("origin"), 0.5 * (at("low") + at("high")), 1e-12);
    }
  }
}

SENTENCE("view", "a description tells sections, clamps and what has been set by hand") {
  Scene scene = fake_scene();
  scene.rods[0].section.reset();
  scene.materials.push_back({"wood", 500, 1e9, 0.3, {}});
  scene.rods[0].material = "wood";
  scene.rods[0].section = RectangleSection{0.04, 0.02};
  scene.title = "";
  Simulation simulation = open_fake(scene);
  simulation.set_input("clamp.wall.turn", 1.5);
  simulation.set_input("gravity", 0.5);
  const json d = json::parse(view::description_json(simulation, "plank", 1));
  EXPECT_EQ(d.at("title"), "plank");
  EXPECT_EQ(d.at("rods")[0].at("section"), json::parse(R"({"kind":"rectangle","a":[0.02],"b":[0.01]})"));
  EXPECT_EQ(d.at("clamps")[0],
            json::parse(R"({"name":"wall","rod":0,"material":0.0,"hold":["position","direction","twist"]})"));
  scene.clamps[0].from = 0.1, scene.clamps[0].until = 0.3;
  EXPECT_EQ(json::parse(view::description_json(open_fake(scene), "plank", 1)).at("clamps")[0],
            json::parse(
                R"({"name":"wall","rod":0,"material":0.0,"hold":["position","direction","twist"],"from":0.1,"until":0.3})"));
  EXPECT_EQ(d.at("inputs")[0].at("value"), 0.5);
  EXPECT_EQ(d.at("inputs")[1].at("label"), "turn wall");
  EXPECT_EQ(d.at("inputs")[1].at("unit"), "turns");
  EXPECT_NEAR(d.at("inputs")[1].at("value").get<double>(), 1.5, 1e-15);
  EXPECT_EQ(d.at("inputs")[2].at("kind"), "vector");
  EXPECT_NEAR(d.at("inputs")[2].at("high").get<double>(), 1.04, 1e-12);  // the rod and its section's radius on both sides
  const json& values = d.at("values");
  EXPECT_EQ(std::count(values.begin(), values.end(), json::parse(R"({"name":"tip.x","unit":"m","group":"probe"})")), 1);
}

SENTENCE("view", "the page is the built front end, whole, with a place for runs") {
  std::ifstream in(std::filesystem::path(TENDRIL_SOURCE_DIR) / "web" / "dist" / "page.html", std::ios::binary);
  const std::string built((std::istreambuf_iterator<char>(in)), {});
  EXPECT_TRUE(view::page() == built);
  EXPECT_NE(view::page().find("<!-- tendril data -->"), std::string_view::npos);
}

SENTENCE("view", "a description has the bodies and obstacles of the scene, frames where they are") {
  Scene scene = fake_scene();
  RigidBody ball, point;
  ball.name = "ball", ball.shape = CapsuleBody{0.1, 0.3}, ball.mass = 1, ball.position = Vec3(0, 0, 2);
  point.name = "point", point.mass = 2, point.inertia = Vec3(0.2, 0.2, 0.2), point.position = Vec3(1, 2, 3);
  scene.bodies = {ball, point};
  Obstacle floor, box, mesh;
  floor.name = "floor", floor.shape = HalfSpaceShape{Vec3(-1, 0, 0), Vec3::UnitX()};
  box.name = "box", box.shape = BoxShape{Vec3(0, 0, -1), Vec3(1, 2, 3)};
  box.move.keys = {{0, Vec3::Zero()}, {1, Vec3(0, 0, 1)}};
  mesh.name = "mesh";
  MeshShape tetrahedron;
  tetrahedron.vertices = {Vec3(0, 0, -3), Vec3(1, 0, -3), Vec3(0, 1, -3), Vec3(0, 0, -2)};
  tetrahedron.triangles = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  mesh.shape = tetrahedron;
  scene.obstacles = {floor, box, mesh};
  const Model model = *build_model(scene);
  const json d = json::parse(view::description_json(scene, model, 0.1, "x", 1));
  ASSERT_EQ(d.at("bodies").size(), 2u);
  EXPECT_EQ(d.at("bodies")[0], json::parse(R"({"name":"ball","shape":{"capsule":{"radius":0.1,"length":0.3}}})"));
  const double side = d.at("bodies")[1].at("shape").at("box").at("size")[0];
  EXPECT_NEAR(2 * (side * side + side * side) / 12, 0.2, 1e-12) << "the box that has its inertia";
  EXPECT_GT(d.at("high")[2].get<double>(), 3);
  ASSERT_EQ(d.at("obstacles").size(), 3u);
  const json& plane = d.at("obstacles")[0];
  const auto pose = plane.at("pose").get<std::vector<double>>();
  const auto normal = plane.at("shape").at("plane").at("normal").get<std::vector<double>>();
  const Quat turn(pose[6], pose[3], pose[4], pose[5]);
  EXPECT_LT((turn * Vec3(normal[0], normal[1], normal[2]) - Vec3::UnitX()).norm(), 1e-12);
  EXPECT_FALSE(plane.at("moves").get<bool>());
  EXPECT_TRUE(d.at("obstacles")[1].at("moves").get<bool>());
  EXPECT_EQ(d.at("obstacles")[1].at("shape"), json::parse(R"({"box":{"size":[1.0,2.0,3.0]}})"));
  EXPECT_EQ(d.at("obstacles")[2].at("shape").at("mesh").at("triangles").size(), 12u);
  EXPECT_EQ(d.at("obstacles")[2].at("shape").at("mesh").at("vertices").size(), 12u);

  Frame frame = model.initial;
  frame.time = 0.25;
  const FrameWriter writer(view::frame_facts(model));
  std::vector<std::byte> bytes;
  Live live;
  Hand hand;
  hand.body = 0, hand.point = Vec3(0, 0, 0.1), hand.pose.position = Vec3(1, 1, 1);
  live.hands.add(hand);
  Drive drive;
  evaluate(model, live, 0.25, 1, drive);
  write_drive(model, drive, frame);
  writer.write(frame, {}, {.generation = 0, .with_values = false}, bytes);
  const FrameRead f = read_frame_bytes(bytes);
  EXPECT_EQ(f.counts[3], 2u);
  EXPECT_EQ(f.counts[4], 1u);
  expect_vectors(f.bodies, 7, Vec3(1, 2, 3) - writer.origin());
  expect_vectors(f.obstacles, 0, drive.obstacles[1].pose.position - writer.origin());
  EXPECT_GT(drive.obstacles[1].pose.position.z(), -1);
  expect_vectors(f.hands, 3, Vec3(0, 0, 2.1) - writer.origin());
}

// The ramp goes from the start to the drive of the end, scaled by the load factor; it does not follow the path in time.
SENTENCE("view", "what is drawn in a statics ramp is what acted: obstacles and couplings at the load factor of the frame") {
  Scene scene = fake_scene();
  scene.time.mode = Mode::statics;
  scene.time.duration = 1;
  Timetable<Vec3> path;
  path.keys = {{0, Vec3::Zero()}, {0.1, Vec3(0, 0, 1)}, {1, Vec3(0, 0, 1)}};
  Obstacle box;
  box.name = "box", box.shape = BoxShape{Vec3(0, 0, -3), Vec3(1, 1, 1)}, box.move = path;
  scene.obstacles = {box};
  Coupling spring;
  spring.name = "spring", spring.rod = "rod", spring.stiffness = 1, spring.move = path;
  scene.couplings = {spring};
  Simulation simulation = open_fake(scene);
  const FrameWriter writer(simulation);
  std::ignore = simulation.advance();
  const double share = simulation.frame().load_factor;
  ASSERT_GT(share, 0);
  ASSERT_LT(share, 0.5);
  std::vector<std::byte> bytes;
  writer.write(simulation.frame(), simulation.measures(), {}, bytes);
  const FrameRead f = read_frame_bytes(bytes);
  expect_vectors(f.obstacles, 0, Vec3(0, 0, -3 + share) - writer.origin());
  expect_vectors(f.hands, 0, model_of(simulation).couplings[0].start.position + Vec3(0, 0, share) - writer.origin());
  EXPECT_EQ(simulation.frame().gravity, share * model_of(simulation).gravity);
}

}  // namespace
}  // namespace tendril
