#include "serve/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace tendril {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

struct HostPort {
  std::string_view host;
  bool bracketed = false;
  unsigned port = 80;
};
std::optional<HostPort> split(std::string_view header) {
  HostPort out;
  std::string_view rest;
  if (!header.empty() && header.front() == '[') {
    const auto end = header.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    out.host = header.substr(1, end - 1), out.bracketed = true;
    rest = header.substr(end + 1);
  } else {
    const auto colon = header.find(':');
    out.host = header.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view() : header.substr(colon);
  }
  if (out.host.empty()) return std::nullopt;
  if (rest.empty()) return out;
  rest.remove_prefix(1);
  if (header[header.size() - rest.size() - 1] != ':' || rest.empty() || rest.size() > 5) return std::nullopt;
  out.port = 0;
  for (const char c : rest) {
    if (c < '0' || c > '9') return std::nullopt;
    out.port = 10 * out.port + static_cast<unsigned>(c - '0');
  }
  return out;
}

bool in_digits(const HostPort& h) {
  const auto all = [&](std::string_view allowed) { return h.host.find_first_not_of(allowed) == std::string_view::npos; };
  if (h.bracketed) return all("0123456789abcdefABCDEF:.");
  return all("0123456789.") && std::count(h.host.begin(), h.host.end(), '.') == 3;
}

}  // namespace

std::string random_token() {
  std::random_device device;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", static_cast<std::uint32_t>(device()));
  return token;
}

bool same_token(std::string_view given, std::string_view right) {
  if (given.size() != right.size() || right.empty()) return false;
  unsigned char different = 0;
  for (std::size_t i = 0; i < right.size(); ++i)
    different = static_cast<unsigned char>(different |
                                           (static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(right[i])));
  return different == 0;
}

bool host_allowed(std::string_view header, const ListenAddress& door) {
  const std::optional<HostPort> asked = split(header);
  if (!asked || asked->port != door.port) return false;
  const bool everywhere = door.host == "0.0.0.0" || door.host == "::";
  const bool loopback = door.host == "127.0.0.1" || door.host == "::1" || same_word(door.host, "localhost");
  if (!everywhere && same_word(asked->host, door.host)) return true;
  if (loopback || everywhere)
    for (const std::string_view name : {"127.0.0.1", "localhost", "::1"})
      if (same_word(asked->host, name)) return true;
  return everywhere && in_digits(*asked);
}

bool origin_allowed(std::optional<std::string_view> origin, std::string_view host_header) {
  constexpr std::string_view scheme = "http://";
  if (!origin) return true;  // typed into the address line, or not a browser
  return origin->starts_with(scheme) && same_word(origin->substr(scheme.size()), host_header);
}

std::optional<Inner> inner_path(std::string_view target, std::string_view token) {
  target = target.substr(0, target.find_first_of("?#"));
  if (target.empty() || target.front() != '/') return std::nullopt;
  target.remove_prefix(1);
  const auto slash = target.find('/');
  if (!same_token(target.substr(0, slash), token)) return std::nullopt;
  if (slash == std::string_view::npos) return Inner{{}, true};
  return Inner{target.substr(slash + 1), false};
}

std::string host_and_port(const std::string& host, unsigned short port) {
  const bool six = host.find(':') != std::string::npos;
  const std::string plain = six ? "[" + host + "]" : host;
  return port == 80 ? plain : fmt::format("{}:{}", plain, port);
}

}  // namespace tendril
