#include "parallel/stop.h"

#include <thread>

#include "testing/sentence.h"

namespace tendril {
namespace {

SENTENCE("parallel", "who asks to stop is heard by his own thread, for as long as his scope lasts, and stays with it") {
  EXPECT_FALSE(asked_to_stop());
  int asked = 0;
  const std::function<bool()> once = [&asked] { return ++asked == 2; };
  {
    const StopScope scope(once);
    EXPECT_FALSE(asked_to_stop());
    EXPECT_TRUE(asked_to_stop());
    EXPECT_TRUE(asked_to_stop());  // though it would say no now
    EXPECT_EQ(asked, 2);
    const std::function<bool()> nobody;
    {
      const StopScope inner(nobody);
      EXPECT_FALSE(asked_to_stop());
    }
    EXPECT_TRUE(asked_to_stop());
    bool elsewhere = true;
    std::thread([&elsewhere] { elsewhere = asked_to_stop(); }).join();
    EXPECT_FALSE(elsewhere);
  }
  EXPECT_FALSE(asked_to_stop());
}

}  // namespace
}  // namespace tendril
