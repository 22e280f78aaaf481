#include "serve/server.h"

#include <sys/stat.h>

#include <fstream>
#include <random>

#include "live/session_testing.h"
#include "serve/client_testing.h"
#include "serve/private_redirect.h"
#include "testing/free_machine.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

Content page_of(Session* session) {
  Content content;
  content.get = [](std::string_view path) -> std::optional<Served> {
    if (path.empty()) return Served{"text/html; charset=utf-8", std::make_shared<const std::string>("<p>rods</p>")};
    if (path == "picture/fake.png") return Served{"image/png", std::make_shared<const std::string>("PNG")};
    return std::nullopt;
  };
  content.session = session;
  return content;
}

struct ServedSession {  // a session with the fake scene open, and its server
  explicit ServedSession(bool open = true) : server({}, page_of(&session)) {
    if (open) answered_in(session, OpenScene{"fake", {}, {}});
  }
  FakeTrouble trouble;
  Session session{{fake_source(), "runs"}};
  Server server;
};

// A good client gets nearly all that is published, and that is about 60 in a second.
void expect_steady_frames(ServedSession& served, TestClient& good) {
  int got = 0, published = 0;
  double rate = 0;
  EXPECT_TRUE(holds_undisturbed([&] {
    good.frames_in(0.05);
    const std::uint64_t before = served.session.latest().frame_number;
    const TestClock::time_point start = TestClock::now();
    got = good.frames_in(1);
    published = static_cast<int>(served.session.latest().frame_number - before);
    rate = got / seconds_since(start);
    return got >= 0.9 * published - 2 && rate >= 55 && rate <= 63;
  })) << got
      << " frames of " << published << ", " << rate << " in a second";
}

SENTENCE("serve", "the page is served behind its token, with headers that let nothing else in") {
  ServedSession served;
  TestClient client(served.server.address());
  EXPECT_EQ(client.get(""), 200);
  EXPECT_EQ(client.body, "<p>rods</p>");
  for (const char* header :
       {"Content-Security-Policy: default-src 'none'", "frame-ancestors 'none'", "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer", "Content-Type: text/html"})
    EXPECT_NE(client.header.find(header), std::string::npos) << header;
  EXPECT_EQ(client.header.find("Access-Control-Allow-Origin"), std::string::npos);
  EXPECT_EQ(client.get("picture/fake.png"), 200);  // the same connection goes on
  EXPECT_EQ(client.body, "PNG");
  EXPECT_EQ(client.get("picture/../fake.png"), 404);
  TestClient bare(served.server.address());
  EXPECT_EQ(bare.request("GET " + bare.path.substr(0, bare.path.size() - 1)), 308);
  EXPECT_NE(bare.header.find("Location: " + bare.path), std::string::npos);
  TestClient icon(served.server.address());
  EXPECT_EQ(icon.request("GET /favicon.ico"), 204);
  TestClient poster(served.server.address());
  EXPECT_EQ(poster.request("POST " + poster.path + "picture/0", "", "bytes"), 405);
  TestClient taker(served.server.address());
  EXPECT_EQ(taker.get("nothing"), 404);
}

SENTENCE("serve", "a wrong token, Host or Origin gets nothing, neither page nor socket") {
  ServedSession served;
  const std::string address = served.server.address();
  const auto try_with = [&](auto&& change) {
    for (const bool socket : {false, true}) {
      TestClient client(address);
      change(client);
      EXPECT_EQ(socket ? client.upgrade() : client.get(""), 403);
      EXPECT_EQ(client.body.find("rods"), std::string::npos);
      EXPECT_TRUE(client.is_closed_within(5));
    }
  };
  try_with([](TestClient& c) { c.path[5] = c.path[5] == 'a' ? 'b' : 'a'; });
  try_with([](TestClient& c) { c.path.resize(1); });
  try_with([](TestClient& c) { c.host = "evil.com:" + c.host.substr(c.host.find(':') + 1); });
  try_with([](TestClient& c) { c.host = "127.0.0.1"; });
  try_with([](TestClient& c) { c.origin = "http://evil.com"; });
  try_with([](TestClient& c) { c.origin = "null"; });
  TestClient two_hosts(address);
  EXPECT_EQ(two_hosts.request("GET " + two_hosts.path, "Host: evil.com\r\n"), 403);
  TestClient good(address);
  good.origin = "http://" + good.host;
  EXPECT_EQ(good.upgrade(), 101);
}

