// Every experiment is a test: one suite for those of seconds or a minute, one for the long ones.
#include <unistd.h>

#include <filesystem>
#include <string>

#include "testing/sentence.h"
#include "validation/experiment.h"

namespace tendril {
namespace {

class ExperimentTest : public ::testing::Test {
 public:
  explicit ExperimentTest(const Experiment& experiment) : experiment_(experiment) {}
  void TestBody() override {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("tendril_validation_" + std::to_string(getpid()));
    ExperimentContext context(folder / experiment_.name, experiment_.cost == Experiment::full);
    const std::vector<Check> checks = experiment_.run(context);
    std::filesystem::remove_all(folder);
    EXPECT_FALSE(checks.empty());
    for (const Check& check : checks) {
      EXPECT_TRUE(check.passed) << check.name << ": target " << check.target << ", result " << check.result << ", error "
                                << check.error << " of " << check.tolerance;
    }
  }

 private:
  const Experiment& experiment_;
};

const int registered = [] {
  int count = 0;
  for (const Experiment& experiment : all_experiments()) {
    const char* suite = experiment.cost == Experiment::full ? "validation.full" : "validation.slow";
    ::testing::RegisterTest(suite, experiment.name, nullptr, experiment.sentence, __FILE__, __LINE__,
                            [&experiment]() -> ::testing::Test* { return new ExperimentTest(experiment); });
    ++count;
  }
  return count;
}();

SENTENCE("validation", "every experiment is registered as a test") {
  EXPECT_EQ(static_cast<std::size_t>(registered), all_experiments().size());
}

}  // namespace
}  // namespace tendril
