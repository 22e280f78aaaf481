#include "run/suspicion.h"

#include <limits>

#include "testing/sentence.h"

namespace tendril {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

SENTENCE("run", "a few retries are forgiven, more than three and one in a thousand steps are not") {
  const auto with = [](std::int64_t steps, int retries) {
    return suspicion({.steps = steps, .retries = retries, .energy_error = not_known, .worst_energy_error = not_known});
  };
  EXPECT_EQ(with(10, 3), "");
  EXPECT_NE(with(10, 4), "");
  EXPECT_EQ(with(10000, 10), "");
  EXPECT_NE(with(10000, 11), "");
  EXPECT_NE(with(20, 77).find("77 times in 20 steps"), std::string::npos) << with(20, 77);
}

SENTENCE("run", "a gain of energy beyond 5 % is always suspect, a loss unless the scene names a scheme that loses") {
  const auto with = [](double end, double worst, const char* lossy = "") {
    return suspicion({.steps = 1000, .retries = 0, .energy_error = end, .worst_energy_error = worst, .lossy = lossy});
  };
  EXPECT_EQ(with(0.04, 0.049), "");
  EXPECT_EQ(with(-0.04, -0.049), "");
  EXPECT_EQ(with(0.11, 0.11), "11 % of its energy came from nowhere; take a smaller time.step");
  EXPECT_EQ(with(0.01, 0.06), "6 % of its energy came from nowhere; take a smaller time.step");  // on the way
  EXPECT_EQ(with(-0.55, -0.55), "55 % of its energy was lost by the computation; take a smaller time.step");
  EXPECT_EQ(with(-0.55, -0.55, "projection = \"fast\""), "");
  EXPECT_NE(with(0.55, 0.55, "projection = \"fast\""), "");
  EXPECT_EQ(with(not_known, not_known), "");
  EXPECT_EQ(suspicion({.steps = 10, .energy_error = 3, .worst_energy_error = 3, .jumped = true}), "");
}

SENTENCE("run", "equilibria are not judged by energy or retries") {
  EXPECT_EQ(
      suspicion({.mode = Mode::quasistatic, .steps = 10, .retries = 9, .energy_error = 0.5, .worst_energy_error = 0.5}), "");
}

SENTENCE("run", "a scheme that loses energy counts as named only when the scene itself names it") {
  const MethodInfo* der = find_method_info("der");
  ASSERT_NE(der, nullptr);
  Scene scene;
  EXPECT_EQ(lossy_choice(scene, *der), "");
  scene.options["der"]["projection"] = std::string("fast");
  EXPECT_EQ(lossy_choice(scene, *der), "projection = \"fast\"");
  scene.options["der"]["projection"] = std::string("conserving");
  EXPECT_EQ(lossy_choice(scene, *der), "");
}

}  // namespace
}  // namespace tendril
