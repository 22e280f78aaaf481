// The documents tell the truth: the commands they show run, the links they make lead somewhere.
#include <tendril_paths.h>
#include <algorithm>
#include <regex>
#include <sstream>
#include <vector>

#include "testing/sentence.h"
#include "tools/shell_testing.h"

namespace tendril {
namespace {
namespace fs = std::filesystem;
const fs::path root = TENDRIL_SOURCE_DIR;

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::vector<fs::path> documents() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(root))
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

struct Block {
  std::string language, text;
  int line = 0;  // of its first line
};
std::vector<Block> code_blocks(const std::string& text) {
  std::vector<Block> blocks;
  std::istringstream lines(text);
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("```")) {
      if (!inside) blocks.push_back({line.substr(3), "", number + 1});
      inside = !inside;
    } else if (inside) {
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

// A block that begins with `# name.toml` is that file; every `./tendril` line in a block `sh` runs, in order, in one folder.
void run_document(const fs::path& document) {
  const TemporaryFolder folder;
  for (const Block& block : code_blocks(read(document))) {
    std::smatch name;
    if (std::regex_search(block.text, name, std::regex(R"(^# ([\w-]+\.\w+)\n)"))) folder.write(name[1].str(), block.text);
    if (block.language != "sh") continue;
    std::istringstream lines(block.text);
    int number = block.line - 1;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (!line.starts_with("./tendril")) continue;
      folder.write("command.sh", "'" TENDRIL_PROGRAM "'" + line.substr(std::string("./tendril").size()) + "\n");
      const Said said = run_in_shell("cd '" + folder.path().string() + "' && bash -o pipefail command.sh");
      EXPECT_EQ(said.code, 0) << fs::relative(document, root).string() << ":" << number << ": " << line << "\n" << said.text;
    }
  }
}

SENTENCE("documents", "every command shown in README.md works") { run_document(root / "README.md"); }

SENTENCE("documents", "every command shown in the other documents works") {
  for (const fs::path& document : documents())
    if (document != root / "README.md") run_document(document);
}

SENTENCE("documents", "every link from one document to a file leads there") {
  const std::regex link(R"(\]\(([^)#\s]+)(#[^)]*)?\))");
  int links = 0;
  for (const fs::path& document : documents()) {
    const std::string text = read(document);
    for (auto it = std::sregex_iterator(text.begin(), text.end(), link); it != std::sregex_iterator(); ++it) {
      const std::string target = (*it)[1];
      if (target.find("://") != std::string::npos) continue;
      ++links;
      EXPECT_TRUE(fs::exists(document.parent_path() / target))
          << fs::relative(document, root).string() << " links to " << target;
    }
  }
  EXPECT_GT(links, 5);
}

SENTENCE("documents", "every function the page of der names is in its folder") {
  std::string code;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / "src/methods/der"))
    if (entry.is_regular_file()) code += read(entry.path());
  const std::string page = read(root / "docs/methods/der.md");
  const std::regex name(R"(`(\w+)\(\)`)");
  int names = 0;
  for (auto it = std::sregex_iterator(page.begin(), page.end(), name); it != std::sregex_iterator(); ++it, ++names)
    EXPECT_NE(code.find((*it)[1].str() + "("), std::string::npos) << "docs/methods/der.md names " << (*it)[1];
  EXPECT_GT(names, 10);
}

}  // namespace
}  // namespace tendril
