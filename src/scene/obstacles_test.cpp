// Obstacles and contact in scenes: what can be said, what is refused, and OBJ files.
#include "scene/scene_testing.h"
#include "testing/sentence.h"

namespace tendril {
namespace {
using namespace scene_testing;

const std::string contact_on = "[contact]\nenabled = true\n";
std::string with_obstacle(const std::string& shape) {
  return complaints(plain_scene + contact_on + "[[obstacle]]\nshape = { " + shape + " }\n");
}
// A tetrahedron, closed.
const std::string vertices = "vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]";
std::string mesh(const std::string& triangles) {
  return with_obstacle("mesh = { " + vertices + ", triangles = [" + triangles + "] }");
}

SENTENCE("scene", "obstacles and contact are read, written and read back") {
  const std::string text = plain_scene + "[contact]\nenabled = true\nfriction = 0.3\nmargin = 0.001\nself = false\n" + R"(
[[obstacle]]
name = "floor"
shape = { half_space = { point = [0, 0, -1], normal = [0, 0, 2] } }
friction = 0.5
[[obstacle]]
shape = { sphere = { center = [1, 2, 3], radius = 0.1 } }
move = { shape = "linear", keys = [[0, [0, 0, 0]], [1, [0, 0, 1]]] }
[[obstacle]]
shape = { capsule = { start = [0, 0, 0], end = [1, 0, 0], radius = 0.1 } }
turn = { keys = [[0, 0], [1, 2]] }
axis = [0, 1, 0]
pivot = [5, 0, 0]
[[obstacle]]
shape = { cylinder = { start = [0, 0, 0], end = [1, 0, 0], radius = 0.1 } }
[[obstacle]]
shape = { box = { center = [0, 0, -3], size = [1, 2, 3], x_axis = [1, 1, 0], y_towards = [0, 1, 0] } }
[[obstacle]]
shape = { mesh = { )" + vertices +
                           R"(, triangles = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3], scale = 2, position = [0, 0, -9] } }
)";
  const Checked<Scene> scene = read_scene(text, "scene.toml");
  ASSERT_TRUE(scene) << to_text(scene.problems());
  EXPECT_EQ(scene->obstacles.size(), 6u);
  EXPECT_EQ(scene->obstacles[1].name, "obstacle2");
  EXPECT_EQ(scene->contact.friction, 0.3);
  const Checked<Scene> again = read_scene(write_scene(*scene), "again.toml");
  ASSERT_TRUE(again) << to_text(again.problems());
  EXPECT_EQ(*scene, *again);
}

SENTENCE("scene",
         "a scene that asks for contact from a method without it is refused; one that does not ask runs as before") {
  EXPECT_EQ(complaints(plain_scene), "");
  // Methods made for this test: one that can, one that cannot.
  std::vector<MethodInfo> methods(2, all_method_infos().front());
  methods[0].name = "der", methods[0].can.motion = methods[0].can.motion.without({Feature::contact});
  methods[1].name = "other", methods[1].can.motion = methods[1].can.motion.with({Feature::contact});
  EXPECT_CONTAINS(complaints(plain_scene + contact_on, methods),
                  "contact.enabled: method `der` has no contact, but the scene asks for it; methods that can: other");
  methods[0].can.motion = methods[0].can.motion.with({Feature::contact});
  EXPECT_LACKS(complaints(plain_scene + contact_on, methods), "contact");
  methods[1].can.equilibrium = methods[1].can.equilibrium.with({Feature::contact});
  EXPECT_CONTAINS(complaints(with("duration = 2.0", "mode = \"statics\"") + contact_on, methods),
                  "contact.enabled: method `der` finds no equilibria with contact, but the scene asks for it; methods that "
                  "can: other");
}

SENTENCE("scene", "where contact is off, check tells of an obstacle who passes through it and who does not") {
  const std::string ball = "[[obstacle]]\nshape = { sphere = { radius = 1 } }\n", off = "write [contact] enabled = true";
  const std::string body = "[[body]]\nmass = 1\nshape = { sphere = { radius = 0.1 } }\nposition = [0, 0, 3]\n";
  const std::string rods_alone = "obstacle[0]: bodies touch it, rods pass through it: contact of rods is off; " + off;
  EXPECT_CONTAINS(complaints(plain_scene + ball), "obstacle[0]: nothing touches it: contact is off; " + off);
  EXPECT_CONTAINS(complaints(plain_scene + ball + body), rods_alone);
  EXPECT_CONTAINS(complaints(plain_scene + ball + body + "kind = \"fixed\"\n"), "nothing touches it");
  EXPECT_CONTAINS(complaints(plain_scene + ball + "move = { keys = [[0, [0, 0, 0]], [1, [0, 0, 1]]] }\n" + body),
                  rods_alone);
  const std::string floor =
      "[[obstacle]]\nshape = { half_space = { } }\nmove = { keys = [[0, [0, 0, 0]], [1, [0, 0, 1]]] }\n";
  EXPECT_CONTAINS(complaints(plain_scene + floor + body), "nothing touches it");  // bodies pass through one that moves
  EXPECT_LACKS(complaints(plain_scene + ball + body + contact_on), "contact");
}

SENTENCE("scene", "bad obstacles are refused with a reason") {
  EXPECT_CONTAINS(complaints(plain_scene + "[contact]\nfriction = -0.1\n"),
                  "contact.friction: got -0.1, must be at least 0");
  EXPECT_CONTAINS(complaints(plain_scene + "[[obstacle]]\nfriction = -1\nshape = { sphere = { radius = 1 } }\n"),
                  "obstacle[0].friction: got -1, must be at least 0");
  EXPECT_CONTAINS(complaints(plain_scene + "[contact]\nmargin = 0\n"), "contact.margin: got 0 m, must be > 0");
  EXPECT_CONTAINS(complaints(plain_scene + "[[obstacle]]\nname = \"x\"\n"), "obstacle[0].shape: is missing");
  EXPECT_CONTAINS(complaints(plain_scene + "[[obstacle]]\nshape = { sphere = { radius = 1 } }\n"),
                  "obstacle[0]: nothing touches it: contact is off; write [contact] enabled = true");
  EXPECT_CONTAINS(with_obstacle("sphere = { radius = 0 }"), "shape.sphere.radius: got 0 m, must be > 0");
  EXPECT_CONTAINS(with_obstacle("half_space = { normal = [0, 0, 0] }"), "must not be zero");
  EXPECT_CONTAINS(with_obstacle("cylinder = { end = [0, 0, 0], radius = 1 }"), "the cylinder must have a length");
  EXPECT_CONTAINS(with_obstacle("box = { size = [1, 0, 1] }"), "shape.box.size: got [1, 0, 1] m, each side must be > 0");
  EXPECT_CONTAINS(with_obstacle("box = { size = [1, 1, 1], y_towards = [2, 0, 0] }"), "is parallel to `x_axis`");
  EXPECT_CONTAINS(with_obstacle("ball = { radius = 1 }"), "half_space, sphere, capsule, cylinder, box, mesh");
  EXPECT_CONTAINS(
      complaints(plain_scene + contact_on +
                 "[[obstacle]]\nshape = { sphere = { radius = 1 } }\nmove = { keys = [[1, [0, 0, 0]], [0, [0, 0, 1]]] }\n"),
      "obstacle[0].move.keys[1]: got 0 s after 1 s, times must rise from key to key");
  const std::string thin =
      with("circle = { radius = 0.005 }", "stiffness = { EI1 = 1, EI2 = 1, GJ = 1, mass_per_length = 1 }");
  EXPECT_CONTAINS(complaints(thin + contact_on), "rod[0].section: has no radius, so nothing can touch it");
}

SENTENCE("scene", "a mesh with holes, tangles, slivers or missing corners is refused, and one that is closed is not") {
  const std::string closed = "0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3";
  EXPECT_LACKS(mesh(closed), "obstacle");
  EXPECT_CONTAINS(mesh("0, 2, 1, 0, 1, 3, 0, 3, 2"),
                  "obstacle[0].shape.mesh: the mesh has holes: 3 open sides, the first from vertex 1 at [1, 0, 0] to vertex "
                  "3 at [0, 0, 1]");
  EXPECT_CONTAINS(mesh(closed + ", 1, 2, 3"), "sides belong to more than two triangles");
  EXPECT_CONTAINS(mesh("0, 1, 2, 0, 1, 3, 0, 3, 2, 1, 2, 3"), "of opposite sense");  // one face turned over
  EXPECT_CONTAINS(mesh("0, 2, 1, 0"), "triangles: has 4 vertex numbers, must be three for each triangle");
  EXPECT_CONTAINS(mesh(""), "must be three for each triangle");
  EXPECT_CONTAINS(mesh("0, 2, 9"), "triangles[2]: got 9, there are 4 vertices");
  EXPECT_CONTAINS(mesh("0, 2, -1"), "triangles[2]: got -1, must be at least 0");
  EXPECT_CONTAINS(mesh("0, 2, 2"), "triangles[0]: triangle 0 has no area");
  EXPECT_CONTAINS(
      with_obstacle("mesh = { vertices = [[nan, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], triangles = [" + closed + "] }"),
      "vertices[0]: got [nan, 0, 0] m, must be finite numbers");
}

struct ObjFile {
  TemporaryFolder folder;
  std::string shown;
  Checked<Scene> read(const std::string& obj) {
    std::ofstream(folder / "thing.obj") << obj;
    std::ofstream(folder / "scene.toml")
        << plain_scene << contact_on << "[[obstacle]]\nshape = { mesh = { file = \"thing.obj\", position = [0, 0, -5] } }\n";
    return read_scene_file(folder / "scene.toml");
  }
  std::string complaints_of(const std::string& obj) { return to_text(read(obj).problems()); }
};

SENTENCE("scene", "an OBJ file becomes the mesh: polygons, seams, counting from the end, and what is not needed") {
  ObjFile file;
  // A cube with quads; its top has vertices of its own, as programs write them along seams.
  const std::string cube = R"(# cube
mtllib x.mtl
o cube
v 0 0 0
v 1 0 0
v 1 1 0 1.0
v +0 1e0 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
vn 0 0 1
vt 0 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
usemtl red
s off
f 4 3 2 1
f -4/1/1 -3//1 -2/1 -1   # the top, seam vertices
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
)";
  const Checked<Scene> scene = file.read(cube);
  ASSERT_TRUE(scene) << to_text(scene.problems());
  const auto& shape = std::get<MeshShape>(scene->obstacles[0].shape);
  EXPECT_EQ(shape.vertices.size(), 8u);
  EXPECT_EQ(shape.triangles.size(), 36u);
  EXPECT_EQ(shape.file, "");
  EXPECT_LACKS(to_text(check_scene(*scene, all_method_infos())), "mesh");
}

SENTENCE("scene", "a bad OBJ file is told line by line") {
  ObjFile file;
  EXPECT_CONTAINS(file.complaints_of("v 0 0\nv 1 nan 0\nv a b c\n"),
                  "thing.obj:1: obstacle[0].shape.mesh.file: got \"v 0 0\", must be `v` and three finite numbers");
  EXPECT_CONTAINS(file.complaints_of("v 0 0 0\nv 1 nan 0\n"), "thing.obj:2");
  EXPECT_CONTAINS(file.complaints_of("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"),
                  "thing.obj:4: obstacle[0].shape.mesh.file: got \"4\", there are 3 vertices so far");
  EXPECT_CONTAINS(file.complaints_of("v 0 0 0\nf 1 1\n"), "must be `f` and at least three corners");
  EXPECT_CONTAINS(file.complaints_of("v 0 0 0\nf 0 x 1\n"), "a corner must be a vertex number, counted from 1");
  EXPECT_CONTAINS(file.complaints_of("hello\n"), "has no faces, must be an OBJ file");
  EXPECT_CONTAINS(file.complaints_of(""), "has no faces");
  EXPECT_CONTAINS(complaints(plain_scene + contact_on + "[[obstacle]]\nshape = { mesh = { file = \"no_such.obj\" } }\n"),
                  "there is no such file");
  EXPECT_CONTAINS(complaints(plain_scene + contact_on +
                             "[[obstacle]]\nshape = { mesh = { file = \"x.obj\", triangles = [0, 1, 2] } }\n"),
                  "got both triangles and a file, must be exactly one");
  std::string many = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  for (int k = 0; k < 100001; ++k) many += "f 1 2 3\n";
  EXPECT_CONTAINS(file.complaints_of(many), "too many triangles or vertices, must be at most 100000 triangles");
}

}  // namespace
}  // namespace tendril
