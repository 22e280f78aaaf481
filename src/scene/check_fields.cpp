// Checks that need one field at a time: ranges, and references by name.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "scene/check_scene.h"
#include "scene/suggest.h"
#include "scene/walker.h"
#include "scene/write_value.h"

namespace tendril {

std::string to_text(const Range& range) {
  using scene_detail::number_text;
  const bool low = std::isfinite(range.low), high = std::isfinite(range.high);
  if (low && high && !range.low_open && !range.high_open)
    return "must be between " + number_text(range.low) + " and " + number_text(range.high);
  std::string text;
  if (low) text = (range.low_open ? "must be > " : "must be at least ") + number_text(range.low);
  if (high)
    text += (low ? " and " : "must be ") + std::string(range.high_open ? "< " : "at most ") + number_text(range.high);
  return text;
}

std::string locate(const Scene& scene, std::string_view field) {
  const auto& places = scene.source.places;
  std::string path(field);
  while (!path.empty()) {
    // The field itself, or the nearest table around it that stands in the file.
    const auto found = places.find(path);
    if (found != places.end() && found->second.line == 0) return "--set";
    if (found != places.end()) return fmt::format("{}:{}:{}", scene.source.file, found->second.line, found->second.column);
    const std::size_t cut = path.find_last_of(".[");
    path.resize(cut == std::string::npos ? 0 : cut);
  }
  return scene.source.file;
}

namespace {
using namespace scene_detail;

class RangeChecker : public Walker {
 public:
  explicit RangeChecker(const Scene& scene) : scene_(scene) {}
  Problems problems;

 protected:
  void leaf(const Field& f, const std::string& path, Value value) override {
    if (value.kind() == Kind::number) {
      const double number = value.as<double>();
      if (f.may_be_forever && number == forever) return;
      if (!std::isfinite(number))
        complain(path, got(f, value), "must be a finite number");
      else if (!f.range.contains(number))
        complain(path, got(f, value), to_text(f.range));
    } else if (value.kind() == Kind::whole) {
      if (!f.range.contains(value.as<int>())) complain(path, got(f, value), to_text(f.range));
    } else if (value.kind() == Kind::vector) {
      Vec3 numbers = Vec3::Zero();
      for (std::size_t i = 0; i < value.count(); ++i) numbers[static_cast<long>(i)] = value.item(i).as<double>();
      if (!numbers.allFinite())
        complain(path, got(f, value), "must be finite numbers");
      else if (f.non_zero && !(numbers.stableNorm() > 1e-100))
        complain(path, got(f, value), "must not be zero: it gives a direction");
    } else if (value.kind() == Kind::word) {
      if (value.count() >= value.type().words.size()) complain(path, "is not a value of its enum", {});
    }
  }

 private:
  static std::string got(const Field& f, Value value) {
    return "got " + text_of(value) + (*f.unit ? std::string(" ") + f.unit : std::string());
  }
  void complain(const std::string& path, std::string what, std::string allowed) {
    problems.push_back({Severity::error, locate(scene_, path), path, std::move(what), std::move(allowed), {}});
  }
  const Scene& scene_;
};

class ReferenceChecker : public Walker {
 public:
  explicit ReferenceChecker(const Scene& scene) : scene_(scene) {
    for (const Rod& r : scene.rods) names_["rod"].insert(r.name);
    for (const Material& m : scene.materials) names_["material"].insert(m.name);
    for (const Clamp& c : scene.clamps) names_["clamp"].insert(c.name);
    for (const RigidBody& b : scene.bodies) names_["body"].insert(b.name);
    for (const Winch& w : scene.winches) names_["winch"].insert(w.name);
    for (const Coupling& c : scene.couplings) names_["coupling"].insert(c.name);
  }

  Problems problems;

 protected:
  void leaf(const Field& f, const std::string& path, Value value) override {
    if (value.kind() != Kind::text || !f.refers_to) return;
    if (std::string_view(f.refers_to) == "method") return;  // methods: check_capability
    const std::string& name = value.as<std::string>();
    if (name.empty() && !f.required) return;
    const auto list = names_.find(f.refers_to);
    const bool exists = list != names_.end() && list->second.count(name) > 0;
    if (exists) return;
    const std::vector<std::string> known = others(f, path);
    const std::string what = name.empty() ? "no " + std::string(f.refers_to) + " is named"
                                          : "no " + std::string(f.refers_to) + " is called " + quote(name);
    problems.push_back({Severity::error,
                        locate(scene_, path),
                        path,
                        what,
                        {},
                        known.empty() ? "the scene has no " + std::string(list == names_.end() ? "" : "other ") + f.refers_to
                                      : suggest(name, known)});
  }

 private:
  // What may be named there: all of the kind, but for the one that names it (a winch that follows another).
  std::vector<std::string> others(const Field& f, const std::string& path) const {
    const auto list = names_.find(f.refers_to);
    if (list == names_.end()) return {};
    std::set<std::string> all = list->second;
    for (std::size_t i = 0; i < scene_.winches.size(); ++i)
      if (path == "winch[" + std::to_string(i) + "].follows") all.erase(scene_.winches[i].name);
    return {all.begin(), all.end()};
  }
  const Scene& scene_;
  std::map<std::string, std::set<std::string>> names_;
};

// Names become keys in files and paths in --set.
bool is_good_name(const std::string& name) {
  return !name.empty() && name.size() <= 100 && printable(name) == name && std::all_of(name.begin(), name.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u >= 0x80 || std::isalnum(u) || c == '_' || c == '-';
  });
}

template <class T>
void check_names(const Scene& scene, const std::vector<T>& items, const std::string& kind, Problems& problems) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string& name = items[i].name;
    const std::string field = kind == "material" ? "material." + name : kind + "[" + std::to_string(i) + "].name";
    if (!is_good_name(name))
      problems.push_back({Severity::error,
                          locate(scene, field),
                          field,
                          "got " + quote(name.substr(0, 100)),
                          "must be 1 to 100 letters, digits, _ or -",
                          {}});
    if (!seen.insert(name).second)
      problems.push_back({Severity::error,
                          locate(scene, field),
                          field,
                          "a " + kind + " is called " + quote(name) + " already",
                          "names must be different",
                          {}});
  }
}

}  // namespace

Problems check_fields(const Scene& scene) {
  RangeChecker checker(scene);
  described_scene(const_cast<Scene&>(scene)).describe(checker);  // only reads; a Value is changeable by its nature
  return std::move(checker.problems);
}

Problems check_references(const Scene& scene) {
  ReferenceChecker checker(scene);
  described_scene(const_cast<Scene&>(scene)).describe(checker);  // only reads
  Problems problems = std::move(checker.problems);
  check_names(scene, scene.materials, "material", problems);
  check_names(scene, scene.rods, "rod", problems);
  check_names(scene, scene.clamps, "clamp", problems);
  check_names(scene, scene.bodies, "body", problems);
  check_names(scene, scene.couplings, "coupling", problems);
  check_names(scene, scene.joints, "joint", problems);
  check_names(scene, scene.winches, "winch", problems);
  check_names(scene, scene.reevings, "reeving", problems);
  check_names(scene, scene.tresses, "tress", problems);
  check_names(scene, scene.obstacles, "obstacle", problems);
  check_names(scene, scene.probes, "probe", problems);
  if (scene.rods.empty())
    problems.push_back({Severity::error, locate(scene, "rod"), "rod", "the scene has no rod", {}, "add a [[rod]]"});
  return problems;
}

}  // namespace tendril
