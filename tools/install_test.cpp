// The installed library, used by a project of its own.
#include <tendril_paths.h>

#include "testing/sentence.h"
#include "tools/shell_testing.h"

namespace tendril {
namespace {
namespace fs = std::filesystem;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // the example would have to be sanitized too
SLOW_SENTENCE("install", "a project of its own finds the installed library, opens a scene, steps it and reads positions") {
  const TemporaryFolder folder;
  const std::string at = folder.path().string(), example = TENDRIL_SOURCE_DIR "/examples/use_tendril";
  const Said installed = run_in_shell("cmake --install '" TENDRIL_BUILD_DIR "' --prefix '" + at + "/usr' 2>&1");
  ASSERT_EQ(installed.code, 0) << installed.text;
  const Said built = run_in_shell("cmake -S '" + example + "' -B '" + at + "/build' -DCMAKE_PREFIX_PATH='" + at +
                                  "/usr' -DCMAKE_BUILD_TYPE=Release 2>&1 && cmake --build '" + at + "/build' 2>&1");
  ASSERT_EQ(built.code, 0) << built.text;
  const Said ran = run_in_shell("'" + at + "/build/use_tendril'");
  EXPECT_EQ(ran.code, 0) << ran.text;
  EXPECT_NE(ran.text.find("0.5 s: tip at "), std::string::npos) << ran.text;
  const Said wrong =
      run_in_shell("echo 'titel = \"x\"' >'" + at + "/bad.toml'; '" + at + "/build/use_tendril' '" + at + "/bad.toml' 2>&1");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.text.find("did you mean `title`"), std::string::npos) << wrong.text;
  const Said listed = run_in_shell("cd / && '" + at + "/usr/bin/tendril' list scenes");
  EXPECT_NE(listed.text.find("cantilever"), std::string::npos) << listed.text;
}
#endif

}  // namespace
}  // namespace tendril
