// Access control. Pure functions: the token in the address, and the headers by which a browser says which page asks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tendril {

std::string random_token();  // 32 hexadecimal digits from the system's source of randomness
// Takes the same time for every wrong token of the right length.
bool same_token(std::string_view given, std::string_view right);

// Where the server listens, as browsers name it.
struct ListenAddress {
  std::string host;  // as given: an address or a name; 0.0.0.0 and :: are every address of this machine
  unsigned short port = 0;
};
// The Host header is this server's own: its address, a name of the loopback, or, where it listens on every address, any
// address in digits. A name that somebody else made point here (DNS rebinding) is not.
bool host_allowed(std::string_view header, const ListenAddress& door);
// The Origin header, when there is one, is the page of this very server: http:// and the Host header.
bool origin_allowed(std::optional<std::string_view> origin, std::string_view host_header);

// "/TOKEN/rest?query" -> "rest"; none when the token is wrong. `needs_slash`: it was the token alone.
struct Inner {
  std::string_view path;
  bool needs_slash = false;
};
std::optional<Inner> inner_path(std::string_view target, std::string_view token);

// host:port for an address line; an address of IPv6 in brackets.
std::string host_and_port(const std::string& host, unsigned short port);

}  // namespace tendril
