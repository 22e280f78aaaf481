// Quasistatic Cosserat strands as a Method.  [Pai 2002]
#pragma once

#include <memory>

#include "methods/strands/entry.h"
#include "methods/strands/mesh.h"
#include "methods/strands/solver.h"
#include "model/drive.h"
#include "model/loads.h"
#include "model/model.h"
#include "parallel/workers.h"

namespace tendril::strands {

struct Settings {
  int order = 2;
  double mesh_tolerance = 0;  // 0: the mesh stays as the scene gives it
  SolverSettings solver;
  int threads = 1;  // that share the rods of an equilibrium
  static Settings from(const Options& options);
};

// One rod: its edges, its strand, and where it lies.
struct Line {
  Mesh mesh;
  Strand strand;
  Solver solver;
  std::vector<double> along;  // of each edge node, arc length of this method [m]
  std::vector<char> held;     // by clamp of the model: holds this line now
  Answer answer;              // of the present call
  bool out_of_reach = false;  // in the present call a hold asked for more than the length
};

class Strands final : public Method {
 public:
  Strands(std::shared_ptr<const Model> model, const Settings& settings);
  StepReport step(double time, double dt, const Live& live) override;
  StepReport relax(double time, double load_factor, const Live& live) override;
  void write(Frame& frame) const override;
  void visit_state(StateArchive& archive) override;

  const Line& line(int rod) const { return lines_[z(rod)]; }

 private:
  void build_line(int rod);                          // segments at rest
  std::vector<State> initial_states(int rod) const;  // at the edges' nodes
  std::vector<State> spread(int rod,
                            const std::vector<State>& at_edges);  // on a mesh fine enough for the twist at the start
  void take_hold();                                               // clamps that hold from later on
  bool set_holds(int rod);                                        // true: other nodes are held than before
  bool keep_in_reach(int rod);                                    // true: a hold asked for more than the length
  void set_loads(int rod);                                        // of the drive, on segments and nodes
  void set_hands(int rod);                                        // springs of hands and couplings
  bool remesh(int rod);                                           // true: the mesh changed
  Answer solve_line(int rod, bool& out_of_reach);
  void visit_line(int rod, StateArchive& archive);
  void write_rod(int rod, Frame& frame) const;
  void write_reactions(std::span<Wrench> at_clamps) const;

  std::shared_ptr<const Model> model_;  // the discretised scene
  Settings settings_;                   // the scene's options of this method
  Drive drive_;                         // boundary conditions and loads of the last equilibrium
  LateClamps late_;                     // poses at which late clamps took hold
  LoadsNow loads_;                      // the drive's loads, by node and edge
  std::vector<Line> lines_;             // one per rod: mesh, strand, solver
  StepReport report_;                   // of the last equilibrium
  Workers workers_;                     // threads that share the rods
  SolverState saved_;                   // of one line at a time, when states are saved or loaded; keeps its storage
};

Problems check(const Model& model, const Options& options);
StepAdvice advise(const Model& model, const Options& options);

}  // namespace tendril::strands
