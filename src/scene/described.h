// A described value whose type is known at run time: what visitors of descriptions get. Each visitor is therefore compiled once, and not once for
// every type that a scene is made of.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tendril/describe.h"
#include "tendril/scene.h"

namespace tendril::scene_detail {

enum class Kind { number, whole, flag, text, word, vector, optional, list, choice, options, timetable, key, table };
using OptionTables = std::map<std::string, OptionTable>;

class Describer;
// What can be asked of a type. What its kind has no use for is empty.
struct Type {
  Kind kind = Kind::table;
  std::span<const Word> words;                   // word: its values; choice: its alternatives
  const Type* item = nullptr;                    // of what it is: optional, list; key: its value
  std::span<const Type* const> alternatives;     // choice
  std::size_t (*count)(const void*) = nullptr;   // vector, list, timetable: how many; optional: 0 or 1; word, choice: which
  void (*choose)(void*, std::size_t) = nullptr;  // word, choice: that one; optional: 0 none, 1 a new one; list: so many
  void* (*inside)(void*,
                  std::size_t) = nullptr;  // vector, list: the item; optional, choice: what it holds; key: time, value
  void (*describe)(Describer&, void*) = nullptr;  // timetable, key, table
  void (*renew)(void*) = nullptr;                 // timetable, key, table: as new
  void* (*fresh)() = nullptr;                     // timetable, key, table: a new one, to look at
  std::string& (*name)(void*) = nullptr;          // table: its field `name`, where it has one
};
template <class T>
struct TypeOf {
  static const Type type;  // defined at the end
};
template <class T>
inline constexpr const Type& type_of = TypeOf<T>::type;

// A reference to a described value.
class Value {
 public:
  Value(const Type& type, void* at) : type_(&type), at_(at) {}
  const Type& type() const { return *type_; }
  Kind kind() const { return type_->kind; }
  template <class T>
  T& as() const {
    return *static_cast<T*>(at_);
  }
  std::size_t count() const { return type_->count(at_); }
  void choose(std::size_t what) const { type_->choose(at_, what); }
  Value item(std::size_t i) const { return {*type_->item, type_->inside(at_, i)}; }              // vector, list
  Value content() const { return item(0); }                                                      // optional
  Value chosen() const { return {*type_->alternatives[count()], type_->inside(at_, count())}; }  // choice
  Value time() const { return {type_of<double>, type_->inside(at_, 0)}; }                        // key
  Value value() const { return item(1); }                                                        // key
  const char* word() const { return type_->words[count()].name; }                                // word, choice
  void describe(Describer& v) const { type_->describe(v, at_); }
  void renew() const { type_->renew(at_); }
  std::string& name() const { return type_->name(at_); }

 private:
  const Type* type_;
  void* at_;
};
template <class T>
Value described(T& value) {
  return {type_of<T>, &value};
}
Value described_scene(Scene& scene);  // described(scene), compiled once

// What `v` is inside a description; visitors derive from it.
class Describer {
 public:
  virtual ~Describer() = default;
  void about(const char* text, const char* sentence) { title(text, sentence); }
  template <class T, class... A>
  void operator()(const char* name, T& value, const char* sentence, A... attributes) {
    field(describe_detail::make_field(name, sentence, attributes...), described(value));
  }
  // The struct is written as the plain value of its only field: gravity = [0, 0, -9.81].
  template <class T, class... A>
  void itself(T& value, const char* sentence, A... attributes) {
    plain(describe_detail::make_field("", sentence, attributes...), described(value));
  }
  // A list whose items are tables under their own names: [material.rubber].
  template <class T>
  void named_tables(const char* name, std::vector<T>& items, const char* sentence) {
    named(describe_detail::make_field(name, sentence), described(items));
  }

