// Every experiment is a test: the quick ones as they run in seconds in one suite, all of them with all they have in the other (`--full`).
// Those that judge times have suites of their own, which tools/run_tests.py runs alone.
#include <unistd.h>

#include <filesystem>
#include <string>

#include "testing/sentence.h"
#include "validation/experiment.h"

namespace tendril {
namespace {

class ExperimentTest : public ::testing::Test {
 public:
  ExperimentTest(const Experiment& experiment, bool full) : experiment_(experiment), full_(full) {}
  void TestBody() override {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("tendril_validation_" + std::to_string(getpid()));
    ExperimentContext context(folder / experiment_.name, full_);
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
  const bool full_;
};

const int registered = [] {
  int count = 0;
  for (const Experiment& experiment : all_experiments()) {
    for (const bool full : {false, true}) {
      if (!full && experiment.cost != Experiment::quick) continue;
      const std::string suite =
          std::string("validation") + (experiment.by_clock ? ".clock" : "") + (full ? ".full" : ".slow");
      ::testing::RegisterTest(suite.c_str(), experiment.name, nullptr, experiment.sentence, __FILE__, __LINE__,
                              [&experiment, full]() -> ::testing::Test* { return new ExperimentTest(experiment, full); });
    }
    ++count;
  }
  return count;
}();

SENTENCE("validation", "every experiment is registered as a test") {
  EXPECT_EQ(static_cast<std::size_t>(registered), all_experiments().size());
}

}  // namespace
}  // namespace tendril
