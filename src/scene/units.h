// Numbers with a unit, written as text: "5 mm", "1 MPa", "30 deg". A field is described with its unit once (describe.h); a text
// is read against that unit here, by one table, and becomes a plain number in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tendril::scene_detail {

// The number of "5 mm" in the unit `wanted`; none when the text is no number with a unit of the same kind.
std::optional<double> number_in(std::string_view text, std::string_view wanted);

// Whether texts can be read against this unit: not "circumferences", and not where there is no unit.
bool is_readable_unit(std::string_view wanted);

std::string unit_example(std::string_view wanted);  // "1 MPa" for "Pa", "1 N/m" for "N/m"

// What is wrong with a text that number_in refuses, in a few words: "there is no unit `mmm`"; empty when only the kind is.
std::string unit_complaint(std::string_view text);

// A regular expression (ECMA 262) of all texts that may be numbers with a unit, for the JSON Schema.
inline constexpr const char* unit_pattern = "^\\s*[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?\\s*[^\\s\\d].*$";

}  // namespace tendril::scene_detail
