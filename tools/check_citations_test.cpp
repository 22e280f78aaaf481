#include <tendril_paths.h>

#include "testing/sentence.h"
#include "tools/shell_testing.h"

namespace tendril {
namespace {

Said check_citations(const std::string& folder) {
  return run_in_shell("python3 '" TENDRIL_SOURCE_DIR "/tools/check_citations.py' '" + folder + "'");
}
bool mentions(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// Two errata, two cases and one entry of the bibliography.
void write_documents(const TemporaryFolder& tree) {
  tree.write("docs/errata.md", "| label | printed |\n|---|---|\n| D4 | a |\n| D5 | b |\n| cross-method 7 | c |\n");
  tree.write("docs/references.md", "## 1a: a\n\n## 1b: b\n\n## Bibliography\n\n* **[Bergou 2008]** ...\n");
}

SENTENCE("citations", "every label that is cited is in the documents") {
  const Said said = check_citations(TENDRIL_SOURCE_DIR);
  EXPECT_EQ(said.code, 0) << said.text;
}

SENTENCE("citations", "a label that is nowhere is found and named with its line") {
  TemporaryFolder tree;
  write_documents(tree);
  tree.write("src/math/good.cpp",
             "// [Bergou 2008, eq. (5); ERRATA D4, cross-method 7]\n// REFERENCES 1a-1b, and D5.\nint D99 = 0;\n");
  EXPECT_EQ(check_citations(tree.path()).code, 0);
  tree.write("src/math/bad.cpp", "// A formula.\n// [Nobody 1999; ERRATA D4-D6]\nconst char* from = \"REFERENCES 1c\";\n");
  tree.write("docs/methods/bad.md", "The choice (P6).\n");
  const Said said = check_citations(tree.path());
  EXPECT_EQ(said.code, 1);
  EXPECT_TRUE(mentions(said.text, "src/math/bad.cpp:2: D6 is not in docs/errata.md")) << said.text;
  EXPECT_TRUE(mentions(said.text, "src/math/bad.cpp:2: Nobody 1999 is not in docs/references.md")) << said.text;
  EXPECT_TRUE(mentions(said.text, "src/math/bad.cpp:3: 1c is not in docs/references.md")) << said.text;
  EXPECT_TRUE(mentions(said.text, "docs/methods/bad.md:1: P6 is not in docs/errata.md")) << said.text;
  EXPECT_TRUE(mentions(said.text, "4 violations")) << said.text;
}

SENTENCE("citations", "a citation may go on in the next line of a comment") {
  TemporaryFolder tree;
  write_documents(tree);
  tree.write("src/math/a.cpp", "// [Bergou\n// 2008; ERRATA\n// D4, cross-method\n// 8; REFERENCES\n// 2]\n");
  const Said said = check_citations(tree.path());
  EXPECT_EQ(said.code, 1);
  EXPECT_TRUE(mentions(said.text, "cross-method 8 is not in docs/errata.md")) << said.text;
  EXPECT_TRUE(mentions(said.text, ": 2 is not in docs/references.md")) << said.text;
  EXPECT_TRUE(mentions(said.text, "2 violations")) << said.text;
}

}  // namespace
}  // namespace tendril
