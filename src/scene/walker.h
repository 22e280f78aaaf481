// Visits every leaf of a described value with its path.
#pragma once

#include <string>

#include "scene/described.h"

namespace tendril::scene_detail {

class Walker : public Describer {
 protected:
  virtual void leaf(const Field& f, const std::string& path, Value value) = 0;

  void field(const Field& f, Value value) override;
  void plain(const Field& f, Value value) override { walk(f, value); }
  void named(const Field& f, Value items) override;

 private:
  template <class F>
  void inside(const char* name, F&& visit) {
    const std::size_t length = path_.size();
    if (length > 0) path_ += '.';
    path_ += name;
    visit();
    path_.resize(length);
  }
  void walk(const Field& f, Value value);
  std::string path_;
};

}  // namespace tendril::scene_detail