 protected:
  virtual void title(const char*, const char*) {}
  virtual void field(const Field& f, Value value) = 0;
  virtual void plain(const Field& f, Value value) = 0;
  virtual void named(const Field& f, Value items) = 0;
};

inline bool is_leaf(Kind kind) { return kind <= Kind::vector; }
std::string kind_text(const Type& type);  // for messages: "a whole number"
std::vector<std::string> names_of(std::span<const Word> words);

// ---- the types of C++, once each ----------------------------------------------------------------------------------------
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T>
inline constexpr bool is_variant = false;
template <class... T>
inline constexpr bool is_variant<std::variant<T...>> = true;
template <class T>
inline constexpr bool is_timetable = false;
template <class T>
inline constexpr bool is_timetable<Timetable<T>> = true;
template <class T>
inline constexpr bool is_key = std::is_same_v<T, Timetable<double>::Key> || std::is_same_v<T, Timetable<Vec3>::Key>;
template <class T>
inline constexpr bool is_vector = std::is_same_v<T, Vec2> || std::is_same_v<T, Vec3>;

template <class Variant>
struct Alternatives;
template <class... T>
struct Alternatives<std::variant<T...>> {
  static_assert(std::size(Choices<std::variant<T...>>::list) == sizeof...(T), "one word for each alternative");
  static constexpr const Type* types[] = {&type_of<T>...};
  static void choose(void* value, std::size_t index) {
    std::size_t i = 0;
    ((i++ == index ? void(static_cast<std::variant<T...>*>(value)->template emplace<T>()) : void()), ...);
  }
};

template <class T>
constexpr Type make_leaf() {
  Type t;
  if constexpr (std::is_same_v<T, double>)
    t.kind = Kind::number;
  else if constexpr (std::is_same_v<T, int>)
    t.kind = Kind::whole;
  else if constexpr (std::is_same_v<T, bool>)
    t.kind = Kind::flag;
  else if constexpr (std::is_same_v<T, std::string>)
    t.kind = Kind::text;
  else if constexpr (std::is_same_v<T, OptionTables>)
    t.kind = Kind::options;
  else if constexpr (std::is_enum_v<T>) {
    t.kind = Kind::word;
    t.words = Words<T>::list;
    t.count = [](const void* value) { return static_cast<std::size_t>(*static_cast<const T*>(value)); };
    t.choose = [](void* value, std::size_t which) { *static_cast<T*>(value) = static_cast<T>(which); };
  } else {
    static_assert(is_vector<T>);
    t.kind = Kind::vector;
    t.item = &type_of<double>;
    t.count = [](const void*) { return std::size_t{T::SizeAtCompileTime}; };
    t.inside = [](void* value, std::size_t i) -> void* { return static_cast<T*>(value)->data() + i; };
  }
  return t;
}

template <class T>
constexpr Type make_holder() {
  Type t;
  if constexpr (is_optional<T>) {
    t.kind = Kind::optional;
    t.item = &type_of<typename T::value_type>;
    t.count = [](const void* value) { return static_cast<const T*>(value)->has_value() ? std::size_t{1} : std::size_t{0}; };
    t.choose = [](void* value, std::size_t many) {
      many == 0 ? static_cast<T*>(value)->reset() : void(static_cast<T*>(value)->emplace());
    };
    t.inside = [](void* value, std::size_t) -> void* { return &**static_cast<T*>(value); };
  } else if constexpr (is_list<T>) {
    t.kind = Kind::list;
    t.item = &type_of<typename T::value_type>;
    t.count = [](const void* value) { return static_cast<const T*>(value)->size(); };
    t.choose = [](void* value, std::size_t many) { static_cast<T*>(value)->resize(many); };
    t.inside = [](void* value, std::size_t i) -> void* { return &(*static_cast<T*>(value))[i]; };
  } else {
    t.kind = Kind::choice;
    t.words = Choices<T>::list;
    t.alternatives = Alternatives<T>::types;
    t.count = [](const void* value) { return static_cast<const T*>(value)->index(); };
    t.choose = Alternatives<T>::choose;
    t.inside = [](void* value, std::size_t) {
      return std::visit([](auto& held) { return static_cast<void*>(&held); }, *static_cast<T*>(value));
    };
  }
  return t;
}

template <class T>
constexpr Type make_table() {
  Type t;
  t.describe = [](Describer& v, void* value) { describe(v, *static_cast<T*>(value)); };
  t.renew = [](void* value) { *static_cast<T*>(value) = T{}; };
  t.fresh = []() -> void* {
    static T fresh{};
    return &fresh;
  };
  if constexpr (requires(T value) { value.name.starts_with(""); })
    t.name = [](void* value) -> std::string& { return static_cast<T*>(value)->name; };
  if constexpr (is_timetable<T>) {
    t.kind = Kind::timetable;
    t.count = [](const void* value) { return static_cast<const T*>(value)->keys.size(); };
  }
  if constexpr (is_key<T>) {
    t.kind = Kind::key;
    t.item = &type_of<decltype(T::value)>;
    t.inside = [](void* value, std::size_t i) -> void* {
      T& key = *static_cast<T*>(value);
      return i == 0 ? static_cast<void*>(&key.time) : static_cast<void*>(&key.value);
    };
  }
  return t;
}

template <class T>
constexpr Type make_type() {
  if constexpr (is_optional<T> || is_list<T> || is_variant<T>)
    return make_holder<T>();
  else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || is_vector<T> || std::is_same_v<T, std::string> ||
                     std::is_same_v<T, OptionTables>)
    return make_leaf<T>();
  else
    return make_table<T>();
}
template <class T>
constinit const Type TypeOf<T>::type = make_type<T>();

}  // namespace tendril::scene_detail
