#include <tendril_paths.h>

#include "testing/sentence.h"
#include "tools/shell_testing.h"

namespace tendril {
namespace {

Said check_rooms(const std::string& folder) {
  return run_in_shell("python3 '" TENDRIL_SOURCE_DIR "/tools/check_rooms.py' '" + folder + "'");
}
bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

SENTENCE("rooms", "every include stays in its room") {
  const Said said = check_rooms(TENDRIL_SOURCE_DIR);
  EXPECT_EQ(said.code, 0) << said.text;
}

SENTENCE("rooms", "an include that leaves its room is found and named with its line") {
  TemporaryFolder tree;
  tree.write("src/math/good.cpp", "#include <cmath>\n#include \"math/good.h\"\n#include \"tendril/types.h\"\n");
  EXPECT_EQ(check_rooms(tree.path()).code, 0);
  tree.write("src/math/bad.cpp", "#include <cmath>\n#include \"model/model.h\"\n");
  tree.write("src/methods/der/der.cpp",
             "#include \"methods/cable/cable.h\"\n#include \"tendril/simulate.h\"\n#include \"methods/der/der.h\"\n");
  tree.write("src/methods/registry.cpp", "#include \"methods/der/entry.h\"\n#include \"methods/der/der.h\"\n");
  const Said said = check_rooms(tree.path());
  EXPECT_EQ(said.code, 1);
  EXPECT_TRUE(contains(said.text, "src/math/bad.cpp:2: room math includes model/model.h, allowed: tendril/types.h"))
      << said.text;
  EXPECT_TRUE(contains(said.text, "src/methods/der/der.cpp:1: room methods/der includes methods/cable/cable.h"))
      << said.text;
  EXPECT_TRUE(contains(said.text, "src/methods/der/der.cpp:2: room methods/der includes tendril/simulate.h")) << said.text;
  EXPECT_TRUE(contains(said.text, "src/methods/registry.cpp:2: room methods includes methods/der/der.h")) << said.text;
  EXPECT_TRUE(contains(said.text, "4 files, 4 violations")) << said.text;
}

SENTENCE("rooms", "a library outside its room is found, in tests it is not") {
  TemporaryFolder tree;
  tree.write("src/run/a.cpp", "#include <hdf5.h>\n");
  tree.write("src/record/a.cpp", "#include <hdf5.h>\n#include <unistd.h>\n#include <sys/stat.h>\n");
  tree.write("src/scene/a.cpp", "#include <toml++/toml.h>\n#include <CLI/CLI.hpp>\n");
  tree.write("src/scene/a_test.cpp", "#include <hdf5.h>\n#include <gtest/gtest.h>\n#include \"run/a.h\"\n");
  tree.write("src/model/a.cpp", "#include <unheard_of/thing.h>\n");
  const Said said = check_rooms(tree.path());
  EXPECT_TRUE(contains(said.text, "src/run/a.cpp:1: room run uses HDF5 (hdf5.h), allowed: in record")) << said.text;
  EXPECT_TRUE(contains(said.text, "src/scene/a.cpp:2: room scene uses CLI11 (CLI/CLI.hpp), allowed: in cli")) << said.text;
  EXPECT_TRUE(contains(said.text, "src/model/a.cpp:1: room model uses an unknown library (unheard_of/thing.h)"))
      << said.text;
  EXPECT_TRUE(contains(said.text, "5 files, 3 violations")) << said.text;
}

SENTENCE("rooms", "a public header that mentions the Model is found") {
  TemporaryFolder tree;
  tree.write("include/tendril/a.h", "// RodModel and models are other words\nstruct Model;\n");
  tree.write("src/run/a.cpp", "struct Model;\n");
  const Said said = check_rooms(tree.path());
  EXPECT_TRUE(contains(said.text, "include/tendril/a.h:2: a public header mentions the Model")) << said.text;
  EXPECT_TRUE(contains(said.text, "2 files, 1 violations")) << said.text;
}

SENTENCE("rooms", "a file of more than 400 lines is named unless it explains itself") {
  TemporaryFolder tree;
  tree.write("src/math/long.cpp", std::string(401, '\n'));
  tree.write("src/math/table.cpp", "// long: a table\n" + std::string(401, '\n'));
  const Said said = check_rooms(tree.path());
  EXPECT_EQ(said.code, 0);
  EXPECT_TRUE(contains(said.text, "src/math/long.cpp: warning: 401 lines")) << said.text;
  EXPECT_FALSE(contains(said.text, "table.cpp")) << said.text;
}

}  // namespace
}  // namespace tendril
