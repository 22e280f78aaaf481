#include <tendril_paths.h>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "run/advice.h"
#include "testing/for_each_method.h"

namespace tendril {
namespace {

std::string text_of(const char* document) {
  std::ifstream stream(std::filesystem::path(TENDRIL_SOURCE_DIR) / "docs" / document);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

SENTENCE("run", "every way to fail has a sentence, what to change, and a row in docs/troubleshooting.md") {
  const std::string document = text_of("troubleshooting.md");
  const auto has_row = [&document](const FailureInfo& failure) {
    EXPECT_FALSE(failure.sentence.empty() || failure.what_to_change.empty());
    EXPECT_NE(document.find("| " + failure.sentence + " |"), std::string::npos) << failure.sentence;
  };
  EXPECT_EQ(common_failures().size(), static_cast<std::size_t>(Cause::taut) + 1);
  for (const FailureInfo& failure : common_failures().subspan(1)) has_row(failure);
  for_each_method([&](const MethodEntry& method) {
    for (std::size_t i = 0; i < method.info.failures.size(); ++i) {
      has_row(method.info.failures[i]);
      EXPECT_EQ(&failure_of(own_cause(static_cast<int>(i)), method.info), &method.info.failures[i]);
    }
    EXPECT_EQ(failure_of(own_cause(100), method.info).sentence, "the method gave up");
  });
}

SENTENCE("run", "what stopped a run is told in the words of its method") {
  MethodInfo method;
  method.failures = {{"the string snapped", "take a thicker one"}};
  StepReport report;
  report.cause = own_cause(0), report.residual = 0.5, report.iterations = 7;
  EXPECT_EQ(divergence_message(report, method, 1.5, "tried"),
            "stopped at t = 1.5 s: the string snapped (tried; last residual 0.5 after 7 iterations). What to change: take a "
            "thicker one.");
  report.cause = Cause::contact;
  EXPECT_NE(divergence_message(report, method, 0, "").find("kept apart"), std::string::npos);
  EXPECT_EQ(divergence_message(report, method, 0, "", "", "rope").find("stopped at t = 0 s: rod rope: "), 0u);
}

SENTENCE("run", "shares are told in per cent, with two digits, and large ones without a power of ten") {
  EXPECT_EQ(percent_text(0.003), "0.3 %");
  EXPECT_EQ(percent_text(-0.5532), "-55 %");
  EXPECT_EQ(percent_text(12.34), "1234 %");
  EXPECT_EQ(percent_text(2.3e-9), "2.3e-07 %");
  EXPECT_EQ(percent_text(0), "0 %");
}

SENTENCE("run", "verdicts of several rods add up: a load without energy decides, then what was not asked, then the count") {
  using Kind = Verdict::Kind;
  Verdict sum{Kind::counted};
  EXPECT_TRUE(sum.minimum());
  sum.add({Kind::counted, 2, {0, 1, 0, 0}, -0.1});
  sum.add({Kind::counted, 1, {0, 0, 1, 0}, 0.5});
  EXPECT_EQ(sum.unstable, 3);
  EXPECT_EQ(sum.softest, -0.1);
  sum.add({Kind::counted, 0});
  EXPECT_EQ(sum.softest, -0.1);
  sum.add({Kind::counted, 0, {0, 0, 1, 0}});
  EXPECT_EQ(to_text(sum),
            "not a minimum of the energy; neutral: a rod swinging as a whole about what holds it, a rod turning about "
            "itself (2)");
  sum.add({});
  EXPECT_EQ(to_text(sum), "not judged");
  sum.add({Kind::no_energy});
  EXPECT_NE(to_text(sum).find("has no energy"), std::string::npos);
  EXPECT_EQ(sum.neutral.count(), 0);
  EXPECT_EQ(sum.unstable, 0);
}

}  // namespace
}  // namespace tendril
