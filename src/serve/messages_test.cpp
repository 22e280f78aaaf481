#include "serve/messages.h"

#include <nlohmann/json.hpp>
#include <random>

#include "testing/sentence.h"

namespace tendril {
namespace {

using Json = nlohmann::json;

template <class T>
T read_as(const std::string& text) {
  const std::optional<Order> order = read_message(text);
  EXPECT_TRUE(order && std::holds_alternative<T>(*order)) << text;
  return order && std::holds_alternative<T>(*order) ? std::get<T>(*order) : T{};
}

SENTENCE("serve", "every message of docs/view.md becomes its order") {
  const OpenScene open = read_as<OpenScene>(R"({"do":"open","scene":"whip","method":"der","step":"auto"})");
  EXPECT_EQ(open.scene, "whip");
  EXPECT_EQ(open.method, "der");
  EXPECT_EQ(open.step, 0.0);
  EXPECT_FALSE(read_as<OpenScene>(R"({"do":"open","scene":"whip"})").step);
  EXPECT_EQ(read_as<OpenScene>(R"({"do":"open","scene":"whip","method":null,"step":1e-4})").step, 1e-4);
  read_as<Play>(R"({"do":"play"})"), read_as<Pause>(R"({"do":"pause"})"), read_as<SingleStep>(R"({"do":"step"})");
  read_as<Restart>(R"({"do":"restart"})"), read_as<CloseScene>(R"({"do":"close"})");
  EXPECT_EQ(read_as<SetSpeed>(R"({"do":"speed","value":0.5})").value, 0.5);
  const SetInput turn = read_as<SetInput>(R"({"do":"input","name":"clamp.left.turn","value":0.25})");
  EXPECT_EQ(turn.name, "clamp.left.turn");
  EXPECT_EQ(std::get<double>(turn.value), 0.25);
  EXPECT_EQ(std::get<Vec3>(read_as<SetInput>(R"({"do":"input","name":"a","value":[1,2,3]})").value), Vec3(1, 2, 3));
  const Grab grab = read_as<Grab>(R"({"do":"grab","hand":1,"rod":0,"material":0.42,"position":[1,2,3]})");
  EXPECT_EQ(grab.hand, 1);
  EXPECT_EQ(grab.rod, 0);
  EXPECT_EQ(grab.body, -1);
  EXPECT_EQ(grab.material, 0.42);
  EXPECT_EQ(grab.position, Vec3(1, 2, 3));
  EXPECT_EQ(read_as<Grab>(R"({"do":"grab","hand":8,"body":2,"position":[1,2,3]})").body, 2);
  EXPECT_EQ(read_as<MoveHand>(R"({"do":"move","hand":2,"position":[1,2,3]})").hand, 2);
  EXPECT_EQ(read_as<ReleaseHand>(R"({"do":"release","hand":3})").hand, 3);
  EXPECT_TRUE(read_as<Record>(R"({"do":"record","on":true})").on);
}

SENTENCE("serve", "a message with anything missing, wrong, unknown or not finite is malformed") {
  for (const char* bad : {"",
                          "null",
                          "[]",
                          "{}",
                          "\"play\"",
                          "{\"do\":\"play\"",
                          R"({"do":1})",
                          R"({"do":"jump"})",
                          R"({"do":"play","x":1})",
                          R"({"do":"open"})",
                          R"({"do":"open","scene":7})",
                          R"({"do":"open","scene":"a","step":-1})",
                          R"({"do":"open","scene":"a","step":0})",
                          R"({"do":"open","scene":"a","step":"fast"})",
                          R"({"do":"speed"})",
                          R"({"do":"speed","value":"1"})",
                          R"({"do":"speed","value":1e999})",
                          R"({"do":"input","name":"a"})",
                          R"({"do":"input","name":"a","value":[1,2]})",
                          R"({"do":"input","name":"a","value":[1,2,null]})",
                          R"({"do":"input","name":"a","value":true})",
                          R"({"do":"grab","hand":0,"rod":0,"material":0,"position":[0,0,0]})",
                          R"({"do":"grab","hand":9,"rod":0,"material":0,"position":[0,0,0]})",
                          R"({"do":"grab","hand":1.5,"rod":0,"material":0,"position":[0,0,0]})",
                          R"({"do":"grab","hand":1,"rod":-1,"material":0,"position":[0,0,0]})",
                          R"({"do":"grab","hand":1,"rod":1e99,"material":0,"position":[0,0,0]})",
                          R"({"do":"grab","hand":1,"position":[0,0,0]})",
                          R"({"do":"grab","hand":1,"body":0,"rod":0,"material":0,"position":[0,0,0]})",
                          R"({"do":"move","hand":1})",
                          R"({"do":"record","on":1})",
                          "{\"do\":\"play\xff\"}"})
    EXPECT_FALSE(read_message(bad)) << bad;
  EXPECT_FALSE(read_message(R"({"do":"open","scene":")" + std::string(1000, 'a') + "\"}"));
  EXPECT_FALSE(read_message(std::string(60000, '[')));
  EXPECT_FALSE(read_message(std::string(100000, ' ') + R"({"do":"play"})"));
}

SENTENCE("serve", "random bytes, and good messages with some bytes changed, are read without harm") {
  std::mt19937 random(1);
  const std::string good = R"({"do":"grab","hand":1,"rod":0,"material":0.42,"position":[1,2,3]})";
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    if (i % 2 == 0) {
      text[random() % text.size()] = static_cast<char>(random());
    } else {
      text.resize(random() % 200);
      for (char& c : text) c = static_cast<char>(random());
    }
    const std::optional<Order> order = read_message(text);
    read += order.has_value();
    const Grab* grab = order ? std::get_if<Grab>(&*order) : nullptr;
    EXPECT_TRUE(grab == nullptr || grab->position.allFinite());
  }
  EXPECT_GT(read, 0);  // digits that became other digits
  EXPECT_LT(read, 1000);
}

