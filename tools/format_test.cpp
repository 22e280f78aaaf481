#include <tendril_paths.h>

#include "testing/sentence.h"
#include "tools/shell_testing.h"

namespace tendril {
namespace {

// What clang-format would change below a folder: one line per place.
Said check_format(const std::string& folder) {
  return run_in_shell(
      "cd '" + folder +
      "' && find . -path ./build -prune -o -path ./web -prune -o '(' -name '*.h' -o -name '*.cpp' ')' -print0"
      " | xargs -0 -n 40 clang-format --dry-run -Werror --style=file 2>&1 | grep error:");
}
bool has_clang_format() { return run_in_shell("clang-format --version").text.find("version 14.") != std::string::npos; }

SENTENCE("format", "every C++ file is what clang-format writes") {
  if (!has_clang_format()) GTEST_SKIP() << "clang-format 14 is not here; other versions write other files";
  EXPECT_EQ(check_format(TENDRIL_SOURCE_DIR).text, "") << "run: clang-format -i --style=file on these";
}

SENTENCE("format", "a file that is not formatted is found and named") {
  if (!has_clang_format()) GTEST_SKIP() << "clang-format 14 is not here; other versions write other files";
  TemporaryFolder tree;
  tree.write(".clang-format", "BasedOnStyle: Google\n");
  tree.write("src/good.cpp", "int a = 1;\n");
  EXPECT_EQ(check_format(tree.path()).text, "");
  tree.write("src/bad.cpp", "int  a=1;\n");
  EXPECT_NE(check_format(tree.path()).text.find("./src/bad.cpp:1:"), std::string::npos);
}

}  // namespace
}  // namespace tendril
