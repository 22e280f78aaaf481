#include "scene/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <tuple>

#include "scene/check_scene.h"
#include "scene/describe_scene.h"
#include "scene/text_file.h"
#include "scene/write_value.h"

namespace tendril {
namespace {

constexpr std::uintmax_t max_mesh_bytes = 64 << 20;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  const auto is_gap = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  for (std::size_t at = 0; at < line.size();) {
    while (at < line.size() && is_gap(line[at])) ++at;
    const std::size_t from = at;
    while (at < line.size() && !is_gap(line[at])) ++at;
    if (at > from) words.push_back(line.substr(from, at - from));
  }
  return words;
}

template <class Number>
bool parse(std::string_view word, Number& value) {
  if (!word.empty() && word[0] == '+') word.remove_prefix(1);
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  return result.ec == std::errc() && result.ptr == word.data() + word.size();
}

class ObjReader {
 public:
  ObjReader(const std::string& shown, const std::string& field, MeshShape& mesh, Problems& problems)
      : shown_(shown), field_(field), mesh_(mesh), problems_(problems), before_(problems.size()) {}

  // false: there have been too many complaints.
  bool take(std::string_view line, std::size_t number) {
    number_ = number;
    if (const std::size_t comment = line.find('#'); comment != std::string_view::npos) line = line.substr(0, comment);
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) return true;
    if (words[0] == "v") take_vertex(words, line);
    if (words[0] == "f") take_face(words, line);
    if (static_cast<double>(mesh_.triangles.size()) <= 3 * max_triangles && vertex_.size() <= 3 * max_triangles)
      return problems_.size() < before_ + max_file_complaints;
    complain("too many triangles or vertices", fmt::format("must be at most {:.0f} triangles", max_triangles),
             "simplify the mesh");
    return false;
  }
  void finish() {
    number_ = 0;
    if (problems_.size() == before_ && mesh_.triangles.empty())
      complain("has no faces", "must be an OBJ file with lines `v x y z` and `f 1 2 3`", {});
  }

 private:
  void complain(std::string what, std::string allowed, std::string remedy) {
    const std::string where = number_ > 0 ? fmt::format("{}:{}", shown_, number_) : shown_;
    if (problems_.size() < before_ + max_file_complaints)
      problems_.push_back({Severity::error, where, field_, std::move(what), std::move(allowed), std::move(remedy)});
  }
  static std::string got(std::string_view text) { return "got " + scene_detail::quote(text.substr(0, 40)); }

  void take_vertex(const std::vector<std::string_view>& words, std::string_view line) {
    // Vertices at the same position are welded to one.
    Vec3 p = Vec3::Zero();
    bool good = words.size() >= 4;
    for (int i = 0; i < 3 && good; ++i) good = parse(words[static_cast<std::size_t>(i) + 1], p[i]) && std::isfinite(p[i]);
    if (!good) complain(got(line), "must be `v` and three finite numbers", {});
    if (!good) p.setZero();  // keeps the count, so that faces are not reported as well
    const auto [at, is_new] = place_.try_emplace({p.x(), p.y(), p.z()}, static_cast<int>(mesh_.vertices.size()));
    if (is_new) mesh_.vertices.push_back(p);
    vertex_.push_back(at->second);
  }
  void take_face(const std::vector<std::string_view>& words, std::string_view line) {
    if (words.size() < 4) return complain(got(line), "must be `f` and at least three corners", {});
    // Corners as v, v/vt or v/vt/vn; negative numbers count from the last vertex.
    std::vector<int> corner;
    for (std::size_t k = 1; k < words.size(); ++k) {
      long index = 0;
      const auto count = static_cast<long>(vertex_.size());
      if (!parse(words[k].substr(0, words[k].find('/')), index) || index == 0)
        return complain(got(words[k]), "a corner must be a vertex number, counted from 1", {});
      if (index > count || index < -count)
        return complain(got(words[k]), fmt::format("there are {} vertices so far", count), {});
      corner.push_back(vertex_[static_cast<std::size_t>(index > 0 ? index - 1 : count + index)]);
    }
    for (std::size_t k = 2; k < corner.size(); ++k)  // a fan; what welding made a line or a point is left out
      if (corner[0] != corner[k - 1] && corner[0] != corner[k] && corner[k - 1] != corner[k])
        mesh_.triangles.insert(mesh_.triangles.end(), {corner[0], corner[k - 1], corner[k]});
  }

  const std::string &shown_, &field_;
  MeshShape& mesh_;
  Problems& problems_;
  std::size_t before_, number_ = 0;
  std::vector<int> vertex_;  // of the file -> of the mesh
  std::map<std::tuple<double, double, double>, int> place_;
};

}  // namespace

void read_mesh(const std::filesystem::path& file, const std::string& shown, const std::string& field, MeshShape& mesh,
               Problems& problems) {
  if (!is_plain_file(file, shown, field, max_mesh_bytes, "simplify the mesh", problems)) return;
  ObjReader reader(shown, field, mesh, problems);
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  // A file of size 0 is not read at all: those under /proc may never end.
  const bool empty = std::filesystem::file_size(file) == 0;
  for (std::size_t number = 1; !empty && std::getline(stream, line); ++number)
    if (!reader.take(line, number)) return;
  reader.finish();
}

void load_mesh_files(Scene& scene, Problems& problems) {
  for (std::size_t i = 0; i < scene.obstacles.size(); ++i) {
    auto* mesh = std::get_if<MeshShape>(&scene.obstacles[i].shape);
    if (!mesh || mesh->file.empty()) continue;
    const std::string field = fmt::format("obstacle[{}].shape.mesh.file", i);
    if (!mesh->vertices.empty() || !mesh->triangles.empty()) {
      problems.push_back(
          {Severity::error, locate(scene, field), field, "got both triangles and a file", "must be exactly one", {}});
      continue;
    }
    if (mesh->file.find('\0') != std::string::npos) {
      problems.push_back({Severity::error, locate(scene, field), field, "is no file name", {}, {}});
      continue;
    }
    const auto path = std::filesystem::path(scene.source.file).parent_path() / mesh->file;
    read_mesh(path, path.string(), field, *mesh, problems);
    mesh->file.clear();
  }
}

}  // namespace tendril
