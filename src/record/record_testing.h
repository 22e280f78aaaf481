// Helpers for tests that look at the folder of a run.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tendril/record.h"
#include "testing/temporary_folder.h"

namespace tendril {

inline std::string read_text_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Rows of probes.csv: these frames are in run.h5 already. Tests wait for rows, not for a time that a busy machine may need.
inline bool wait_for_rows(const std::filesystem::path& run_folder, std::ptrdiff_t rows) {
  for (int tries = 0; tries < 6000; ++tries) {
    const std::string text = read_text_file(run_folder / "probes.csv");
    if (std::count(text.begin(), text.end(), '\n') > rows) return true;
    usleep(10'000);
  }
  return false;
}

template <class Array>
bool same_vectors(const Array& a, const Array& b) {
  if (a.size() != b.size()) return false;
  auto y = b.begin();
  for (const auto& x : a)
    if (x != *y++) return false;
  return true;
}
// What acted: reactions, gravity, load factor, obstacles, hands and couplings.
inline bool same_drive(const Frame& a, const Frame& b) {
  bool same = a.gravity == b.gravity && a.load_factor == b.load_factor && a.reactions.size() == b.reactions.size() &&
              a.clamps.size() == b.clamps.size() && a.obstacles.size() == b.obstacles.size() &&
              a.pulls.size() == b.pulls.size();
  for (std::size_t i = 0; same && i < a.reactions.size(); ++i)
    same = a.reactions[i].force == b.reactions[i].force && a.reactions[i].moment == b.reactions[i].moment;
  for (std::size_t i = 0; same && i < a.clamps.size(); ++i)
    same =
        a.clamps[i].position == b.clamps[i].position && a.clamps[i].orientation.coeffs() == b.clamps[i].orientation.coeffs();
  for (std::size_t i = 0; same && i < a.obstacles.size(); ++i)
    same = a.obstacles[i].position == b.obstacles[i].position &&
           a.obstacles[i].orientation.coeffs() == b.obstacles[i].orientation.coeffs();
  for (std::size_t i = 0; same && i < a.pulls.size(); ++i) {
    const Pull &p = a.pulls[i], &q = b.pulls[i];
    same = p.coupling == q.coupling && p.hand == q.hand && p.rod == q.rod && p.body == q.body && p.material == q.material &&
           p.from == q.from && p.point == q.point && p.force == q.force && p.moment == q.moment;
  }
  return same;
}
inline bool same_frame(const Frame& a, const Frame& b) {
  bool same = a.time == b.time && a.step == b.step && same_vectors(a.position, b.position) &&
              same_vectors(a.velocity, b.velocity) && same_vectors(a.moment, b.moment) && same_vectors(a.force, b.force) &&
              same_vectors(a.spin, b.spin) && same_vectors(a.twist, b.twist) &&
              a.orientation.size() == b.orientation.size() && a.report.iterations == b.report.iterations &&
              a.report.residual == b.report.residual && a.own_energy.total() == b.own_energy.total() &&
              a.flow.work() == b.flow.work() && a.flow.dissipated() == b.flow.dissipated();
  for (int i = 0; same && i < a.orientation.size(); ++i)
    same = a.orientation[EdgeIndex(i)].coeffs() == b.orientation[EdgeIndex(i)].coeffs();
  same = same && a.bodies.size() == b.bodies.size();
  for (std::size_t i = 0; same && i < a.bodies.size(); ++i)
    same = a.bodies[i].pose.position == b.bodies[i].pose.position &&
           a.bodies[i].motion.linear == b.bodies[i].motion.linear &&
           a.bodies[i].pose.orientation.coeffs() == b.bodies[i].pose.orientation.coeffs() &&
           a.bodies[i].motion.angular == b.bodies[i].motion.angular;
  same = same && a.contacts.size() == b.contacts.size();
  for (std::size_t i = 0; same && i < a.contacts.size(); ++i) {
    const ContactPoint &p = a.contacts[i], &q = b.contacts[i];
    same = p.position == q.position && p.normal == q.normal && p.force == q.force && p.gap == q.gap &&
           p.edge_a == q.edge_a && p.edge_b == q.edge_b && p.obstacle_b == q.obstacle_b && p.body_b == q.body_b;
  }
  return same && a.material == b.material && same_drive(a, b);
}
inline bool same_or_none(double a, double b) { return a == b || (a != a && b != b); }
// Every value of both run.h5 and every byte of both probes.csv.
inline void expect_same_runs(const std::filesystem::path& a, const std::filesystem::path& b) {
  const Trajectory x = read_trajectory(a / "run.h5"), y = read_trajectory(b / "run.h5");
  EXPECT_EQ(x.scene, y.scene);
  EXPECT_EQ(x.complete, y.complete);
  ASSERT_EQ(x.frames.size(), y.frames.size());
  for (std::size_t k = 0; k < x.frames.size(); ++k) {
    ASSERT_TRUE(same_frame(x.frames[k], y.frames[k])) << "frame " << k;
    ASSERT_EQ(x.energies[k].total(), y.energies[k].total()) << "frame " << k;
    ASSERT_TRUE(same_or_none(x.energy_error[k], y.energy_error[k])) << "frame " << k;
  }
  EXPECT_EQ(read_text_file(a / "probes.csv"), read_text_file(b / "probes.csv"));
}

}  // namespace tendril
