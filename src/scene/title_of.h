// The title a struct's description gives it.
#pragma once

#include <string>

#include "scene/describe_scene.h"

namespace tendril::scene_detail {

class TitleFinder : public Describer<TitleFinder> {
 public:
  void title(const char* title, const char* sentence) { text = title, about_text = sentence; }
  template <class T>
  void field(const Field&, T&) {}
  template <class T>
  void plain(const Field&, T&) {}
  template <class T>
  void named(const Field&, std::vector<T>&) {}
  std::string text, about_text;
};

template <class T>
TitleFinder title_of() {
  T fresh{};
  TitleFinder finder;
  describe(finder, fresh);
  return finder;
}

}  // namespace tendril::scene_detail
