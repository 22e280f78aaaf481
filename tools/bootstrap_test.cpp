// ./tendril itself, in a small repository of its own where cmake, ninja and the package tools are stand-ins that write down when they
// are called.
#include <tendril_paths.h>

#include "testing/sentence.h"
#include "tools/shell_testing.h"

namespace tendril {
namespace {
namespace fs = std::filesystem;

class SmallRepository {
 public:
  SmallRepository() {
    fs::permissions(folder_.path(), fs::perms::owner_all | fs::perms::group_all | fs::perms::others_all);
    const fs::path from = TENDRIL_SOURCE_DIR;
    fs::create_directories(root() / "tools");
    for (const char* file : {"tendril", "tools/setup.sh", "tools/packages.sh"}) fs::copy_file(from / file, root() / file);
    folder_.write("repo/src/a.cpp", "");
    folder_.write("repo/CMakeLists.txt", "");
    stand_in("dpkg-query", R"(shift 2; for p in "$@"; do [ "$p" = "$MISSING" ] || printf '%s=ii  ' "$p"; done)");
    stand_in("apt-get", "exit 1");
    stand_in("sudo", "exit 1");
    stand_in("cmake",
             "cd build/release && echo >build.ninja && echo \"CMAKE_HOME_DIRECTORY:INTERNAL=${PWD%/build/release}\" "
             ">CMakeCache.txt");
    stand_in("ninja", R"(cd "$2"; printf '#!/bin/sh\necho "from $PWD:" "$@"\n' >tendril; chmod +x tendril)");
  }
  fs::path root() const { return folder_.path() / "repo"; }
  void stand_in(const std::string& name, const std::string& does) const {
    folder_.write("bin/" + name,
                  "#!/bin/bash\necho " + name + " >>'" + (folder_.path() / "calls").string() + "'\n" + does + "\n");
    fs::permissions(folder_.path() / "bin" / name, fs::perms(0755));
  }
  Said run(const std::string& command) const {
    fs::remove(folder_.path() / "calls");
    return run_in_shell("cd '" + folder_.path().string() + "' && PATH=\"$PWD/bin:$PATH\" && " + command);
  }
  bool called(const std::string& name) const {
    std::ifstream calls(folder_.path() / "calls");
    for (std::string line; std::getline(calls, line);)
      if (line == name) return true;
    return false;
  }
  std::string path() const { return folder_.path().string(); }

