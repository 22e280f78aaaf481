// The bodies of a model and everything they can touch, translated once: its obstacles become driven bodies after its own (but
// half-spaces, which are grounds, and meshes, which bodies pass through), and bodies that are joined do not touch each other.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "bodies/body_world.h"
#include "model/drive.h"

namespace tendril {

struct CollidingBodies {
  explicit CollidingBodies(const Model& model);
  std::vector<BodyModel> bodies;            // the model's, then obstacles
  std::vector<int> obstacles;               // which obstacle each of these is
  std::vector<std::array<int, 2>> ignored;  // pairs
};

// For methods that let the library move their bodies.
class ModelWorld {
 public:
  explicit ModelWorld(const Model& model);
  // Moves the model's bodies by dt, from where they are to the time of the drive. One wrench for each. False: see BodyWorld.
  [[nodiscard]] bool step(const Drive& drive, double dt, std::int64_t number, std::span<const Wrench> wrenches,
                          std::span<BodyState> bodies);
  std::span<const BodyContact> contacts() const { return world_->contacts(); }
  double work_of(bool obstacles) const;  // [J] of obstacles, or of driven bodies, on bodies they touch; of the last step
  double friction() const { return world_->work().friction; }
  int obstacle_of(int body) const;  // for contacts: the obstacle that body of the world is; -1: one of the model's bodies

 private:
  const Model& model_;
  CollidingBodies all_;
  std::unique_ptr<BodyWorld> world_;
  std::vector<BodyState> states_;
  std::vector<Wrench> wrenches_;
};
std::unique_ptr<ModelWorld> make_world(const Model& model);  // none: the model has no bodies

// For methods that move their bodies themselves.
class ModelCollisions {
 public:
  explicit ModelCollisions(const Model& model);
  // Where everything is at one instant; see BodyCollisions::find. Body numbers from the model's number of bodies on are obstacles.
  void find(std::span<const BodyState> bodies, std::span<const ObstacleNow> obstacles, std::vector<BodyContact>& out,
            double margin = 0);
  int obstacle_of(int body) const;

 private:
  CollidingBodies all_;
  BodyCollisions collisions_;
  std::vector<BodyState> states_;
};

}  // namespace tendril
