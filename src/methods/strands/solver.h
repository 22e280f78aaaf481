// From holds and loads to a shape: the sweeps, shooting and descent of this folder behind one call, with the last answer as
// the first guess of the next.
#pragma once

#include "methods/strands/energy.h"
#include "methods/strands/shooting.h"
#include "methods/strands/standard.h"

namespace tendril::strands {

struct SolverSettings {
  double tolerance = 1e-10;      // of residuals: parts of the length, radians, parts of EI/L^2 and EI/L
  int pieces = 0;                // of multiple shooting; 0: as many as the sensitivity asks for
  bool single = true;            // try single shooting first
  bool fixed_point = false;      // dead loads by repeated sweeps instead of Newton's method; small loads only
  bool verdict = true;           // count unstable directions of each answer
  bool softest = false;          // and find the softest mode and neutral directions
  bool seek_minimum = true;      // leave equilibria that are not minima (needs the verdict)
  int max_iterations = 30;       // of each shooting
  int max_sweeps = 200;          // of each shooting
  bool may_descend = true;       // minimise the energy when shooting fails
  int descent_iterations = 400;  // of the energy, per call
};

enum class Way : std::uint8_t { none, sweeps, fixed_point, single, multiple, descent, energy };
struct Answer {
  bool fine = false;
  bool taut = false;    // not fine because it is held exactly straight, with a load across it
  Way way = Way::none;  // what found it
  int iterations = 0;   // all together
  int sweeps = 0;
  double residual = 0;
  double imbalance = 0;  // of force and moment, of any segment as a free body, over EI/L^2 and EI/L; with the verdict
  Verdict verdict;       // is it a minimum of the energy?
};

// Where a strand lies, and what one call of the solver leaves to the next besides the shape.
struct SolverState {
  std::vector<State> states;
  std::vector<State> underway;  // of a descent that met its bound: the next call goes on from here
  FarEnd end;
  bool descending = false;
  Way last_way = Way::none;
};

class Solver {
 public:
  // Allocates for this strand; `states`: where it lies. Call again when segments or held nodes change.
  void start(const Strand& strand, const SolverSettings& settings, const std::vector<State>& states);
  // Other holds or springs, same segments; allocates nothing where reserve() was called with as many or more.
  void restart(const Strand& strand);
  void reserve(const Strand& strand);
  // The equilibrium for the strand's present holds and loads. When it fails the last answer stays.
  Answer solve(const Strand& strand);

  const std::vector<State>& states() const { return states_; }
  void set_states(const Strand& strand, const std::vector<State>& states);
  // What the hold or spring at the far end does to the strand, world axes.
  Stress<double> far_reaction() const;
  const FarEnd& end() const { return end_; }
  void set_end(const FarEnd& end) { end_ = end; }
  void set_end(const Strand& strand);
  void get(SolverState& out) const;
  void set(const Strand& strand, const SolverState& state);  // starts from there
  SolverSettings settings;

 private:
  // Attempts, each true when it found an equilibrium.
  bool by_sweeps(const Strand& strand, Answer& answer);
  bool by_single(const Strand& strand, Answer& answer);
  bool by_multiple(const Strand& strand, Answer& answer, int max_iterations);
  bool by_descent(const Strand& strand, Answer& answer, bool disturbed);
  bool by_energy(const Strand& strand, Answer& answer);
  bool found(const Strand& strand, Answer& answer);  // an equilibrium, stable or not
  void judge(const Strand& strand, Answer& answer);  // stability and balance of what was found
  bool by_continuation(const Strand& strand, Answer& answer);
  double far_away(const Strand& strand) const;  // how many moderate steps the holds are from where the strand lies
  void take(const Strand& strand, Answer& answer, Way way, int iterations, int sweeps, double residual);
  ShootingSettings shooting() const { return {settings.tolerance, settings.max_iterations, settings.max_sweeps}; }

  // The last equilibrium; guess and result of an attempt; what is restored when it fails; where a descent has stopped.
  std::vector<State> states_, guess_, kept_, underway_;
  bool descending_ = false;   // true: a descent met its bound and goes on with the next call
  Way last_way_ = Way::none;  // what found the last equilibrium
  Strand moving_;             // the strand with holds between start and target
  FarEnd end_;                // pose and stress at the far end: first guess of single shooting
  Standard standard_;         // two sweeps
  SingleShooting single_;
  MultipleShooting multiple_;
  EnergyDescent descent_;
  bool inner_holds_ = false;  // true: something is held between the ends
};

}  // namespace tendril::strands