SENTENCE("serve", "a client is welcomed, shown the scene, then its frames, and told how it goes") {
  ServedSession served;
  TestClient client(served.server.address());
  ASSERT_EQ(client.upgrade(), 101);
  const auto first = client.next(), second = client.next();
  ASSERT_TRUE(first && second);
  const auto welcome = nlohmann::json::parse(first->payload), scene = nlohmann::json::parse(second->payload);
  EXPECT_EQ(welcome["say"], "welcome");
  EXPECT_EQ(welcome["scenes"].size(), 3u);
  EXPECT_EQ(scene["say"], "scene");
  EXPECT_EQ(scene["name"], "fake");
  const auto status = client.wait_for("status");
  EXPECT_EQ(status["clients"], 1);
  EXPECT_EQ(status["generation"], scene["generation"]);
  expect_steady_frames(served, client);
}

SENTENCE("serve", "orders over the socket: pause, step, restart, speed, open, inputs, close, and problems to who asked") {
  ServedSession served;
  TestClient client(served.server.address()), other(served.server.address());
  ASSERT_EQ(client.upgrade(), 101);
  ASSERT_EQ(other.upgrade(), 101);
  client.say(R"({"do":"pause"})");
  EXPECT_FALSE(client.wait_for("status", [](const auto& s) { return s["paused"] == true; }).is_null());
  EXPECT_FALSE(other.wait_for("status", [](const auto& s) { return s["paused"] == true; }).is_null());
  const double step = step_of(served.session.latest());
  client.say(R"({"do":"step"})");
  EXPECT_TRUE(wait_until([&] { return step_of(served.session.latest()) == step + 1; }));
  client.say(R"({"do":"restart"})");
  EXPECT_EQ(client.wait_for("scene", [](const auto& s) { return s["generation"] == 2; })["name"], "fake");
  client.say(R"({"do":"play"})");
  client.say(R"({"do":"speed","value":0.5})");
  EXPECT_FALSE(client.wait_for("status", [](const auto& s) { return s["speed"] == 0.5 && s["paused"] == false; }).is_null());
  client.say(R"({"do":"input","name":"clamp.wall.turn","value":0.25})");
  EXPECT_FALSE(client.wait_for("status", [](const auto& s) { return s["inputs"]["clamp.wall.turn"] == 0.25; }).is_null());
  client.say(R"({"do":"open","scene":"bad"})");
  EXPECT_EQ(client.wait_for("problems")["scene"], "bad");
  client.say(R"({"do":"open","scene":"../scenes/other"})");
  EXPECT_EQ(client.wait_for("problems")["scene"], "../scenes/other");
  client.say(R"({"do":"open","scene":"other"})");
  EXPECT_EQ(client.wait_for("scene", [](const auto& s) { return s["name"] == "other"; })["generation"], 3);
  client.say(R"({"do":"close"})");
  EXPECT_FALSE(client.wait_for("gallery").is_null());
  bool told_problems = false;
  EXPECT_FALSE(other.wait_for("gallery", [](const auto&) { return true; }).is_null());
  other.wait_for(
      "problems", [&](const auto&) { return told_problems = true; }, 0.3);
  EXPECT_FALSE(told_problems);
}

SENTENCE("serve", "frames of a scene never come before its description") {
  ServedSession served;
  TestClient client(served.server.address());
  ASSERT_EQ(client.upgrade(), 101);
  std::uint32_t described = 0;
  const TestClock::time_point start = TestClock::now();
  int frames = 0, scenes = 0;
  const auto enough = [&] { return frames > 10 && scenes > 5 && seconds_since(start) > 1.5; };
  for (int i = 0; !enough() && seconds_since(start) < 60; ++i) {
    if (i % 7 == 0) client.say(R"({"do":"restart"})");
    const auto message = client.next();
    ASSERT_TRUE(message);
    if (message->opcode == 2) {
      std::uint32_t generation = 0;
      std::memcpy(&generation, message->payload.data() + 4, 4);
      EXPECT_EQ(generation, described);
      ++frames;
    } else if (const auto said = nlohmann::json::parse(message->payload); said["say"] == "scene") {
      described = said["generation"];
      ++scenes;
    }
  }
  EXPECT_GT(frames, 10);
  EXPECT_GT(scenes, 5);
}

