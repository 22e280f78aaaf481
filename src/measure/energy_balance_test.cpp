#include "measure/energy_balance.h"

#include <cmath>

#include "model/test_scenes.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

Frame frame_with(double kinetic, double bending, double gravity) {
  Frame frame;
  frame.own_energy.kinetic = kinetic, frame.own_energy.bending = bending, frame.own_energy.gravity = gravity;
  return frame;
}

SENTENCE("measure", "what went in and out is no error; only the remainder is, with its sign") {
  EnergyBalance balance;
  balance.begin(frame_with(0, 0, 5), 1e-9);
  Frame frame = frame_with(2, 1, 4);
  EXPECT_DOUBLE_EQ(balance.joules(frame), 2);  // 3 J of motion and bending, 1 J from height
  frame.flow.clamps = 3;
  EXPECT_DOUBLE_EQ(balance.joules(frame), -1);
  frame.flow.damping = 0.75;
  EXPECT_DOUBLE_EQ(balance.joules(frame), -0.25);
  EXPECT_DOUBLE_EQ(balance.scale(frame), 3);
  EXPECT_DOUBLE_EQ(balance.error(frame), -0.25 / 3);
}

SENTENCE("measure", "every part of an energy flow counts in the balance, once") {
  EnergyBalance balance;
  balance.begin(frame_with(0, 0, 0), 1);
  int part = 0;
  EnergyFlow names;
  for_each_component(names, [&](const char*, double& one) {
    one = 1;
    Frame frame = frame_with(0, 0, 0);
    frame.flow = names;
    EXPECT_DOUBLE_EQ(balance.joules(frame), part++ < works_of_flow ? -1 : 1);
    one = 0;
  });
  EXPECT_EQ(part, parts_of_flow);
}

SENTENCE("measure", "the error is a share of the energy that moved: the largest of the run, not of the moment") {
  EnergyBalance balance;
  balance.begin(frame_with(0, 10, 100), 1e-9);
  const Frame swing = frame_with(8, 2, 100.1);
  EXPECT_DOUBLE_EQ(balance.scale(swing), 8);
  balance.note(swing);
  const Frame still = frame_with(0, 10.01, 100);
  EXPECT_DOUBLE_EQ(balance.scale(still), 8);
  EXPECT_NEAR(balance.error(still), 0.01 / 8, 1e-12);
  EXPECT_NEAR(balance.worst(still), 0.1 / 8, 1e-12) << "that of the frame noted";
}

SENTENCE("measure", "at rest neither stored energy nor height nor noise is taken for energy that moved") {
  EnergyBalance balance;
  balance.begin(frame_with(0, 10, 100), 1e-6);
  EXPECT_NEAR(balance.error(frame_with(1e-9, 10, 100)), 1e-7, 1e-11) << "a thousandth of what is stored is the least";
  EnergyBalance straight;
  straight.begin(frame_with(0, 0, 0), 1e-6);
  EXPECT_NEAR(straight.error(frame_with(1e-12, 0, 0)), 1e-6, 1e-12);
}

SENTENCE("measure", "a change of gravity moves the zero of heights and does not count as energy that moved") {
  EnergyBalance balance;
  balance.begin(frame_with(0, 0, 1000), 1);
  Frame frame = frame_with(0, 0, 0);  // far from the origin gravity was switched off
  frame.flow.gravity = -1000;
  EXPECT_DOUBLE_EQ(balance.joules(frame), 0);
  EXPECT_DOUBLE_EQ(balance.scale(frame), 1);
}

}  // namespace
}  // namespace tendril
