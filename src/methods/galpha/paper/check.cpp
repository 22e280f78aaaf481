// What the paper's formulation cannot do.
#include "methods/galpha/paper/paper.h"

namespace tendril::galpha::paper {
namespace {

class PaperCheck {
 public:
  explicit PaperCheck(const Model& model) : model_(model) {}
  Problems all() {
    check_things();
    for (int r = 0; r < static_cast<int>(model_.rods.size()); ++r) check_rod(r), check_clamps(r);
    for (std::size_t c = 0; c < model_.clamps.size(); ++c) check_clamp(static_cast<int>(c));
    for (const NodeLoad& load : model_.node_loads) {
      const RodModel& rod = model_.rods[z(load.rod)];
      if (load.node.value != rod.span.first_node + rod.span.nodes - 1)
        refuse("a point load acts on rod " + rod.name + " elsewhere than at its end", "it has point loads at far ends");
    }
    return std::move(problems_);
  }

 private:
  void refuse(const std::string& what, const std::string& allowed) {
    problems_.push_back({Severity::error, "", "options.galpha.formulation", "got \"paper\", and " + what, allowed,
                         "take formulation = \"pose\""});
  }
  void check_things() {
    const auto none = [&](bool any, const char* what) {
      if (any)
        refuse(std::string("there are ") + what, "it has single rods with gravity, given loads and clamps at their ends");
    };
    none(!model_.joints.empty(), "joints");
    none(!model_.bodies.empty(), "bodies");
    none(model_.contact.enabled, "contacts");
    none(!model_.couplings.empty(), "couplings");
    none(!model_.winches.empty(), "winches");
    none(!model_.reevings.empty(), "ropes that run through sheaves");
    none(!model_.drags.empty() || !model_.winds.empty(), "drag or wind");
  }
  void check_rod(int number) {
    const RodModel& rod = model_.rods[z(number)];
    const std::string name = "rod " + rod.name;
    if (rod.span.ring) refuse(name + " is a ring", "it has open rods");
    if (rod.stretches || rod.shears) refuse(name + " stretches or shears", "it has rods that do neither");
    if (!rod.law.is_linear()) refuse(name + " stiffens", "it has moments in proportion to the strain");
    if (rod.damping.internal > 0) refuse(name + " has internal damping", "it damps masses");
    if (rod.span.edges < 2) refuse(name + " has one segment", "it needs at least 2");
    bool inert = true, stiff = true, moves = false;
    for (int k = 0; k < rod.span.edges; ++k) {
      const EdgeIndex e(rod.span.first_edge + k);
      const Section& s = model_.section[e];
      inert = inert && s.line_mass > 0 && s.rotary1 > 0 && s.rotary2 > 0;
      stiff = stiff && s.EI1 > 0 && s.EI2 > 0 && s.GJ > 0;
      moves = moves || !model_.initial.spin[e].isZero(0);
    }
    for (int k = 0; k < rod.span.nodes; ++k)
      moves = moves || !model_.initial.velocity[NodeIndex(rod.span.first_node + k)].isZero(0);
    if (!inert) refuse(name + " has no mass or no rotary inertia", "it counts on both");  // [ERRATA B18]
    if (!stiff) refuse(name + " has no bending or no torsional stiffness", "it finds curvatures from moments");
    if (moves) refuse(name + " moves at the start", "it starts from rest");
  }
  // The near end is held for good; the far end may be let go.
  void check_clamps(int number) {
    const RodModel& rod = model_.rods[z(number)];
    int near = 0, far = 0;
    for (const ClampModel& clamp : model_.clamps) {
      if (clamp.rod != number) continue;
      const int k = clamp.node.value - rod.span.first_node;
      if (k == 0 && clamp.until >= model_.end_time) ++near;
      if (k == rod.span.nodes - 1) ++far;
    }
    if (near != 1) refuse("rod " + rod.name + " is not held by one clamp at its start all the time", "it needs that");
    if (far > 1) refuse("rod " + rod.name + " is held by several clamps at its end", "it has one");
  }
  void check_clamp(int number) {
    const ClampModel& clamp = model_.clamps[z(number)];
    const RodSpan& span = model_.rods[z(clamp.rod)].span;
    const std::string name = "clamp " + clamp.name;
    const int k = clamp.node.value - span.first_node;
    if (k != 0 && k != span.nodes - 1) refuse(name + " holds a rod inside", "it has clamps at ends");
    if (!clamp.position || !clamp.direction || !clamp.twist || clamp.slides)
      refuse(name + " does not hold position, direction and twist", "its clamps hold all three");
    if (clamp.from > 0) refuse(name + " takes hold later", "its clamps hold from the start");
  }

  const Model& model_;
  Problems problems_;
};

}  // namespace

Problems check_paper(const Model& model) { return PaperCheck(model).all(); }

}  // namespace tendril::galpha::paper
