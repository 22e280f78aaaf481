// Where rigid bodies touch each other and the ground: geometry alone, no response. For methods that integrate bodies themselves;
// OdeWorld uses it too. The answer depends on the states alone, bit for bit, and comes in the order of the indices.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/bodies.h"

namespace tendril {

struct BodyContact {
  int a = -1, b = -1;                    // bodies; b = -1: the ground
  int ground = -1;                       // which; -1: a body
  Vec3 point = Vec3::Zero();             // [m] in the overlap, or between the surfaces
  Vec3 normal = Vec3::UnitZ();           // unit, from b to a
  double gap = 0;                        // [m], < 0: overlap, then its depth along the normal
  double friction = 0, restitution = 0;  // of the pair: the smaller ones
  Vec3 impulse = Vec3::Zero();           // [N s] on a, its opposite on b; 0: nobody has solved for it
};

class BodyCollisions {
 public:
  // Bodies that have a shape and collide; none of these two numbers may change afterwards.
  BodyCollisions(std::span<const BodyModel> bodies, std::span<const GroundPlane> grounds);
  ~BodyCollisions();
  BodyCollisions(const BodyCollisions&) = delete;
  BodyCollisions& operator=(const BodyCollisions&) = delete;

  void ignore_pair(int a, int b);  // because they are joined

  // All pairs of which at least one can move. Without a margin those that overlap. With one also those whose gap is at most the
  // margin, as far as ODE can tell: it finds overlaps only, so one of the two is made larger by the margin, which is exact for
  //   anything and the ground;  a sphere or a capsule and anything
  // while of two boxes, two cylinders, or a box and a cylinder nothing is known before they overlap. The gap is the exact
  // distance in the first cases; it is the depth that ODE measures where things overlap deeply.
  // One pair may give several contacts (a box on the ground: one for each corner). Allocates nothing once `out` is large enough.
  void find(std::span<const BodyState> states, std::vector<BodyContact>& out, double margin = 0);

 private:
  struct Geoms;
  std::unique_ptr<Geoms> geoms_;
};

}  // namespace tendril
