#include <gtest/gtest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  setenv("RC_PARAMS", "seed=1", 0);  // RapidCheck draws the same cases every time unless told otherwise
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
