#include "contact/gap_derivatives.h"

#include "contact/contact_testing.h"
#include "math/rotation.h"
#include "testing/finite_difference.h"

namespace tendril {
namespace {
using namespace contact_testing;

void expect_right(const std::function<GapDerivatives(const Vector12&)>& gap, const Vector12& x, const std::string& what) {
  const GapDerivatives here = gap(x);
  const auto first = compare_with_differences([&](const Vector12& y) { return gap(y).gap; }, here.gradient, x);
  EXPECT_TRUE(first.ok) << what << ": " << first.message;
  if (here.hessian.norm() == 0) {  // flat: the gradient does not change at all
    EXPECT_LT((gap(x + Vector12::Constant(1e-3)).gradient - here.gradient).norm(), 1e-14) << what;
    return;
  }
  const auto second = compare_with_differences([&](const Vector12& y) { return Eigen::VectorXd(gap(y).gradient); },
                                               here.hessian, x, {.step = 1e-4, .rounding = 1e-7});
  EXPECT_TRUE(second.ok) << what << ": " << second.message;
}

SENTENCE("contact",
         "gap of two segments: first and second derivative agree with differences, between nodes, point-segment and "
         "point-point") {
  Random random(71);
  int inside = 0, point_segment = 0, point_point = 0;
  for (int k = 0; k < 200; ++k) {
    Vector12 x;
    for (int i = 0; i < 4; ++i) x.segment<3>(3 * i) = random.vector();
    const auto gap = [](const Vector12& y) {
      return pair_gap(y.segment<3>(0), y.segment<3>(3), y.segment<3>(6), y.segment<3>(9), 0.3);
    };
    const GapDerivatives at = gap(x);
    const auto near_end = [](double s) { return (s > 0 && s < 0.01) || (s < 1 && s > 0.99); };
    if (near_end(at.s) || near_end(at.t) || at.gap + 0.3 < 0.05) continue;  // the Hessian jumps there
    const bool s_free = at.s > 0 && at.s<1, t_free = at.t> 0 && at.t < 1;
    ++(s_free && t_free ? inside : s_free || t_free ? point_segment : point_point);
    // Well away from the jump: a step does not change the kind.
    Vector12 moved = x;
    bool stays = true;
    for (int i = 0; i < 12; ++i)
      for (const double h : {-2e-3, 2e-3}) {
        moved[i] = x[i] + h;
        const GapDerivatives there = gap(moved);
        stays = stays && (there.s > 0 && there.s < 1) == s_free && (there.t > 0 && there.t < 1) == t_free;
        moved[i] = x[i];
      }
    if (stays) expect_right(gap, x, std::to_string(k));
  }
  EXPECT_GT(inside, 10);
  EXPECT_GT(point_segment, 20);
  EXPECT_GT(point_point, 10);
}

struct FeatureCase {
  const char* what;
  RigidShape shape;
  std::uint32_t part;
  TouchPlace place;
  Vec3 p0, p1;  // in the shape's axes
};

SENTENCE("contact",
         "gap to an obstacle: derivatives by the nodes and by the obstacle's motion agree with differences, for every "
         "feature of every shape") {
  const shape::Box box{Vec3(0.3, 0.4, 0.5)};
  const shape::Cylinder cylinder{0.5, 0.3};
  const shape::Capsule capsule{0.5, 0.3};
  const shape::Mesh mesh = box_mesh(box.half);
  const MeshGeometry sides(mesh);
  // The side and the vertex of the mesh at (0.3, 0.4, .) and (0.3, 0.4, 0.5).
  int side = -1, vertex = -1, face = -1;
  for (int t = 0; t < sides.triangles(); ++t) {
    if (sides.normal(t).x() > 0.9) face = t;
    for (const int i : sides.sides_of(t)) {
      const Vec3 &a = sides.vertex(sides.side(i).from), &b = sides.vertex(sides.side(i).to);
      if (a.x() > 0 && a.y() > 0 && b.x() > 0 && b.y() > 0) side = i;
    }
    for (const int v : sides.vertices_of(t))
      if (sides.vertex(v).minCoeff() > 0) vertex = v;
  }
  ASSERT_TRUE(side >= 0 && vertex >= 0 && face >= 0);
  using enum TouchPlace;
  const Vec3 far(2, 1.5, 0.7);
  const std::vector<FeatureCase> cases = {
      {"half-space", shape::HalfSpace{}, 0, first_node, Vec3(0.1, 0.2, 0.05), far},
      {"sphere", shape::Sphere{0.4}, 0, second_node, far, Vec3(0.2, 0.3, 0.4)},
      {"sphere, inside", shape::Sphere{0.4}, 0, first_node, Vec3(0.2, 0.1, 0.2), far},
      {"sphere, between", shape::Sphere{0.4}, 0, between, Vec3(-1, 0.2, 0.45), Vec3(1.2, 0.1, 0.4)},
      {"capsule's side", capsule, 0, first_node, Vec3(0.3, 0.2, 0.1), far},
      {"capsule's end", capsule, 0, first_node, Vec3(0.1, 0.2, 0.8), far},
      {"capsule's side, between", capsule, 0, between, Vec3(-1, 0.35, 0.1), Vec3(1, 0.4, 0.2)},
      {"capsule's end, between", capsule, 0, between, Vec3(-1, 0.1, 0.85), Vec3(1, 0.2, 0.9)},
      {"cylinder's side", cylinder, 0, first_node, Vec3(0.3, 0.2, 0.1), far},
      {"cylinder's end", cylinder, 0, second_node, far, Vec3(0.1, 0.1, 0.55)},
      {"cylinder's rim", cylinder, 0, first_node, Vec3(0.3, 0.2, 0.6), far},
      {"cylinder's side, between", cylinder, 0, between, Vec3(-1, 0.35, 0.1), Vec3(1, 0.4, 0.2)},
      {"cylinder's rim, between", cylinder, 0, between, Vec3(0.9, 0.1, 0), Vec3(-0.1, 0.15, 1)},
      {"box's face", box, 0, first_node, Vec3(0.35, 0.1, 0.2), far},
      {"box's edge", box, 0, first_node, Vec3(0.35, 0.45, 0.2), far},
      {"box's corner", box, 0, second_node, far, Vec3(0.35, 0.45, 0.6)},
      {"box, inside", box, 0, first_node, Vec3(0.25, 0.1, 0.2), far},
      {"box's edge, between", box, 0, between, Vec3(0.9, 0.0, 0.1), Vec3(0.0, 0.95, 0.2)},
      {"box's corner, between", box, 0, between, Vec3(0.9, 0.1, 0.7), Vec3(0.0, 0.9, 0.6)},
      {"mesh's face", mesh, MeshPart::face(face), first_node, Vec3(0.35, 0.1, 0.2), far},
      {"mesh's side", mesh, MeshPart::side(side), first_node, Vec3(0.35, 0.45, 0.2), far},
      {"mesh's vertex", mesh, MeshPart::vertex(vertex), second_node, far, Vec3(0.35, 0.45, 0.6)},
      {"mesh's side, between", mesh, MeshPart::side(side), between, Vec3(0.9, 0.0, 0.1), Vec3(0.0, 0.95, 0.2)},
      {"mesh's side, inside", mesh, MeshPart::side(side), second_node, far, Vec3(0.2, 0.25, 0.1)},
      {"mesh's side, inside, between", mesh, MeshPart::side(side), between, Vec3(0.5, -0.1, 0.1), Vec3(-0.2, 0.5, 0.2)},
      {"mesh's vertex, inside, between", mesh, MeshPart::vertex(vertex), between, Vec3(0.5, -0.1, 0.4),
       Vec3(-0.2, 0.5, 0.3)},
      {"mesh's vertex, between", mesh, MeshPart::vertex(vertex), between, Vec3(0.9, 0.1, 0.7), Vec3(0.0, 0.9, 0.6)}};
  Random random(72);
  for (const FeatureCase& c : cases) {
    Model model = model_of({{straight(Vec3::Zero(), Vec3::UnitX(), 1), 0.05, false}});
    const Pose pose{random.vector(), random.rotation()};
    add_obstacle(model, c.shape, pose);
    const ContactGeometry geometry(model);
    const ObstacleGeometry& obstacle = geometry.obstacles()[0];
    const auto at_pose = [&](const Vector12& y, const Pose& q) {
      return obstacle_gap(obstacle, c.part, q, c.place, y.segment<3>(0), y.segment<3>(3), 0.05);
    };
    Vector12 x = Vector12::Zero();
    x.segment<3>(0) = pose.position + pose.orientation * c.p0, x.segment<3>(3) = pose.position + pose.orientation * c.p1;
    expect_right([&](const Vector12& y) { return at_pose(y, pose); }, x, c.what);
    // By the obstacle's displacement and turn.
    const GapDerivatives here = at_pose(x, pose);
    const Eigen::Matrix<double, 6, 1> by_motion =
        (Eigen::Matrix<double, 6, 1>() << here.by_displacement, here.by_turn).finished();
    const auto result = compare_with_differences(
        [&](const Pose& q) { return at_pose(x, q).gap; }, by_motion, pose, {.step = 1e-4, .rounding = 1e-7},
        [](const Pose& q, const Eigen::VectorXd& d) {
          return Pose{q.position + d.head<3>(), exp_quat(Vec3(d.tail<3>())) * q.orientation};
        });
    EXPECT_TRUE(result.ok) << c.what << ": " << result.message;
  }
}

}  // namespace
}  // namespace tendril
