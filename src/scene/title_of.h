// The title a struct's description gives it.
#pragma once

#include <string>

#include "scene/described.h"

namespace tendril::scene_detail {

class TitleFinder : public Describer {
 public:
  std::string text, about_text;

 protected:
  void title(const char* title, const char* sentence) override { text = title, about_text = sentence; }
  void field(const Field&, Value) override {}
  void plain(const Field&, Value) override {}
  void named(const Field&, Value) override {}
};

inline TitleFinder title_of(const Type& type) {
  TitleFinder finder;
  type.describe(finder, type.fresh());
  return finder;
}

}  // namespace tendril::scene_detail
