// What a chain takes from its rods one by one.
#include "methods/der/der_testing.h"
#include "testing/sentence.h"

namespace tendril::der {
namespace {

SENTENCE("der", "of two rods that hang side by side the one that stretches is longer by its weight over 2 EA") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(0, 0, -1)}, 20);
  scene.rods.push_back(scene.rods[0]);
  scene.rods[1].name = "other";
  scene.rods[0].stretch = Give::elastic;
  for (Rod& rod : scene.rods) rod.damping.mass = 40;
  add_clamp(scene, 0), add_clamp(scene, 0).rod = "other";
  scene.loads.push_back(GravityLoad{});
  const auto model = model_of(scene);
  Der rods(model, {});
  const double h = advised(*model);
  for (int i = 0; i * h < 1; ++i) ASSERT_EQ(rods.step(i * h, h, {}).outcome, Outcome::fine);
  const Frame frame = frame_of(rods);
  EXPECT_NEAR(-frame.position[NodeIndex{20}].z() - 1, 9.81 / (2 * 1e4), 1e-8);  // 1 kg, 1 m, EA = 1e4 N
  EXPECT_NEAR(-frame.position[NodeIndex{41}].z() - 1, 0, 1e-7);
}

SENTENCE("der", "each node starts with the velocity it is given") {
  Scene scene = one_rod(line, 4);
  scene.rods[0].velocity = Vec3(0, 0, 1);
  for (int k = 0; k < 5; ++k) scene.rods[0].velocities.push_back(Vec3(0, k, 0));
  const Frame frame = frame_of(Der(model_of(scene), {}));
  for (int k = 0; k < 5; ++k) EXPECT_EQ(frame.velocity[NodeIndex{k}], Vec3(0, k, 1));
  scene.rods[0].velocities.pop_back();
  EXPECT_NE(to_text(build_model(scene).problems()).find("must have one for each of the rod's 5 nodes"), std::string::npos);
}

SENTENCE("der", "a rod that rolls has the rotary inertia it is given, else that of a round rod") {
  for (const bool given : {false, true}) {
    StiffnessSection section = plain_section();
    if (given) section.rotary1 = 0.3, section.rotary2 = 0.4;
    Scene scene = one_rod(line, 4, section);
    scene.contact.enabled = true, scene.contact.friction = 0.5;
    const Der der(model_of(scene), {});
    double sum = 0;
    for (const double inertia : der.chain().roll_inertia) sum += inertia;
    EXPECT_NEAR(sum, given ? 0.7 : 0.5 * 0.01 * 0.01, 1e-15);  // 1 kg/m, radius 0.01 m, 1 m
  }
}

}  // namespace
}  // namespace tendril::der
