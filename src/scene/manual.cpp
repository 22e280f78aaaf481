// docs/scene_format.md, written from the descriptions: one table per struct.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scene/check_scene.h"
#include "scene/suggest.h"
#include "scene/title_of.h"
#include "scene/write_value.h"
#include "tendril/simulate.h"

namespace tendril {
namespace {
using namespace scene_detail;

const char* const introduction = R"(# The scene format

*This file is generated from the descriptions in `src/scene/describe_scene.h` and from the methods' options. Do not edit it; run
`./tendril list scene-format > docs/scene_format.md`. The same in machine-readable form: [scene.schema.json](scene.schema.json).*

A scene is a [TOML](https://toml.io) file that says what there is: rods, what holds them, what acts on them, what to record.
Plain numbers are in the SI unit that the tables below give (m, kg, s, N, rad); places on a rod are fractions of its length, from 0
to 1; vectors are in world axes. Wherever the tables give a unit, a text with another unit of the same kind may stand instead of the
number, also inside a vector: `radius = "5 mm"`, `young_modulus = "1 MPa"`, `density = "1.1 g/cm^3"`, `angle = "30 deg"`,
`end = ["50 cm", 0, 0]`, `keys = [[0, 0], ["500 ms", "90 deg"]]`. Known are m, g, s, N, Pa, J, Hz, bar and rad with the prefixes T, G, M, k, h,
d, c, m, u (or µ), n, p; t, min, h, deg, turns (or rev), rpm, in, ft, lb, lbf, psi; products with a blank, quotients with `/`, powers with `^`. A
saved scene always holds plain numbers.
Here is a whole scene:

```toml
title  = "Cantilever under its own weight"
method = "der"

[time]
duration = 2.0            # s
mode     = "dynamics"     # or "statics", "quasistatic"
step     = "auto"         # or a number in s
frames_per_second = 60

[material.rubber]
density = 1100.0          # kg/m^3
young_modulus = 1.0e6     # Pa
poisson_ratio = 0.49

[[rod]]
name     = "beam"
material = "rubber"
section  = { circle = { radius = 0.005 } }
rest     = { straight = { start = [0, 0, 0], end = [1, 0, 0] } }
segments = 50

[[clamp]]
rod = "beam"
at  = 0.0                 # fraction of length
hold = ["position", "direction", "twist"]

[[load]]
gravity = [0, 0, -9.81]

[[probe]]
name = "tip"
rod = "beam"
at = 1.0
quantity = "position"
```

* Where there is a choice, exactly one key names what is meant: `section = { circle = { ... } }`, `rest = { helix = { ... } }`,
  and in a `[[load]]` one of `gravity`, `force`, `moment`, `distributed`, `drag`, `wind`.
* What changes with time is a timetable: `turn = { shape = "smooth", keys = [[0, 0.0], [2, 27.0]] }`, each key a pair `[time, value]`
  or a table `{ time = 2, value = 27.0 }`.
* A section has two axes d1 and d2, perpendicular to the rod's direction d3; EI1 resists bending *about* d1.
* `tendril check SCENE` shows every problem at once. On the command line, `--set rod.beam.segments=100` or
  `--set rod[0].segments=100` changes a field.

)";

std::string link(const std::string& shown, std::string title) {
  std::replace(title.begin(), title.end(), ' ', '-');
  return fmt::format("[{}](#{})", shown, title);
}

class Manual {
 public:
  std::string add(const Type& type);  // makes a section for it, once; its title
  std::string text() const {
    std::string all;
    for (const std::string& s : sections_) all += s;
    return all;
  }

 private:
  std::set<std::string> done_;
  std::vector<std::string> sections_;
};

class Section : public Describer {
 public:
  Section(Manual& manual, const TitleFinder& title, const FieldTexts& defaults)
      : manual_(manual), title_(title), defaults_(defaults) {}
  std::string text() const {
    return fmt::format(
        "## {}\n\n{}\n\n| field | type | unit | default | allowed | meaning |\n|---|---|---|---|---|---|\n{}{}\n",
        title_.text, title_.about_text, rows_, words_.empty() ? "" : "\n" + words_);
  }

 protected:
  void field(const Field& f, Value value) override {
    const std::string& fallback = defaults_.list[row_++].text;
    const std::string type = type_text(value.type());
    rows_ += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", shown(f.name, value.kind()), type, f.unit,
                         default_text(f, fallback), allowed(f, value.type()), f.sentence);
  }
  void plain(const Field& f, Value value) override {
    rows_ += fmt::format("| *the value itself* | {} | {} | required | {} | {} |\n", type_text(value.type()), f.unit,
                         allowed(f, value.type()), f.sentence);
  }
  void named(const Field& f, Value items) override {
    const Type& type = *items.type().item;
    rows_ += fmt::format("| `[{}.NAME]` | {} |  |  |  | {} |\n", f.name, link(title_of(type).text, manual_.add(type)),
                         f.sentence);
  }

