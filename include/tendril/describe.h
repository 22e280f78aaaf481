// The words in which structs are described, one line per field:
//
//   template <class V> void describe(V& v, CircleSection& s) {
//     v.about("circle", "A round section.");
//     v("radius", s.radius, "radius of the section", unit("m"), above(0), required);
//   }
//
// A visitor derives from Describer (src/scene/described.h) and receives each line as a Field and a reference to the value. Reading, range
// checking, writing, setting, the manual and the JSON Schema are such visitors; a field is named in its description only.
#pragma once

#include <cmath>
#include <string>
#include <variant>

#include "tendril/scene.h"

namespace tendril {

struct Range {
  double low = -forever, high = forever;
  bool low_open = false, high_open = false;  // open: the border itself is not allowed
  bool contains(double x) const {            // false for NaN
    return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high);
  }
  bool is_limited() const { return std::isfinite(low) || std::isfinite(high); }
};
std::string to_text(const Range& range);  // "must be > 0"; empty when not limited

// Everything one line of a description says.
struct Field {
  const char* name = "";
  const char* sentence = "";
  const char* unit = "";
  Range range;  // of the number, or of each item of a list of numbers
  bool required = false;
  bool non_zero = false;                // of a vector: it gives a direction
  bool may_be_forever = false;          // infinity is allowed (and the default)
  const char* word_for_none = nullptr;  // what an optional number is called when it is not given: "auto"
  const char* refers_to = nullptr;      // the text is the name of a "rod", "material" or "clamp"
};

// ---- attributes of a field ----------------------------------------------------------------------------------------------
struct Unit {
  const char* text;
};
struct Reference {
  const char* list;
};
struct WordForNone {
  const char* word;
};
enum class Mark { required, non_zero, or_forever };
inline constexpr Mark required = Mark::required, non_zero = Mark::non_zero, or_forever = Mark::or_forever;
constexpr Unit unit(const char* text) { return {text}; }
constexpr Range above(double low) { return {low, forever, true, false}; }
constexpr Range at_least(double low) { return {low, forever, false, false}; }
constexpr Range between(double low, double high) { return {low, high, false, false}; }
constexpr Range above_up_to(double low, double high) { return {low, high, true, false}; }
constexpr Reference refers_to(const char* list) { return {list}; }
constexpr WordForNone or_word(const char* word) { return {word}; }

namespace describe_detail {
inline void apply(Field& f, Unit u) { f.unit = u.text; }
inline void apply(Field& f, Range r) { f.range = r; }
inline void apply(Field& f, Reference r) { f.refers_to = r.list; }
inline void apply(Field& f, WordForNone w) { f.word_for_none = w.word; }
inline void apply(Field& f, Mark m) {
  if (m == Mark::required) f.required = true;
  if (m == Mark::non_zero) f.non_zero = true;
  if (m == Mark::or_forever) f.may_be_forever = true;
}
template <class... A>
Field make_field(const char* name, const char* sentence, A... attributes) {
  Field f;
  f.name = name;
  f.sentence = sentence;
  (apply(f, attributes), ...);
  return f;
}
}  // namespace describe_detail

// ---- words for the values of an enum, keys for the alternatives of a variant; both in the order of the C++ type --------
struct Word {
  const char* name;
  const char* sentence;
};
template <class Enum>
struct Words;  // static constexpr Word list[] = {...};
template <class Variant>
struct Choices;  // static constexpr Word list[] = {...};

}  // namespace tendril
