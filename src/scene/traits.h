// What kind of value a described field holds.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "tendril/describe.h"
#include "tendril/scene.h"

namespace tendril::scene_detail {

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
inline constexpr bool is_key = false;  // of a timetable
template <>
inline constexpr bool is_key<Timetable<double>::Key> = true;
template <>
inline constexpr bool is_key<Timetable<Vec3>::Key> = true;

using OptionTables = std::map<std::string, OptionTable>;
template <class T>
inline constexpr bool is_options = std::is_same_v<T, OptionTables>;
template <class T>
inline constexpr bool is_vector = std::is_same_v<T, Vec2> || std::is_same_v<T, Vec3>;
template <class T>
inline constexpr bool is_leaf = std::is_same_v<T, double> || std::is_same_v<T, int> || std::is_same_v<T, bool> ||
                                std::is_same_v<T, std::string> || std::is_enum_v<T> || is_vector<T>;
// What remains is a struct with a description.
template <class T>
inline constexpr bool is_struct = !is_leaf<T> && !is_optional<T> && !is_list<T> && !is_variant<T> && !is_options<T>;

template <class Enum>
const char* word(Enum value) {
  return Words<Enum>::list[static_cast<std::size_t>(value)].name;
}

template <class Source>  // Words<E> or Choices<V>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const Word& w : Source::list) names.emplace_back(w.name);
  return names;
}

// Makes `value` hold a fresh alternative number `index`.
template <class... T>
void choose(std::variant<T...>& value, std::size_t index) {
  static_assert(std::size(Choices<std::variant<T...>>::list) == sizeof...(T), "one word for each alternative");
  std::size_t i = 0;
  ((i++ == index ? void(value.template emplace<T>()) : void()), ...);
}

template <class T>
std::string kind_of() {  // for messages and the manual
  if constexpr (std::is_same_v<T, double>)
    return "a number";
  else if constexpr (std::is_same_v<T, int>)
    return "a whole number";
  else if constexpr (std::is_same_v<T, bool>)
    return "true or false";
  else if constexpr (std::is_same_v<T, std::string>)
    return "text in quotes";
  else if constexpr (std::is_same_v<T, Vec2>)
    return "two numbers [x, y]";
  else if constexpr (std::is_same_v<T, Vec3>)
    return "three numbers [x, y, z]";
  else if constexpr (std::is_enum_v<T>)
    return "a word in quotes";
  else if constexpr (is_optional<T>)
    return kind_of<typename T::value_type>();
  else if constexpr (is_list<T>)
    return "a list [...] of " + kind_of<typename T::value_type>();
  else
    return "a table { ... }";
}

}  // namespace tendril::scene_detail