SENTENCE("serve", "malformed messages are dropped and counted, oversized ones end the connection") {
  ServedSession served;
  TestClient client(served.server.address());
  ASSERT_EQ(client.upgrade(), 101);
  client.say("nonsense");
  client.say(R"({"do":"jump"})");
  client.send_frame(2, "binary");
  EXPECT_FALSE(client.wait_for("status", [](const auto& s) { return s["dropped"] == 3; }).is_null());
  TestClient big(served.server.address());
  ASSERT_EQ(big.upgrade(), 101);
  big.say(std::string(65 << 10, ' '));
  EXPECT_TRUE(big.is_closed_within(5));
  TestClient huge(served.server.address());
  ASSERT_EQ(huge.upgrade(), 101);
  huge.send_raw(std::string("\x81\xff\x00\x00\x7f\xff\xff\xff\xff\xff", 10) + std::string(4, '\0'));  // says 128 TB
  EXPECT_TRUE(huge.is_closed_within(5));
  TestClient long_header(served.server.address());
  const int code = long_header.request("GET " + long_header.path, "X: " + std::string(20000, 'x') + "\r\n");
  EXPECT_TRUE(code == 431 || code == 0) << code;
  expect_steady_frames(served, client);
}

SENTENCE("serve", "random bytes, silent, half-open and slow clients do no harm: a good one keeps its 60 frames") {
  ServedSession served;
  TestClient good(served.server.address());
  ASSERT_EQ(good.upgrade(), 101);
  const std::string address = served.server.address();
  std::mt19937 random(1);
  std::vector<std::unique_ptr<TestClient>> bad;
  const auto some_bytes = [&](std::size_t n) {
    std::string bytes(n, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    return bytes;
  };
  for (int i = 0; i < 8; ++i) {
    bad.push_back(std::make_unique<TestClient>(address));  // silent
    bad.push_back(std::make_unique<TestClient>(address));  // half a header
    bad.back()->send_raw("GET " + bad.back()->path + " HTTP/1.1\r\nHost: ");
    bad.push_back(std::make_unique<TestClient>(address));  // noise before the handshake
    bad.back()->send_raw(some_bytes(5000));
    bad.push_back(std::make_unique<TestClient>(address));  // noise after it
    EXPECT_EQ(bad.back()->upgrade(), 101);
    bad.back()->send_raw(some_bytes(5000));
    bad.push_back(std::make_unique<TestClient>(address));  // never reads what it is sent
    bad.back()->read_slowly(2048);
    EXPECT_EQ(bad.back()->upgrade(), 101);
  }
  expect_steady_frames(served, good);
  bad.clear();
  EXPECT_FALSE(good.wait_for("status", [](const auto& s) { return s["clients"] == 1; }).is_null());
  TestClient again(address);
  EXPECT_EQ(again.upgrade(), 101);
}

SENTENCE("serve", "a client that is silent before its handshake is closed after some seconds") {
  ServedSession served;
  TestClient silent(served.server.address());
  EXPECT_TRUE(silent.connected);
  EXPECT_FALSE(silent.is_closed_within(3));
  const MachineWatch watch;
  EXPECT_TRUE(silent.is_closed_within(50) && watch.in_time(5)) << watch.seconds();
}

SENTENCE("serve",
         "those who have no token cannot keep out those who have it, however many they are and however slowly they talk") {
  ServedSession served;
  TestClient inside(served.server.address());
  ASSERT_EQ(inside.upgrade(), 101);
  std::vector<std::unique_ptr<TestClient>> loris;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 130; ++i) {
      loris.push_back(std::make_unique<TestClient>(served.server.address()));
      loris.back()->send_raw("GET /x HTTP/1.1\r\nHost: ");
    }
    for (auto& slow : loris) slow->send_raw("a");  // and goes on talking
    TestClient newcomer(served.server.address());
    EXPECT_EQ(newcomer.get(""), 200) << "after " << loris.size() << " connections";
    TestClient page(served.server.address());
    EXPECT_EQ(page.upgrade(), 101);
  }
  const MachineWatch watch;
  EXPECT_TRUE(loris.front()->is_closed_within(20) && watch.in_time(2)) << watch.seconds();
  EXPECT_TRUE(holds_undisturbed([&] { return inside.frames_in(0.5) > 0; }));  // who is in stays in
}

SENTENCE("serve", "a header that comes drop by drop has as little time as one that does not come") {
  ServedSession served;
  TestClient slow(served.server.address());
  const MachineWatch watch;
  slow.send_raw("GET / HTTP/1.1\r\n");
  bool open = true;
  while (open && watch.seconds() < 100) {
    open = slow.send_raw("X");
    open = open && !slow.is_closed_within(0.2);
  }
  EXPECT_TRUE(!open && watch.in_time(10)) << watch.seconds();
}

