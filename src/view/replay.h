// Saved runs as one HTML file: docs/view.md, "A saved run".
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace tendril::view {

inline constexpr std::size_t replay_budget = 50'000'000;  // bytes

// The page with the runs inside. A run is a folder or its run.h5; also one that was interrupted or killed. Where the whole
// does not fit into `budget`, frames are left out evenly in time, and the data say so; a run keeps its first and its last
// frame in any case. Needs memory for the page and a few frames. Throws RecordError.
std::string replay_page(std::span<const std::filesystem::path> runs, std::size_t budget = replay_budget);

// The same, into a file that is either whole or not there.
void write_replay_page(std::span<const std::filesystem::path> runs, const std::filesystem::path& file,
                       std::size_t budget = replay_budget);

}  // namespace tendril::view
