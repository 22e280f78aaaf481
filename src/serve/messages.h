// The text messages of docs/view.md: orders from clients, messages to them. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "live/session.h"

namespace tendril {

constexpr std::size_t max_message_bytes = 64 << 10;

// None: malformed. Strict: every field has its type, no field is unknown, every number is finite, names are short.
std::optional<Order> read_message(std::string_view text);

std::string welcome_message(const std::vector<SceneOffer>& offers);
std::string scene_message(const std::string& description);  // a JSON object
std::string gallery_message();
std::string refusal_message(const Refusal& refusal);
std::string status_message(const SessionStatus& status, std::size_t clients, std::uint64_t dropped);

}  // namespace tendril
