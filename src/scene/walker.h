// Visits every leaf of a described value with its path. Self offers leaf(const Field&, const std::string& path, T& value).
#pragma once

#include <string>
#include <vector>

#include "scene/describe_scene.h"
#include "scene/traits.h"

namespace tendril::scene_detail {

template <class Self>
class Walker : public Describer<Self> {
 public:
  template <class T>
  void field(const Field& f, T& value) {
    inside(f.name, [&] { walk(f, value); });
  }
  template <class T>
  void plain(const Field& f, T& value) {
    walk(f, value);
  }
  template <class T>
  void named(const Field& f, std::vector<T>& items) {
    inside(f.name, [&] {
      for (T& item : items) inside(item.name.c_str(), [&] { walk(f, item); });
    });
  }

 protected:
  std::string path_;

 private:
  template <class F>
  void inside(const char* name, F&& visit) {
    const std::size_t length = path_.size();
    if (length > 0) path_ += '.';
    path_ += name;
    visit();
    path_.resize(length);
  }
  template <class T>
  void walk(const Field& f, T& value) {
    Self& self = static_cast<Self&>(*this);
    if constexpr (is_leaf<T>)
      self.leaf(f, path_, value);
    else if constexpr (is_optional<T>) {
      if (value) walk(f, *value);
    } else if constexpr (is_list<T>) {
      const std::size_t length = path_.size();
      for (std::size_t i = 0; i < value.size(); ++i) {
        path_ += '[' + std::to_string(i) + ']';
        walk(f, value[i]);
        path_.resize(length);
      }
    } else if constexpr (is_variant<T>)
      inside(Choices<T>::list[value.index()].name, [&] { std::visit([&self](auto& v) { describe(self, v); }, value); });
    else if constexpr (is_options<T>) {
    }  // their descriptions belong to the methods: check_options
    else
      describe(self, value);
  }
};

}  // namespace tendril::scene_detail