SENTENCE("serve", "a browser is led by a file of this user alone; the token is in the file, not in its address") {
  TemporaryFolder folder;
  std::filesystem::path file;
  {
    const PrivateRedirect door(folder.path(), "http://127.0.0.1:1/TOKEN/#a=1&b=\"<x>");
    file = door.file();
    EXPECT_EQ(door.address().find("TOKEN"), std::string::npos);
    EXPECT_EQ(door.address(), "file://" + file.string());
    struct stat status {};
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    std::ifstream in(file);
    const std::string page((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    EXPECT_NE(page.find("0; url=http://127.0.0.1:1/TOKEN/#a=1&amp;b=&quot;&lt;x>"), std::string::npos) << page;
  }
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_THROW(PrivateRedirect(folder / "nowhere", "x"), ServeError);
}

SENTENCE("serve", "32 clients all see the same simulation, the next one is refused") {
  ServedSession served;
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 32; ++i) {
    clients.push_back(std::make_unique<TestClient>(served.server.address()));
    ASSERT_EQ(clients.back()->upgrade(), 101) << i;
  }
  TestClient late(served.server.address());
  EXPECT_EQ(late.upgrade(), 503);
  for (auto& client : clients) EXPECT_TRUE(holds_undisturbed([&] { return client->frames_in(0.2) > 3; }));
  const auto status = clients[0]->wait_for("status", [](const auto& s) { return s["clients"] == 32; });
  EXPECT_FALSE(status.is_null());
}

SENTENCE("serve", "a slow solver leaves the server responsive") {
  ServedSession served(false);
  FakeMethod::trouble().seconds = 0.05;
  answered_in(served.session, OpenScene{"fake", {}, {}});
  TestClient client(served.server.address());
  ASSERT_EQ(client.upgrade(), 101);
  EXPECT_FALSE(client.wait_for("status", [](const auto& s) { return s["slow"] == true; }).is_null());
  bool pause = false;
  for (int turns = 0; turns < 3; ++turns) {
    EXPECT_TRUE(holds_undisturbed([&] {
      pause = !pause;
      const TestClock::time_point start = TestClock::now();
      client.say(pause ? R"({"do":"pause"})" : R"({"do":"play"})");
      EXPECT_FALSE(client.wait_for("status", [&](const auto& s) { return s["paused"] == pause; }).is_null());
      return seconds_since(start) < 0.2;
    }));
  }
}

SENTENCE("serve", "uploads are taken where somebody wants them, up to their limit, and only behind the token") {
  std::atomic<std::size_t> bytes = 0;
  Content content;
  content.post = [&](std::string_view path, std::string_view body) { return bytes = body.size(), path == "picture/0"; };
  const Server server({}, std::move(content));
  TestClient client(server.address());
  EXPECT_EQ(client.request("POST " + client.path + "picture/0", "", std::string(3 << 20, 'x')), 200);
  EXPECT_EQ(bytes, std::size_t{3} << 20);
  EXPECT_EQ(client.request("POST " + client.path + "elsewhere", "", "x"), 400);
  TestClient stranger(server.address());
  EXPECT_EQ(stranger.request("POST /picture/0", "", "x"), 403);
  TestClient glutton(server.address());
  const int code = glutton.request("POST " + glutton.path + "picture/0", "Content-Length: 99999999999\r\n");
  EXPECT_TRUE(code == 413 || code == 0) << code;
  TestClient socket(server.address());
  EXPECT_EQ(socket.upgrade(), 404) << "no session, no WebSocket";
}

SENTENCE("serve", "two servers do not get the same place, and an address that is not there is a sentence") {
  const Server first({}, Content{});
  const std::string address = first.address();
  const auto port = static_cast<unsigned short>(std::stoi(address.substr(address.rfind(':') + 1)));
  const auto message = [](const ServerOptions& options) {
    try {
      const Server server(options, Content{});
    } catch (const ServeError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message({"127.0.0.1", port, {}}).find("choose another with --port"), std::string::npos);
  EXPECT_NE(message({"no.such.host.invalid", 0, {}}).find("no such address"), std::string::npos);
  EXPECT_NE(message({"203.0.113.7", 0, {}}).find("cannot listen"), std::string::npos);
}

}  // namespace
}  // namespace tendril
