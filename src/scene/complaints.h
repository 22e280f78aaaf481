// What the checkers of scenes share: problems with their places, and timetables.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "scene/check_scene.h"
#include "scene/write_value.h"

namespace tendril {

class Complaints {
 public:
  explicit Complaints(const Scene& scene) : scene_(scene) {}
  Problems problems;

 protected:
  void add(Severity severity, const std::string& field, std::string what, std::string allowed = {},
           std::string remedy = {}) {
    problems.push_back({severity, locate(scene_, field), field, std::move(what), std::move(allowed), std::move(remedy)});
  }
  void error(const std::string& field, std::string what, std::string allowed = {}, std::string remedy = {}) {
    add(Severity::error, field, std::move(what), std::move(allowed), std::move(remedy));
  }
  template <class T>
  void check_timetable(const Timetable<T>& table, const std::string& path) {
    using scene_detail::number_text;
    for (std::size_t i = 1; i < table.keys.size(); ++i)
      if (table.keys[i].time <= table.keys[i - 1].time)
        error(fmt::format("{}.keys[{}]", path, i),
              fmt::format("got {} s after {} s", number_text(table.keys[i].time), number_text(table.keys[i - 1].time)),
              "times must rise from key to key");
    if (table.keys.empty() && scene_.source.places.count(path))
      error(path + ".keys", "is empty", "must have at least one key");
  }
  const Scene& scene_;
};

}  // namespace tendril
