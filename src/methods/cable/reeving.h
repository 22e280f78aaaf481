// Ropes that run through points: tackle, hoists, the massless cables of a gantry crane.  [Servin 2008, sec. VIII; ERRATA S27]
//
// A rope of n falls runs through n + 1 points, each fixed to a body or the world: a sheave, or where it ends. Sheaves are no contacts.
// Between two points the rope is straight; fall k holds s_k of it, unstretched, and is one row:
//   T_k = (EA/s_k) (|fall k| - s_k) >= 0       slack when it would push; inextensible: |fall k| = s_k
//   ds_k/dt = w_k - w_(k+1)                    w_p: rope that runs through point p, from the fall before to the fall after it
// At a sheave w_p is an unknown with the mass m_p = I/R^2 + half of the mass of both falls:
//   m_p dw_p/dt = T_after - T_before + F,      |F| <= f (T_before + T_after) in the bearing,
//                                              |F| <= (exp(mu theta) - 1) min(T_before, T_after) on a sheave that does not turn
// At an end w = 0, or it is the speed of a winch; one that slips or pulls with a given force gives T instead.
//
// All T and w of all reevings are one small dense system. Bodies and what is joined to them answer by their groups' factors
// (GroupSolver::follow): v' = v0 + sum T_k v_k. Which falls are slack, which sheaves stick, and which winches slip is found by an active
// set, from that of the step before.
#pragma once

#include <memory>

#include "linear/dense.h"
#include "methods/cable/system.h"

namespace tendril::cable {

class Reevings {
 public:
  using Solvers = std::vector<std::unique_ptr<GroupSolver>>;
  Reevings(const Model& model, const Parts& parts);
  bool empty() const { return reeves_.empty(); }
  bool owns(std::size_t rod) const { return owned_[rod] != 0; }

  // Before a step: what winches are asked for and how far they go; where the falls are.
  void begin(const Drive& drive, const State& state, const StepSizes& step);
  // Geometric stiffness of falls and of the forces that pull at bodies, times dt h, by body: (T/L) across the fall at its point,
  // r.F across the lever r.
  void add_stiffness(const StepSizes& step, std::vector<Eigen::Matrix<double, 6, 6>>& bodies) const;
  // After the groups are solved without the falls. False: no state of sticking and slack was found.
  [[nodiscard]] bool solve(const Solvers& solvers, const std::vector<JointRows>& rows, const StepSizes& step,
                           std::vector<Response>& elements);
  // A tension of this pass is so much larger than that of its stiffness that the step is solved again.
  bool has_grown(const StepSizes& step, const std::vector<Response>& elements);
  void move(const StepSizes& step);
  void finish(const State& state);  // where the falls are after the step
  void come_to_rest();

  // By element: what the falls do.
  void add_wrenches(std::vector<Wrench>& out) const;
  double worst_gap() const;      // beyond the elastic one, over the length of the fall  [-]
  double shortest_fall() const;  // over the radius of its sheaves
  struct Flow {
    double winches = 0;   // [J] what they did in the step
    double friction = 0;  // [J] lost in it
    double damping = 0;
  };
  Flow flow(const StepSizes& step) const;
  void add_energy(double before, Energy& energy) const;
  void write(Frame& frame) const;  // its rods, from the frame's bodies
  void visit_state(StateArchive& archive);

 private:
  struct Point {
    int element = 0;
    Vec3 local = Vec3::Zero();
    double radius = 0, inertia = 0, bearing = 0, friction = 0;
    bool locked = false;
    bool inside = false;  // a sheave; else an end of the rope
    int winch = -1;
    Vec3 at = Vec3::Zero(), lever = Vec3::Zero();  // now; from the element's centre
    double mass = 0, grip = 0;                     // m_p; e^(mu theta) - 1
    double speed = 0;                              // of a winch: what it does in this step, as w
    double most_out = 0, most_in = 0;              // of a winch: speeds as far as there is rope
    double limit = 0;                              // of a winch: tension at which it slips, or which it gives
  };
  struct Fall {
    int point = 0;  // where it begins
    double EA = 0;  // 0: inextensible
    double line_mass = 0, damping = 0;
    Vec3 direction = Vec3::UnitZ();
    double length = 0, end_length = 0;  // now; when the last step ended
    double led = 0;                     // [m/s] how fast what is led makes it longer in this step
    double give = 0, pull = 0;          // 1/(k dt + c), k phi/(k dt + c)
    double rate = 0;                    // J v0
  };
  struct Reeve {
    int rod = 0, first_fall = 0, falls = 0, first_point = 0;
    double start_length = 0;  // [m] of rope, all falls
    int winch_start = -1, winch_end = -1;
  };
  enum Mode : char { stick, forward, backward, held, given, fast_out, fast_in };
  void place(const State& state);
  void order_winch(const Drive& drive, const Reeve& reeve, int point, bool start, double dt);
  void give_force(int point, bool start);
  void weigh(const StepSizes& step);
  void find_answers(const Solvers& solvers, const std::vector<JointRows>& rows, const StepSizes& step,
                    const std::vector<Response>& elements);
  void kick(int fall, double tension, double h, const std::vector<Response>& elements, std::vector<Vector6>& kicks) const;
  void note_groups(const Solvers& solvers, std::size_t elements);
  void assemble(const StepSizes& step);
  bool correct(const StepSizes& step, bool one_only);
  bool correct_fall(int fall, const StepSizes& step);
  bool correct_point(const Reeve& reeve, int k, const StepSizes& step);
  double rate_of(int fall) const;
  double force_at(int point, const StepSizes& step) const;  // F of a sheave that sticks
  double bound_at(int point) const;
  bool is_free(const Point& point) const { return point.locked ? point.friction == 0 : point.bearing == 0; }
  int before(int point) const { return fall_after_[z(point)] - 1; }
  int after(int point) const { return fall_after_[z(point)]; }
  double rope_out(const Reeve& reeve) const;

  const Model& model_;
  const Parts& parts_;
  std::vector<char> owned_;  // per rod
  std::vector<Reeve> reeves_;
  std::vector<Point> points_;
  std::vector<int> fall_after_;  // per point: the fall that begins there, or would
  std::vector<Fall> falls_;
  // What changes: saved.
  std::vector<double> s_, tension_, w_, rate_, friction_;
  std::vector<char> taut_, mode_;
  std::vector<double> winch_speed_, stored_;  // per winch of the scene
  // Of a step.
  std::vector<double> tension_before_, friction_before_, stiff_tension_;
  std::vector<double> winch_speed_before_;
  std::vector<double> new_tension_, new_w_, new_friction_;
  std::vector<double> answer_;  // falls x falls: -J_k v_l
  DenseLU matrix_;
  std::vector<double> unknown_;  // T of falls, then w of points
  std::vector<Vector6> kicks_;
  std::vector<int> group_of_;
  std::vector<char> touched_;  // groups
};

}  // namespace tendril::cable
