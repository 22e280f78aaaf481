#include "scene/walker.h"

namespace tendril::scene_detail {

void Walker::field(const Field& f, Value value) {
  inside(f.name, [&] { walk(f, value); });
}

void Walker::named(const Field& f, Value items) {
  inside(f.name, [&] {
    for (std::size_t i = 0; i < items.count(); ++i) inside(items.item(i).name().c_str(), [&] { walk(f, items.item(i)); });
  });
}

void Walker::walk(const Field& f, Value value) {
  if (is_leaf(value.kind())) return leaf(f, path_, value);
  switch (value.kind()) {
    case Kind::optional:
      if (value.count() == 1) walk(f, value.content());
      break;
    case Kind::list: {
      const std::size_t length = path_.size();
      for (std::size_t i = 0; i < value.count(); ++i) {
        path_ += '[' + std::to_string(i) + ']';
        walk(f, value.item(i));
        path_.resize(length);
      }
      break;
    }
    case Kind::choice:
      inside(value.word(), [&] { value.chosen().describe(*this); });
      break;
    case Kind::options:  // their descriptions belong to the methods: check_options
      break;
    default:
      value.describe(*this);
  }
}

}  // namespace tendril::scene_detail
