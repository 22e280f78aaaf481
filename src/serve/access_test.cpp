#include "serve/access.h"

#include <set>

#include "testing/sentence.h"

namespace tendril {
namespace {

SENTENCE("serve", "tokens are 32 hexadecimal digits, each another, and equal only to themselves") {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string token = random_token();
    EXPECT_EQ(token.size(), 32u);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_TRUE(seen.insert(token).second);
  }
  const std::string token = *seen.begin();
  EXPECT_TRUE(same_token(token, token));
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string other = token;
    other[i] = other[i] == 'a' ? 'b' : 'a';
    EXPECT_FALSE(same_token(other, token));
  }
  EXPECT_FALSE(same_token(token.substr(1), token));
  EXPECT_FALSE(same_token("", token));
  EXPECT_FALSE(same_token("", ""));
}

SENTENCE("serve", "a Host header names this server, by address or as localhost, with its port") {
  const ListenAddress door{"127.0.0.1", 8123};
  for (const char* good : {"127.0.0.1:8123", "localhost:8123", "LocalHost:8123", "[::1]:8123"})
    EXPECT_TRUE(host_allowed(good, door)) << good;
  for (const char* bad :
       {"", "127.0.0.1", "127.0.0.1:8124", "evil.com:8123", "127.0.0.1.evil.com:8123", "localhost.evil.com:8123",
        "10.0.0.1:8123", "127.0.0.1:08123x", "127.0.0.1:", ":8123", "[::1", "[::1]8123", "127.0.0.1:8123:8123",
        "127.0.0.1:99999999999999999999", "0.0.0.0:8123", "evil.com@127.0.0.1:8123"})
    EXPECT_FALSE(host_allowed(bad, door)) << bad;
  EXPECT_TRUE(host_allowed("127.0.0.1", {"127.0.0.1", 80}));
  EXPECT_TRUE(host_allowed("rods.lab:81", {"rods.lab", 81}));
  EXPECT_FALSE(host_allowed("localhost:81", {"rods.lab", 81}));
  EXPECT_FALSE(host_allowed("0.0.0.0.evil.com:81", {"0.0.0.0", 81}));
}

SENTENCE("serve", "a server on every address takes addresses in digits, but no name that somebody made point here") {
  const ListenAddress door{"0.0.0.0", 81};
  for (const char* good : {"192.168.1.7:81", "localhost:81", "127.0.0.1:81", "[fe80::1]:81"})
    EXPECT_TRUE(host_allowed(good, door)) << good;
  for (const char* bad : {"evil.com:81", "1.2.3.4.evil.com:81", "12345:81", "192.168.1.7:82", "[evil]:81"})
    EXPECT_FALSE(host_allowed(bad, door)) << bad;
}

SENTENCE("serve", "an Origin is the page of this very server, or there is none") {
  const std::string_view host = "127.0.0.1:8123";
  EXPECT_TRUE(origin_allowed(std::nullopt, host));
  EXPECT_TRUE(origin_allowed("http://127.0.0.1:8123", host));
  for (const char* bad : {"", "null", "https://127.0.0.1:8123", "http://127.0.0.1:8124", "http://evil.com", "127.0.0.1:8123",
                          "http://127.0.0.1:8123/", "http://127.0.0.1:8123.evil.com", "file://"})
    EXPECT_FALSE(origin_allowed(bad, host)) << bad;
}

SENTENCE("serve", "a path stands behind the token") {
  const std::string token = "0123456789abcdef0123456789abcdef";
  const auto inner = [&](const std::string& target) { return inner_path(target, token); };
  EXPECT_EQ(inner("/" + token + "/")->path, "");
  EXPECT_EQ(inner("/" + token + "/ws?x=1#y")->path, "ws");
  EXPECT_EQ(inner("/" + token + "/picture/a.png")->path, "picture/a.png");
  EXPECT_TRUE(inner("/" + token)->needs_slash);
  for (const std::string& bad : {std::string(), std::string("/"), token, "//" + token + "/", "/x/" + token + "/",
                                 "/" + token + "x/", "/?" + token, "/" + token.substr(1) + "/"})
    EXPECT_FALSE(inner(bad)) << bad;
}

SENTENCE("serve", "addresses of IPv6 stand in brackets, port 80 is not told") {
  EXPECT_EQ(host_and_port("::1", 81), "[::1]:81");
  EXPECT_EQ(host_and_port("127.0.0.1", 80), "127.0.0.1");
}

}  // namespace
}  // namespace tendril
