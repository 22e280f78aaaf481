#include <cmath>

#include "math/number.h"
#include "model/framing.h"
#include "model/model.h"
#include "model/test_scenes.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

using math::pi, math::two_pi;

SENTENCE("model", "a straight rod has equal edges, one frame and no twist") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(2, 0, 0)}, 10);
  scene.rods[0].d1 = Vec3(0.3, 1, 0);
  const auto model = build_model(scene);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->material.size(), 11);
  EXPECT_EQ(model->rest_twist.size(), 9);
  for (int k = 0; k < 10; ++k) {
    EXPECT_NEAR(model->rest_length[EdgeIndex(k)], 0.2, 1e-15);
    EXPECT_NEAR((director(model->rest_frame[EdgeIndex(k)], 0) - Vec3::UnitY()).norm(), 0, 1e-15);
    EXPECT_NEAR((director(model->rest_frame[EdgeIndex(k)], 2) - Vec3::UnitX()).norm(), 0, 1e-15);
    EXPECT_EQ(model->initial.orientation[EdgeIndex(k)].coeffs(), model->rest_frame[EdgeIndex(k)].coeffs());
  }
  for (const double twist : model->rest_twist) EXPECT_NEAR(twist, 0, 1e-15);
  EXPECT_EQ(model->rest_position[NodeIndex(10)], Vec3(2, 0, 0));
}

SENTENCE("model", "a frame is adapted to its edge and turns as little as possible when the section follows nothing") {
  const auto model = build_model(one_rod(TrefoilCurve{}, 200));
  ASSERT_TRUE(model);
  for (int k = 0; k < 200; ++k) {
    const Vec3 edge = model->rest_position[NodeIndex((k + 1) % 200)] - model->rest_position[NodeIndex(k)];
    EXPECT_NEAR((director(model->rest_frame[EdgeIndex(k)], 2) - edge.normalized()).norm(), 0, 1e-14);
    EXPECT_NEAR(model->rest_length[EdgeIndex(k)], edge.norm(), 1e-14);
    const Mat3 R = model->rest_frame[EdgeIndex(k)].toRotationMatrix();
    EXPECT_NEAR((R.transpose() * R - Mat3::Identity()).norm(), 0, 1e-14);
    EXPECT_NEAR(k > 0 ? model->rest_twist[InnerNodeIndex(k)] : 0, 0, 1e-12);
  }
  // Node 0 closes the frame: its twist is what the frames show there.
  EXPECT_NEAR(model->rest_twist[InnerNodeIndex(0)],
              twist_between(model->rest_frame[EdgeIndex(199)], model->rest_frame[EdgeIndex(0)], 0), 1e-14);
}

}  // namespace
}  // namespace tendril
