// Reads a frame's bytes back, by docs/view.md and not by the writer's code; finds the repository's scenes.
#pragma once

#include <gtest/gtest.h>
#include <tendril_paths.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <vector>

#include "tendril/simulate.h"

namespace tendril {

struct FrameRead {
  std::uint32_t magic = 0, generation = 0;
  double time = 0, step = 0;
  std::array<std::uint32_t, 9> counts{};  // rods, nodes, edges, bodies, moving obstacles, contacts, hands, values, flags
  std::vector<double> values;
  std::vector<std::uint32_t> spans;
  std::vector<float> positions, material, curvature, twist, tension, moment, contact, bodies, obstacles, contacts, hands;
  std::vector<std::int16_t> orientations;
};

inline FrameRead read_frame_bytes(std::span<const std::byte> bytes) {
  FrameRead f;
  std::size_t at = 0;
  const auto number = [&](auto& value) {
    if (at + sizeof value > bytes.size()) throw std::runtime_error("the frame is too short");
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
  };
  const auto part = [&](auto& array, std::size_t count) {
    EXPECT_EQ(at % 4, 0u);
    array.resize(count);
    for (auto& value : array) number(value);
  };
  number(f.magic), number(f.generation), number(f.time), number(f.step);
  for (std::uint32_t& count : f.counts) number(count);
  std::uint32_t zero = 1;
  number(zero);
  EXPECT_EQ(zero, 0u);
  EXPECT_EQ(at, 64u);
  const auto [rods, nodes, edges, bodies, obstacles, contacts, hands, values, flags] = f.counts;
  part(f.values, values), part(f.spans, 2 * rods), part(f.positions, 3 * nodes);
  if ((flags & 1) != 0) part(f.material, nodes);
  part(f.orientations, 4 * edges);
  part(f.curvature, edges), part(f.twist, edges), part(f.tension, edges), part(f.moment, edges);
  if ((flags & 2) != 0) part(f.contact, edges);
  part(f.bodies, 7 * bodies), part(f.obstacles, 7 * obstacles), part(f.contacts, 10 * contacts), part(f.hands, 9 * hands);
  EXPECT_EQ(at, bytes.size());
  return f;
}

inline std::vector<std::filesystem::path> scene_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(TENDRIL_SOURCE_DIR) / "scenes"))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tendril