 private:
  TemporaryFolder folder_;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

SENTENCE("bootstrap", "the first run builds and passes the arguments on, the second only runs") {
  const SmallRepository repository;
  const Said first = repository.run("repo/tendril run 'a scene' -o x");
  EXPECT_EQ(first.code, 0);
  EXPECT_EQ(first.text,
            "building tendril (first time: a few minutes) ...\nfrom " + repository.path() + ": run a scene -o x\n");
  EXPECT_TRUE(repository.called("cmake") && repository.called("ninja"));
  const Said second = repository.run("repo/tendril list");
  EXPECT_EQ(second.text, "from " + repository.path() + ": list\n");
  EXPECT_FALSE(repository.called("cmake") || repository.called("ninja") || repository.called("apt-get"));
}

SENTENCE("bootstrap", "a changed, a new and a removed source each make it build again") {
  const SmallRepository repository;
  repository.run("repo/tendril");
  for (const char* change :
       {"touch repo/src/a.cpp", "touch repo/src/b.cpp", "rm repo/src/b.cpp", "touch repo/CMakeLists.txt"}) {
    const Said said = repository.run(std::string("sleep 0.02; ") + change + "; repo/tendril");
    EXPECT_TRUE(repository.called("ninja")) << change;
    EXPECT_TRUE(contains(said.text, "building tendril ...")) << said.text;
    repository.run("repo/tendril");
    EXPECT_FALSE(repository.called("ninja")) << change;
  }
}

SENTENCE("bootstrap", "it works through a link, from any folder, and after the repository has moved") {
  const SmallRepository repository;
  const Said linked = repository.run("ln -s repo/tendril t && mkdir elsewhere && cd elsewhere && ../t x 2>/dev/null");
  EXPECT_EQ(linked.text, "from " + repository.path() + "/elsewhere: x\n");
  const Said moved = repository.run("mv repo other && other/tendril x");
  EXPECT_TRUE(contains(moved.text, "building tendril")) << moved.text;
  EXPECT_TRUE(repository.called("cmake") && repository.called("ninja"));
  EXPECT_EQ(repository.run("other/tendril y").text, "from " + repository.path() + ": y\n");
}

SENTENCE("bootstrap", "a build that fails shows the compiler's words and ends with exit code 4") {
  const SmallRepository repository;
  repository.stand_in("ninja", "echo '1/2 fine'; echo 'FAILED: a.o'; echo 'a.cpp:1: error: no'; exit 1");
  const Said said = repository.run("repo/tendril");
  EXPECT_EQ(said.code, 4);
  EXPECT_TRUE(contains(said.text, "a.cpp:1: error: no")) << said.text;
  EXPECT_TRUE(contains(said.text, "the build failed")) << said.text;
  EXPECT_FALSE(contains(said.text, "fine")) << said.text;
}

SENTENCE("bootstrap", "experiments and benchmarks are built when they are first asked for, apart from the program") {
  const SmallRepository repository;
  repository.stand_in("ninja", R"(cd "$2"; n=tendril; [ "$3" = tendril_lab_cli ] && n=tendril-lab
      printf '#!/bin/sh\necho "'$n':" "$@"\n' >$n; chmod +x $n)");
  EXPECT_EQ(repository.run("repo/tendril check x 2>/dev/null").text, "tendril: check x\n");
  for (const char* asked : {"validate der", "bench", "list experiments"}) {
    const Said said = repository.run(std::string("repo/tendril ") + asked + " 2>/dev/null");
    EXPECT_EQ(said.text, std::string("tendril-lab: ") + asked + "\n");
    EXPECT_EQ(repository.called("ninja"), std::string(asked) == "validate der") << asked;
  }
  EXPECT_EQ(repository.run("repo/tendril list scenes").text, "tendril: list scenes\n");
  repository.run("mkdir repo/validation && touch repo/validation/x.cpp; repo/tendril check x");
  EXPECT_FALSE(repository.called("ninja"));  // an experiment that changed does not build the program
  repository.run("repo/tendril bench");
  EXPECT_TRUE(repository.called("ninja"));
}

SENTENCE("bootstrap", "a build that takes longer than 5 s says how far it is and how long it will take") {
  const SmallRepository repository;
  repository.stand_in("ninja",
                      R"(echo '1/4 a'; sleep 21; echo '3/4 b'; cd "$2"; printf '#!/bin/sh\n' >tendril; chmod +x tendril)");
  const Said said = repository.run("repo/tendril");
  EXPECT_TRUE(contains(said.text, "3 of 4, about 0:07 min left")) << said.text;
  EXPECT_FALSE(contains(said.text, "1 of 4")) << said.text;
}

SENTENCE("bootstrap", "two at once build once") {
  const SmallRepository repository;
  repository.stand_in("ninja", R"(sleep 0.3; cd "$2"; printf '#!/bin/sh\necho ran\n' >tendril; chmod +x tendril)");
  const Said said = repository.run("(repo/tendril & repo/tendril & wait) 2>/dev/null; grep -c ninja calls");
  EXPECT_EQ(said.text, "ran\nran\n1\n");
}

SENTENCE("bootstrap", "missing packages are named where nobody may install them") {
  const SmallRepository repository;
  const std::string nobody = geteuid() == 0 ? "setpriv --reuid=65534 --clear-groups " : "";
  const Said said = repository.run("MISSING=libhdf5-dev " + nobody + "repo/tendril");
  EXPECT_EQ(said.code, 4);
  EXPECT_TRUE(contains(said.text, "these packages are missing: libhdf5-dev")) << said.text;
  EXPECT_FALSE(repository.called("apt-get") || repository.called("cmake"));
}

SENTENCE("bootstrap", "missing packages are installed by root, who says which") {
  if (geteuid() != 0) GTEST_SKIP() << "not root";
  const SmallRepository repository;
  repository.stand_in("apt-get", "exit 0");
  const Said said = repository.run("MISSING=libfmt-dev repo/tendril");
  EXPECT_EQ(said.code, 0) << said.text;
  EXPECT_TRUE(contains(said.text, "installing libfmt-dev ...")) << said.text;
  EXPECT_TRUE(repository.called("apt-get"));
  repository.stand_in("apt-get", "echo 'E: no network'; exit 100");
  const Said fresh = repository.run("MISSING=libfmt-dev repo/tendril");  // built already: goes without
  EXPECT_EQ(fresh.code, 0) << fresh.text;
  const Said failing = repository.run("rm repo/build/release/tendril; MISSING=libfmt-dev repo/tendril");
  EXPECT_EQ(failing.code, 4);
  EXPECT_TRUE(contains(failing.text, "E: no network")) << failing.text;
}

}  // namespace
}  // namespace tendril
