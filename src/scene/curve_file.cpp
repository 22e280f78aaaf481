#include "scene/curve_file.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>

#include "scene/check_scene.h"
#include "scene/describe_scene.h"
#include "scene/text_file.h"
#include "scene/write_value.h"

namespace tendril {
namespace {

constexpr std::uintmax_t max_curve_bytes = 256 << 20;

bool is_gap(char c) { return c == ',' || c == ';' || c == ' ' || c == '\t' || c == '\r'; }

// Three finite numbers and nothing else.
bool parse_row(std::string_view line, Vec3& point) {
  const char* at = line.data();
  const char* const end = at + line.size();
  for (int i = 0; i < 3; ++i) {
    while (at != end && is_gap(*at)) ++at;
    if (at != end && *at == '+') ++at;
    const auto result = std::from_chars(at, end, point[i]);
    if (result.ec != std::errc() || !std::isfinite(point[i])) return false;
    at = result.ptr;
    if (at != end && !is_gap(*at)) return false;
  }
  while (at != end && is_gap(*at)) ++at;
  return at == end;
}

bool looks_like_header(std::string_view line) {
  Vec3 ignored;
  return !parse_row(line, ignored) && line.find_first_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::vector<Vec3> read_points(const std::filesystem::path& file, const std::string& shown, const std::string& field,
                              Problems& problems) {
  const std::size_t before = problems.size();
  const auto complain = [&](const std::string& where, std::string what, std::string allowed, std::string remedy) {
    if (problems.size() < before + max_file_complaints)
      problems.push_back({Severity::error, where, field, std::move(what), std::move(allowed), std::move(remedy)});
  };
  std::vector<Vec3> points;
  if (!is_plain_file(file, shown, field, max_curve_bytes, "thin the points out", problems)) return points;
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  // A file of size 0 is not read at all: those under /proc may never end.
  const bool empty = std::filesystem::file_size(file) == 0;
  for (std::size_t number = 1; !empty && std::getline(stream, line); ++number) {
    // Empty lines, comments and a header are skipped.
    if (line.find_first_not_of(" \t\r,;") == std::string::npos || line[0] == '#') continue;
    if (points.empty() && number == 1 && looks_like_header(line)) continue;
    const std::string where = shown + ":" + std::to_string(number);
    Vec3 point = Vec3::Zero();
    if (!parse_row(line, point))
      complain(where, "got " + scene_detail::quote(line.substr(0, 40)), "must be three finite numbers x,y,z",
               "one point per row, in m");
    else if (!points.empty() && point == points.back())
      complain(where, "the point is the same as the one before", "segments must have a length", "remove the row");
    else
      points.push_back(point);
    if (points.size() > static_cast<std::size_t>(max_segments) + 1) {
      complain(where, "too many points", fmt::format("must be at most {}", max_segments + 1), "thin the points out");
      break;
    }
  }
  if (points.size() < 2 && problems.size() == before)
    complain(shown, fmt::format("has {} points", points.size()), "must be at least 2", "one point per row: x,y,z in m");
  return points;
}

void load_curve_files(Scene& scene, Problems& problems) {
  const auto load = [&](Curve& curve, const std::string& path) {
    auto* polyline = std::get_if<PolylineCurve>(&curve);
    if (!polyline || polyline->file.empty()) return;
    // Points or a file; the file's name is relative to the scene.
    const std::string field = path + ".polyline.file";
    if (!polyline->points.empty()) {
      problems.push_back(
          {Severity::error, locate(scene, field), field, "got both points and a file", "must be exactly one", {}});
      return;
    }
    if (polyline->file.find('\0') != std::string::npos) {
      problems.push_back({Severity::error, locate(scene, field), field, "is no file name", {}, {}});
      return;
    }
    const auto folder = std::filesystem::path(scene.source.file).parent_path();
    polyline->points = read_points(folder / polyline->file, (folder / polyline->file).string(), field, problems);
    polyline->file.clear();
  };
  for (std::size_t i = 0; i < scene.rods.size(); ++i) {
    const std::string path = "rod[" + std::to_string(i) + "]";
    load(scene.rods[i].rest, path + ".rest");
    if (scene.rods[i].initial) load(*scene.rods[i].initial, path + ".initial");
  }
}

}  // namespace tendril
