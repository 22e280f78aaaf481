#include "contact/shapes.h"

#include "contact/contact_testing.h"
#include "contact/mesh.h"
#include "testing/finite_difference.h"

namespace tendril {
namespace {
using namespace contact_testing;

template <class Ask>
void for_each_convex(const Ask& ask) {
  ask("half-space", shape::HalfSpace{});
  ask("sphere", shape::Sphere{0.8});
  ask("capsule", shape::Capsule{0.7, 0.4});
  ask("cylinder", shape::Cylinder{0.5, 0.7});
  ask("box", shape::Box{Vec3(0.9, 0.5, 0.3)});
}

SENTENCE("contact", "shapes: no point of the shape is nearer than the distance, and inside the way out is the shortest") {
  for_each_convex([](const char* name, const auto& shape) {
    Random random(11);
    std::vector<Vec3> inside, outside;
    while (inside.size() < 2000 || outside.size() < 2000) {
      const Vec3 p = random.vector(0.7);
      (nearest(shape, p).distance <= 0 ? inside : outside).push_back(p);
    }
    for (int k = 0; k < 500; ++k) {
      const Vec3 p = random.vector(0.9);
      const Nearest at = nearest(shape, p);
      ASSERT_NEAR(at.normal.norm(), 1, 1e-14) << name;
      ASSERT_NEAR(nearest(shape, Vec3(p - at.distance * at.normal)).distance, 0, 1e-14) << name;
      double least = forever;
      for (const Vec3& q : at.distance > 0 ? inside : outside) least = std::min(least, (p - q).norm());
      ASSERT_GE(least, std::abs(at.distance) - 1e-14) << name;
    }
  });
}

SENTENCE("contact", "shapes: the normal is the slope of the distance") {
  for_each_convex([](const char* name, const auto& shape) {
    Random random(12);
    for (int k = 0; k < 200; ++k) {
      const Vec3 p = random.vector(0.9);
      const auto distance = [&](const Vec3& x) { return nearest(shape, x).distance; };
      // Inside, the slope jumps where two ways out are equally long; there differences mean nothing.
      bool smooth = true;
      for (int axis = 0; axis < 3; ++axis)
        for (const double h : {-2e-3, 2e-3})
          smooth = smooth && (nearest(shape, Vec3(p + h * Vec3::Unit(axis))).normal - nearest(shape, p).normal).norm() < 0.1;
      if (!smooth) continue;
      const auto r = compare_with_differences(distance, nearest(shape, p).normal, p, {.step = 1e-4, .rounding = 1e-6});
      EXPECT_TRUE(r.ok) << name << " " << k << ": " << r.message;
    }
  });
}

SENTENCE("contact", "shapes: the lowest distance along a segment is that of a fine sweep") {
  for_each_convex([](const char* name, const auto& shape) {
    Random random(13);
    int between = 0;
    for (int k = 0; k < 3000; ++k) {
      Vec3 p = random.vector(0.8), u = random.vector(random.uniform(0, 1.5));
      if (k % 7 == 0) u = Vec3::Unit(k % 3) * random.uniform(-2, 2);  // along the axes: flat stretches
      if (k % 31 == 0) u.setZero();
      const SegmentNearest found = nearest_along(shape, p, u);
      ASSERT_TRUE(found.s >= 0 && found.s <= 1);
      ASSERT_NEAR(nearest(shape, Vec3(p + found.s * u)).distance, found.at.distance, 1e-14) << name;
      double low = 0, high = 1;  // the function is convex: thirds
      for (int i = 0; i < 200; ++i) {
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        (nearest(shape, Vec3(p + a * u)).distance < nearest(shape, Vec3(p + b * u)).distance ? high : low) =
            nearest(shape, Vec3(p + a * u)).distance < nearest(shape, Vec3(p + b * u)).distance ? b : a;
      }
      const double least = std::min(
          {nearest(shape, Vec3(p + low * u)).distance, nearest(shape, p).distance, nearest(shape, Vec3(p + u)).distance});
      ASSERT_NEAR(found.at.distance, least, 1e-13) << name << " " << k;
      between += found.s > 0 && found.s < 1;
    }
    EXPECT_GT(between, std::string(name) == "half-space" ? -1 : 300) << name;
  });
}

SENTENCE("contact", "triangles: closest points of points and segments are those of a sweep") {
  Random random(14);
  int crossing = 0;
  for (int k = 0; k < 3000; ++k) {
    const std::array<Vec3, 3> t{random.vector(), random.vector(), random.vector()};
    const Vec3 p0 = random.vector(), p1 = random.vector();
    const TrianglePoint at = closest_on_triangle(t, p0);
    const SegmentTriangle c = closest_on_triangle(t, p0, p1);
    double least = forever, least_segment = forever;
    constexpr int n = 24;
    for (int i = 0; i <= n; ++i)
      for (int j = 0; i + j <= n; ++j) {
        const Vec3 q = t[0] + (double(i) / n) * (t[1] - t[0]) + (double(j) / n) * (t[2] - t[0]);
        least = std::min(least, (p0 - q).norm());
        const double s = closest_place(to_small(q), to_small(p0), to_small(Vec3(p1 - p0)));
        least_segment = std::min(least_segment, (p0 + s * (p1 - p0) - q).norm());
      }
    const double tooth = ((t[1] - t[0]).norm() + (t[2] - t[0]).norm()) / n;
    ASSERT_LE((p0 - at.point).norm(), least + 1e-12);
    ASSERT_GE((p0 - at.point).norm(), least - tooth);
    ASSERT_LE(std::sqrt(c.squared), least_segment + 1e-12);
    ASSERT_GE(std::sqrt(c.squared), least_segment - tooth);
    const Vec3 on = p0 + c.s * (p1 - p0) - c.apart;  // lies on the triangle
    ASSERT_LT((closest_on_triangle(t, on).point - on).norm(), 1e-10);
    crossing += c.squared == 0;
  }
  EXPECT_GT(crossing, 50);
}

SENTENCE("contact", "meshes: the distance to a box of triangles is that of the box, inside and out, and inside out") {
  const shape::Box box{Vec3(0.9, 0.5, 0.3)};
  shape::Mesh mesh = box_mesh(box.half);
  const MeshGeometry out(mesh);
  for (auto& t : mesh.triangles) std::swap(t[0], t[1]);
  const MeshGeometry in(mesh);
  Random random(15);
  for (int k = 0; k < 3000; ++k) {
    const Vec3 p = k < 100 ? Vec3(box.half.cwiseProduct(Vec3(1, 1, 1)) * random.uniform(1, 2)) : random.vector();
    const Nearest exact = nearest(box, p), found = out.nearest(p);
    ASSERT_NEAR(found.distance, exact.distance, 1e-14) << k;
    ASSERT_NEAR(in.nearest(p).distance, -exact.distance, 1e-14) << k;
    if (exact.distance > 1e-6) {
      ASSERT_LT((found.normal - exact.normal).norm(), 1e-7) << k;
    }
  }
}

SENTENCE("contact", "meshes: the tree shows every triangle whose box is asked for") {
  Random random(16);
  shape::Mesh mesh;  // not closed: the tree does not mind
  for (int k = 0; k < 500; ++k) {
    const Vec3 centre = random.vector();
    for (int i = 0; i < 3; ++i) mesh.vertices.push_back(centre + random.vector(0.1));
    mesh.triangles.push_back({3 * k, 3 * k + 1, 3 * k + 2});
  }
  const MeshGeometry geometry(mesh);
  for (int k = 0; k < 200; ++k) {
    const Vec3 p = random.vector();
    const Bounds box = Bounds{p, p}.padded(random.uniform(0, 0.5));
    std::vector<int> found, expected;
    geometry.for_each_triangle_in(box, [&](int t) { found.push_back(t); });
    for (int t = 0; t < 500; ++t) {
      Bounds b;
      for (const Vec3& c : geometry.corners(t)) b.include(c);
      if (overlap(b, box)) expected.push_back(t);
    }
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace tendril
