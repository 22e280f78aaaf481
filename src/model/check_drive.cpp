#include "model/check_drive.h"

#include "model/model.h"
#include "tendril/state.h"

namespace tendril {

void check_loaded(const Model& model, const Drive& drive) {
  const auto insist = [](bool sensible) {
    if (!sensible) StateArchive::fail("the state is damaged: a hand or coupling holds what is not there");
  };
  for (const Grip& grip : drive.grips) {
    insist(grip.rod >= -1 && grip.rod < static_cast<int>(model.rods.size()));
    insist(grip.body >= -1 && grip.body < static_cast<int>(model.bodies.size()));
    insist(grip.coupling >= -1 && grip.coupling < static_cast<int>(model.couplings.size()));
    if (grip.rod < 0) continue;
    const RodSpan& span = model.rods[static_cast<std::size_t>(grip.rod)].span;
    insist(grip.edge.value >= span.first_edge && grip.edge.value < span.first_edge + span.edges);
    for (const NodeIndex node : {grip.a, grip.b})
      insist(node.value >= span.first_node && node.value < span.first_node + span.nodes);
    insist(grip.share >= 0 && grip.share <= 1);
  }
}

}  // namespace tendril
