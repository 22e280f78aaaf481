// Tests whose names are sentences.
//   SENTENCE("math", "the logarithm of a half turn finds the axis") { EXPECT_...; }
// The suite is the room. SLOW_SENTENCE takes more than a few seconds (left out by ./test --quick and --sanitize);
// FULL_SENTENCE takes minutes (only ./test --full).
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace tendril::testing_detail {
using Body = void (*)();
class Sentence : public ::testing::Test {
 public:
  explicit Sentence(Body body) : body_(body) {}
  void TestBody() override { body_(); }

 private:
  Body body_;
};
inline int add(const std::string& suite, const char* name, const char* file, int line, Body body) {
  ::testing::RegisterTest(suite.c_str(), name, nullptr, nullptr, file, line,
                          [body]() -> ::testing::Test* { return new Sentence(body); });
  return 0;
}
}  // namespace tendril::testing_detail

#define TENDRIL_JOIN2(a, b) a##b
#define TENDRIL_JOIN(a, b) TENDRIL_JOIN2(a, b)
#define TENDRIL_SENTENCE_NUMBERED(suite, name, id)                                                        \
  static void TENDRIL_JOIN(sentence_body_, id)();                                                         \
  static const int TENDRIL_JOIN(sentence_added_, id) =                                                    \
      ::tendril::testing_detail::add(suite, name, __FILE__, __LINE__, &TENDRIL_JOIN(sentence_body_, id)); \
  static void TENDRIL_JOIN(sentence_body_, id)()
#define TENDRIL_SENTENCE_IN(suite, name) TENDRIL_SENTENCE_NUMBERED(suite, name, __COUNTER__)
#define SENTENCE(room, name) TENDRIL_SENTENCE_IN(room, name)
#define SLOW_SENTENCE(room, name) TENDRIL_SENTENCE_IN(std::string(room) + ".slow", name)
#define FULL_SENTENCE(room, name) TENDRIL_SENTENCE_IN(std::string(room) + ".full", name)
