// Counts heap allocations of the whole program, of malloc and of operator new, while the object lives:
//   AllocationCount c;  method.step(...);  EXPECT_EQ(c.count(), 0);
// Do not put EXPECT_ macros between: they allocate.
#pragma once

namespace tendril {

class AllocationCount {
 public:
  AllocationCount();
  long count() const;  // allocations since construction, of all threads

 private:
  long before_;
};

}  // namespace tendril