 private:
  static std::string default_text(const Field& f, const std::string& text) {
    if (f.required) return "required";
    if (text == "inf") return "forever";
    if (text.empty() && f.word_for_none) return fmt::format("`\"{}\"`", f.word_for_none);
    return text.empty() || text == "\"\"" || text == "[]" || text == "{ }" ? std::string() : "`" + text + "`";
  }
  std::string shown(const std::string& name, Kind kind) const {  // at the top of the file, tables have headers
    if (title_.text != "scene") return name;
    if (kind == Kind::list) return "[[" + name + "]]";
    if (kind == Kind::options) return "[" + name + ".METHOD]";
    return kind == Kind::table ? "[" + name + "]" : name;
  }
  std::string type_text(const Type& type) {
    switch (type.kind) {
      case Kind::number:
        return "number";
      case Kind::whole:
        return "whole number";
      case Kind::flag:
        return "true or false";
      case Kind::text:
        return "text";
      case Kind::vector:
        return type.count(nullptr) == 2 ? "`[a, b]`" : "`[x, y, z]`";
      case Kind::word:
        return "word";
      case Kind::optional:
        return type_text(*type.item);
      case Kind::list: {
        const std::string item = type_text(*type.item);
        return item.rfind("one of", 0) == 0 ? item : item == "word" ? "list of words" : "list of " + item;
      }
      case Kind::options:
        return "[options](#options)";
      case Kind::choice:
        return choices(type);
      default:
        return link(title_of(type).text, manual_.add(type));
    }
  }
  std::string choices(const Type& type) {
    std::string text;
    for (std::size_t i = 0; i < type.alternatives.size(); ++i)
      text +=
          (i == 0 ? "one of " : ", ") + link(fmt::format("`{}`", type.words[i].name), manual_.add(*type.alternatives[i]));
    return text;
  }
  std::string allowed(const Field& f, const Type& type) {
    if (type.kind == Kind::optional || type.kind == Kind::list) return allowed(f, *type.item);
    if (type.kind == Kind::word) {
      std::string line;
      for (const Word& w : type.words) line += fmt::format("{}`\"{}\"` ({})", line.empty() ? "" : ", ", w.name, w.sentence);
      words_ += fmt::format("* `{}`: {}.\n", f.name, line);
      return "see below";
    }
    if (f.refers_to) return fmt::format("name of a {}", f.refers_to);
    if (f.non_zero) return "not zero";
    const std::string text = to_text(f.range);
    return text.rfind("must be ", 0) == 0 ? text.substr(8) : text;
  }

  Manual& manual_;
  const TitleFinder& title_;
  const FieldTexts& defaults_;
  std::size_t row_ = 0;
  std::string rows_, words_;
};

std::string Manual::add(const Type& type) {
  const TitleFinder title = title_of(type);
  if (!done_.insert(title.text).second) return title.text;
  const std::size_t place = sections_.size();  // before the sections of what it contains
  sections_.emplace_back();
  const FieldTexts defaults = fresh_texts(type);
  Section section(*this, title, defaults);
  type.describe(section, type.fresh());
  sections_[place] = section.text();
  return title.text;
}

std::string option_range(const OptionInfo& o) {
  if (!o.choices.empty()) return join(o.choices);
  if (std::holds_alternative<bool>(o.fallback)) return "true or false";
  const std::string text = to_text(Range{o.low, o.high});
  return text.empty() ? text : text.substr(std::string("must be ").size());
}

std::string options_text(std::span<const MethodInfo> methods) {
  std::string text =
      "## options\n\nOne table per method, `[options.METHOD]`; the scene's own method uses its own. "
      "`tendril list methods` tells what each method can do.\n\n";
  for (const MethodInfo& m : methods) {
    text += fmt::format("### [options.{}]\n\n{}\n\n", m.name, m.title);
    if (m.options.empty())
      text += "No options.\n\n";
    else
      text += "| option | unit | default | allowed | meaning |\n|---|---|---|---|---|\n";
    for (const OptionInfo& o : m.options)
      text += fmt::format("| `{}` | {} | `{}` | {} | {} |\n", o.name, o.unit, option_text(o.fallback), option_range(o),
                          o.sentence);
    if (!m.options.empty()) text += "\n";
  }
  text.pop_back();
  return text;
}

}  // namespace

std::string scene_format_manual(std::span<const MethodInfo> methods) {
  Manual manual;
  Scene fresh;
  manual.add(described_scene(fresh).type());
  return introduction + manual.text() + options_text(methods);
}

std::string capability_table(std::span<const MethodInfo> methods) {
  std::string text =
      "# What the methods can do\n\n"
      "*This file is generated from the table in `include/tendril/feature.h` and from what the methods claim. Do not edit "
      "it; run\n"
      "`./tendril list features > docs/methods/README.md`.* A scene that asks for more is refused before it runs, with the "
      "methods\n"
      "that can; what is claimed is tested for every method. \"motion\": in mode dynamics only; \"equilibria\": in statics "
      "and\n"
      "quasistatics only.\n\n| |";
  for (const MethodInfo& m : methods) text += fmt::format(" [{0}]({0}.md) |", m.name);
  text += "\n|---|";
  for (std::size_t i = 0; i < methods.size(); ++i) text += "---|";
  for (const FeatureInfo& feature : all_features) {
    text += fmt::format("\n| {} |", feature.noun);
    for (const MethodInfo& m : methods) {
      const bool moving = m.can.motion.has(feature.feature), still = m.can.equilibrium.has(feature.feature);
      const bool both = moving && (still || !m.can.relaxes() || feature.feature == Feature::inertia);
      const bool alone = still && (!m.can.moves() || feature.feature == Feature::equilibria ||
                                   feature.feature == Feature::stability || feature.feature == Feature::modes);
      text += both || alone ? " yes |" : moving ? " motion |" : still ? " equilibria |" : " |";
    }
  }
  text += "\n| fewest segments |";
  for (const MethodInfo& m : methods) text += fmt::format(" {} |", m.can.fewest_edges);
  return text + "\n";
}

}  // namespace tendril