SENTENCE("serve", "what is said to the page is JSON with the fields of docs/view.md") {
  const Json welcome = Json::parse(welcome_message({{"whip", "A whip", "It cracks.", "der"}}));
  EXPECT_EQ(welcome["say"], "welcome");
  EXPECT_EQ(welcome["scenes"][0]["title"], "A whip");
  EXPECT_EQ(welcome["methods"].size(), all_method_infos().size());
  EXPECT_EQ(Json::parse(scene_message(R"({"name":"whip"})")), Json::parse(R"({"say":"scene","name":"whip"})"));
  EXPECT_EQ(Json::parse(scene_message("{}")), Json::parse(R"({"say":"scene"})"));
  EXPECT_EQ(Json::parse(gallery_message())["say"], "gallery");
  EXPECT_EQ(Json::parse(refusal_message({1, "a", {"b\xff", "c"}}))["problems"].size(), 2u);
  SessionStatus status;
  status.inputs = {{"gravity", 1.0}, {"clamp.a.move", Vec3(1, 2, 3)}};
  status.recording = "runs/x";
  const Json said = Json::parse(status_message(status, 3, 4));
  for (const char* key : {"generation", "paused", "finished", "failed", "message", "speed", "achieved", "slow", "recording",
                          "recorded", "inputs", "clients", "dropped", "suspect", "retries", "energy_error"})
    EXPECT_TRUE(said.contains(key)) << key;
  EXPECT_TRUE(said["suspect"].is_null());
  SessionStatus doubtful;
  doubtful.suspect = "77 of 20 steps failed", doubtful.retries = 77, doubtful.energy_error = 0.11;
  const Json doubt = Json::parse(status_message(doubtful, 1, 0));
  EXPECT_EQ(doubt["suspect"], "77 of 20 steps failed");
  EXPECT_EQ(doubt["retries"], 77);
  EXPECT_EQ(doubt["energy_error"], 0.11);
  doubtful.energy_error = std::nan("");
  EXPECT_TRUE(Json::parse(status_message(doubtful, 1, 0))["energy_error"].is_null());
  EXPECT_EQ(said["recording"], "runs/x");
  EXPECT_TRUE(said["recorded"].is_null());
  EXPECT_EQ(said["inputs"]["clamp.a.move"], Json::array({1.0, 2.0, 3.0}));
  EXPECT_EQ(said["clients"], 3);
  EXPECT_EQ(said["dropped"], 4);
}

}  // namespace
}  // namespace tendril
