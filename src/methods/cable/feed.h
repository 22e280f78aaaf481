// Winches: how far each drum turns in a step, and what that costs.
//
// A winch is asked for a speed, within its limits of acceleration and force, or for a force. Before the solve the segment at the drum grows
// by the rope that comes out in the step; its end then lies behind the drum by as much, and the joint there, implicit as all of them,
// moves it out. Where the tension is given, or would be larger than the winch bears, the length is found for which the solve gives
// this tension: it depends on the length nearly linearly, so that a secant finds it in two or three solves.
#pragma once

#include "methods/cable/mesh.h"

namespace tendril::cable {

class Feed {
 public:
  Feed(const Model& model, Mesh& mesh, bool adaptive);
  bool any() const { return !drums_.empty(); }
  void start(const Drive& drive);             // before the first step
  void order(const Drive& drive, double dt);  // how far each is to go, by speeds
  void remesh();                              // cuts and merges at the drums, for what is to go
  void begin();                               // segments at the drums as they are now
  void grow(double dt);                       // by what is to go
  // After a solve. True: winches that are held by their force go another length, solve again.
  bool adjust(double dt);
  void finish(double dt, bool first);  // after the step; the first one knows no tension before it

  // Work on the rods in the last step [J]: by drums on clamps, on bodies; without what the rope brings with it.
  double clamps() const { return clamps_; }
  double bodies() const { return bodies_; }
  template <class F>
  void for_each_segment(F&& f) const {  // f(element at a drum, the drum is a clamp's)
    for (const Drum& drum : drums_) f(drum.from.element, drum.on_clamp);
  }
  double paid_out(std::size_t winch) const;  // [m] since the start
  double speed(std::size_t winch) const;     // [m/s]
  void visit_state(StateArchive& archive);

 private:
  struct Drum {
    int winch = 0, rod = 0, side = 0;
    double segment = 0;     // [m] as long as cuts make them; of an adaptive mesh at least
    bool on_clamp = false;  // else on a body, or the world
    // Saved.
    double speed = 0, paid = 0;    // [m/s], [m]
    double tension = 0, give = 0;  // [N], [m/N] at the level before
    // Of a step.
    bool by_force = false;                     // the length is found from the tension
    double wanted = 0;                         // [N]
    double low = 0, high = 0;                  // [m] within which `more` is sought
    double more = 0;                           // [m] that comes out
    double other_more = 0, other_tension = 0;  // an earlier trial
    int trials = 0;
    Mesh::EndSegment from;
  };
  double usual_length(const Drum& drum) const;  // [m] of segments at the drum
  double room_out(const Drum& drum) const;      // [m]
  double room_in(const Drum& drum) const;
  double limited_speed(const Drum& drum, double asked, double dt) const;
  int end_number(const Drum& drum) const {
    return drum.side == 0 ? 0 : static_cast<int>(mesh_.chain(drum.rod).segments.size()) - 1;
  }
  bool try_again(Drum& drum);

  const Model& model_;
  Mesh& mesh_;
  bool adaptive_;
  std::vector<Drum> drums_;
  double clamps_ = 0, bodies_ = 0;
};

}  // namespace tendril::cable
