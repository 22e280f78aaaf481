// The runner of the tests, with a stand-in for the test program that says what GoogleTest would say.
#include <tendril_paths.h>
#include <algorithm>

#include "testing/sentence.h"
#include "tools/shell_testing.h"

namespace tendril {
namespace {

// What part 0 does; the other parts have nothing to do.
Said run_tests(const std::string& first_part, const std::string& arguments = "") {
  TemporaryFolder folder;
  folder.write("program", R"sh(#!/bin/bash
for a in "$@"; do case $a in --gtest_output=json:*) report=${a#*:};; --gtest_filter=*) filter=${a#*=};; esac; done
end() { echo '{"testsuites": []}' >"$report"; exit "$1"; }
ok() { echo "[ RUN      ] $1"; echo "[       OK ] $1 (1 ms)"; }
[ "$GTEST_SHARD_INDEX" = 0 ] || end 0
)sh" + first_part + "\n");
  std::filesystem::permissions(folder.path() / "program", std::filesystem::perms(0755));
  return run_in_shell("python3 '" TENDRIL_SOURCE_DIR "/tools/run_tests.py' '" + (folder.path() / "program").string() + "' " +
                      arguments);
}
std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of('\n');
  const auto start = text.rfind('\n', end);
  return text.substr(start + 1, end - start);
}
bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

SENTENCE("test runner", "the last line counts what passed, failed and was skipped") {
  const Said good = run_tests("ok 'a.one, with (9 ms) in it'; ok a.two; end 0");
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(last_line(good.text), "2 passed, 0 failed") << good.text;
  const Said bad =
      run_tests(R"sh(ok a.one; echo "[ RUN      ] a.two"; echo "x.cpp:3: Failure"; echo "[  FAILED  ] a.two (1 ms)"
    echo "[ RUN      ] a.three"; echo "[  SKIPPED ] a.three (0 ms)"; echo "[  FAILED  ] a.two"; end 1)sh");
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(last_line(bad.text), "1 passed, 1 failed, 1 skipped") << bad.text;
  EXPECT_TRUE(contains(bad.text, "x.cpp:3: Failure")) << bad.text;
}

SENTENCE("test runner", "a test that crashes or ends the program counts as failed and its last words are shown") {
  const Said crash = run_tests(R"sh(ok a.one; echo "[ RUN      ] a.two"; echo "last words"; kill -SEGV $$)sh");
  EXPECT_EQ(crash.code, 1);
  EXPECT_EQ(last_line(crash.text), "1 passed, 1 failed") << crash.text;
  EXPECT_TRUE(contains(crash.text, "CRASHED  a.two  (SIGSEGV)") && contains(crash.text, "last words")) << crash.text;
  const Said quits = run_tests("ok a.one; exit 0");  // without a report: something left by the back door
  EXPECT_EQ(last_line(quits.text), "1 passed, 1 failed") << quits.text;
  const Said leaks = run_tests("ok a.one; echo 'leaked 4 bytes' >&2; end 23");
  EXPECT_EQ(last_line(leaks.text), "1 passed, 1 failed") << leaks.text;
  EXPECT_TRUE(contains(leaks.text, "leaked 4 bytes")) << leaks.text;
}

SENTENCE("test runner", "a filter that matches nothing is a failure, and what is left out reaches the program") {
  const Said nothing = run_tests("end 0", "--only='x*'");
  EXPECT_EQ(nothing.code, 1);
  EXPECT_EQ(last_line(nothing.text), "0 passed, 0 failed") << nothing.text;
  const Said filter =
      run_tests(R"sh(ok "a.$filter"; echo "[ RUN      ] b"; echo "$filter"; echo "[  FAILED  ] b (1 ms)"; end 1)sh",
                "--only='m*' --without '*.slow.*' '*.full.*'");
  EXPECT_TRUE(contains(filter.text, "m*-*.slow.*:*.full.*")) << filter.text;
}

}  // namespace
}  // namespace tendril
