// The list of experiments: one declaration and one line each.
#include "validation/experiment.h"

// One line per experiment.
// clang-format off
namespace tendril {
namespace experiments {
namespace cable_accuracy { std::vector<Check> experiment(ExperimentContext&); }
namespace cable_adaptive { std::vector<Check> experiment(ExperimentContext&); }
namespace cable_bend { std::vector<Check> experiment(ExperimentContext&); }
namespace cable_catenary { std::vector<Check> experiment(ExperimentContext&); }
namespace cable_free { std::vector<Check> experiment(ExperimentContext&); }
namespace cable_gantry_crane { std::vector<Check> experiment(ExperimentContext&); }
namespace cable_ground { std::vector<Check> experiment(ExperimentContext&); }
namespace cable_limp_rope { std::vector<Check> experiment(ExperimentContext&); }
namespace cable_mass_ratio { std::vector<Check> experiment(ExperimentContext&); }
namespace cable_particle_mass_ratio { std::vector<Check> experiment(ExperimentContext&); }
namespace cable_particle_spectra { std::vector<Check> experiment(ExperimentContext&); }
namespace cable_reeving { std::vector<Check> experiment(ExperimentContext&); }
namespace cable_scaling { std::vector<Check> experiment(ExperimentContext&); }
namespace cable_stretch { std::vector<Check> experiment(ExperimentContext&); }
namespace cable_twist { std::vector<Check> experiment(ExperimentContext&); }
namespace cable_winch { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_cantilever { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_drag_root { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_friction { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_gradient { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_heavy_load { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_helix_gravity { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_joined { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_knot { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_penalty_and_kkt { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_plectoneme { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_preconditioners { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_redmax { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_second_order { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_solver { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_stability { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_strand_through_springs { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_table_1 { std::vector<Check> experiment(ExperimentContext&); }
namespace compact_three_cylinders { std::vector<Check> experiment(ExperimentContext&); }
namespace contact_capstan { std::vector<Check> experiment(ExperimentContext&); }
namespace contact_crossing { std::vector<Check> experiment(ExperimentContext&); }
namespace contact_drop { std::vector<Check> experiment(ExperimentContext&); }
namespace der_cantilever { std::vector<Check> experiment(ExperimentContext&); }
namespace der_energy { std::vector<Check> experiment(ExperimentContext&); }
namespace der_hanging_chain { std::vector<Check> experiment(ExperimentContext&); }
namespace der_helical_buckling { std::vector<Check> experiment(ExperimentContext&); }
namespace der_michell { std::vector<Check> experiment(ExperimentContext&); }
namespace der_perversion { std::vector<Check> experiment(ExperimentContext&); }
namespace der_plectoneme { std::vector<Check> experiment(ExperimentContext&); }
namespace der_table_1 { std::vector<Check> experiment(ExperimentContext&); }
namespace der_torque_transducer { std::vector<Check> experiment(ExperimentContext&); }
namespace der_trefoil_twist { std::vector<Check> experiment(ExperimentContext&); }
namespace der_tree_in_wind { std::vector<Check> experiment(ExperimentContext&); }
namespace der_twist_asymmetry { std::vector<Check> experiment(ExperimentContext&); }
namespace der_wilberforce { std::vector<Check> experiment(ExperimentContext&); }
namespace strands_cantilever { std::vector<Check> experiment(ExperimentContext&); }
namespace strands_multiple_shooting { std::vector<Check> experiment(ExperimentContext&); }
namespace strands_random_poses { std::vector<Check> experiment(ExperimentContext&); }
namespace strands_realtime { std::vector<Check> experiment(ExperimentContext&); }
namespace strands_standard_bvp { std::vector<Check> experiment(ExperimentContext&); }
namespace strands_suture { std::vector<Check> experiment(ExperimentContext&); }
namespace strands_virtual_coupling { std::vector<Check> experiment(ExperimentContext&); }
}  // namespace experiments
// clang-format on

std::span<const Experiment> all_experiments() {
  static const Experiment experiments[] = {
      {"cable/accuracy", "docs/references.md 1a",
       "a cantilever at rest is of second order; let go, averaging is several times closer than the paper's scheme",
       Experiment::quick, experiments::cable_accuracy::experiment},
      {"cable/adaptive", "Servin 2008, Algorithm 1, line 18",
       "a rope of 100 m has 13 segments where it is straight and more where it hangs in a loop, and its load does not "
       "notice",
       Experiment::quick, experiments::cable_adaptive::experiment},
      {"cable/bend", "Servin 2008, Fig. 12", "a couple bends a rope to the radius EI/M, to second order", Experiment::quick,
       experiments::cable_bend::experiment},
      {"cable/catenary", "docs/references.md 6e", "a slack rope hangs in a catenary; a hanging chain swings at its rates",
       Experiment::quick, experiments::cable_catenary::experiment},
      {"cable/free", "Servin 2008, secs. I, II", "a thrown rod keeps momentum, angular momentum and energy",
       Experiment::quick, experiments::cable_free::experiment},
      {"cable/gantry-crane", "Servin 2008, sec. VIII, Figs. 14-16",
       "a crane raises, lowers and tilts its hook, and a load of 10000 segments swings for 15 s", Experiment::quick,
       experiments::cable_gantry_crane::experiment},
      {"cable/ground", "Euler, Eytelwein; weight",
       "a rope falls on the ground and rests, holds and slides on slopes, and carries a load of 1e4 segments around a drum, "
       "60 steps a second",
       Experiment::quick, experiments::cable_ground::experiment},
      {"cable/limp-rope", "pendulum; docs/references.md 6d",
       "a rope without stiffness carries a load of 1e9 segments at 60 steps a second", Experiment::quick,
       experiments::cable_limp_rope::experiment},
      {"cable/mass-ratio", "Servin 2008, Table II",
       "what the paper's scheme carries is given by a formula; implicit geometric stiffness carries a hundred times as much",
       Experiment::slow, experiments::cable_mass_ratio::experiment},
      {"cable/particle-mass-ratio", "Servin 2008, Table I",
       "loads up to 1e15 particles hang on cables with angles between links or a link of their own, and none on bending "
       "forces",
       Experiment::quick, experiments::cable_particle_mass_ratio::experiment},
      {"cable/particle-spectra", "Servin 2008, Figs. 2-6",
       "resistance to bending turns the fast irregular stretch of a chain into a slow swing", Experiment::quick,
       experiments::cable_particle_spectra::experiment},
      {"cable/reeving", "capstans and tackle; ERRATA S27",
       "a tackle of four falls at 10 m/s has the tensions of its friction, without ripple", Experiment::quick,
       experiments::cable_reeving::experiment},
      {"cable/scaling", "Servin 2008, Fig. 13", "what a step costs grows with the number of segments, part by part",
       Experiment::slow, experiments::cable_scaling::experiment, true},
      {"cable/stretch", "Servin 2008, Fig. 10", "a rope under a weight is longer by f L/EA, with any number of segments",
       Experiment::quick, experiments::cable_stretch::experiment},
      {"cable/twist", "Servin 2008, Fig. 11; docs/references.md 4b",
       "a guided rope feels GJ angle/L for 37 turns, an unguided one buckles; direction cosines flip", Experiment::quick,
       experiments::cable_twist::experiment},
      {"cable/winch", "a hoist of 5 t",
       "rope comes out and goes in at 10 m/s, segments come and go, and the load does not notice", Experiment::quick,
       experiments::cable_winch::experiment},
      {"compact/cantilever", "docs/references.md 1a-1c", "a cantilever bends as Euler's elastica does, and moves to it",
       Experiment::quick, experiments::compact_cantilever::experiment},
      {"compact/drag-root", "Zhao 2022, Fig. 11",
       "a rod whose root is dragged to and fro stays sound in steps from 1 ms to a minute", Experiment::quick,
       experiments::compact_drag_root::experiment, true},
      {"compact/friction", "docs/references.md 5; contact/*",
       "a rope over a drum holds without creep below exp(mu theta) and slides above; ropes that cross and a rod that drops "
       "come to rest",
       Experiment::slow, experiments::compact_friction::experiment},
      {"compact/gradient", "differences of equilibria",
       "probes of equilibria have their derivatives in every number of a scene, by one more solution", Experiment::quick,
       experiments::compact_gradient::experiment},
      {"compact/heavy-load", "docs/references.md 6d",
       "a load a million times as heavy as its rope swings as a pendulum, in steps of 5 ms", Experiment::quick,
       experiments::compact_heavy_load::experiment},
      {"compact/helix-gravity", "Zhao 2022, Fig. 6; docs/references.md 3",
       "a helix hangs where accurate solutions hang, and moves there", Experiment::quick,
       experiments::compact_helix_gravity::experiment},
      {"compact/joined", "docs/references.md 6b, 6c",
       "bodies, trees and loops of rods: transducer, Wilberforce's pendulum, and der beside it", Experiment::quick,
       experiments::compact_joined::experiment},
      {"compact/knot", "Zhao 2022, Figs. 13, 15",
       "a knot is pulled tight, by degrees and at once, and never passes through itself", Experiment::quick,
       experiments::compact_knot::experiment},
      {"compact/penalty-and-kkt", "Zhao 2022, Figs. 7-10",
       "penalties violate lengths or damp, multipliers need iterations, minimal coordinates need neither", Experiment::quick,
       experiments::compact_penalty_and_kkt::experiment, true},
      {"compact/plectoneme", "Zhao 2022, Fig. 16; docs/references.md 4b",
       "a rod that hardly twists is wound up: it buckles at its threshold, coils and winds around itself", Experiment::quick,
       experiments::compact_plectoneme::experiment, true},
      {"compact/preconditioners", "Zhao 2022, Figs. 3-5",
       "the hybrid preconditioner saves iterations where bending dominates, and the exact solver saves them all",
       Experiment::quick, experiments::compact_preconditioners::experiment, true},
      {"compact/redmax", "Zhao 2022, Fig. 12",
       "the largest step of RedMax falls with gravity; compact holds a quarter of a second", Experiment::quick,
       experiments::compact_redmax::experiment},
      {"compact/second-order", "docs/references.md 6a",
       "the schemes have their orders, lose little, and ring at the right pitch", Experiment::quick,
       experiments::compact_second_order::experiment},
      {"compact/solver", "Zhao 2022, sec. 3.2, 3.3",
       "products and the exact solve in linear time are those of the full matrix, and lose no digits", Experiment::quick,
       experiments::compact_solver::experiment},
      {"compact/stability", "docs/references.md 4a-4c",
       "verdicts change where columns, twisted rods and twisted rings lose their stability", Experiment::quick,
       experiments::compact_stability::experiment},
      {"compact/strand-through-springs", "Zhao 2022, Fig. 14",
       "springs on a strand slide to its middle, touch each other, and pass through nothing", Experiment::quick,
       experiments::compact_strand_through_springs::experiment},
      {"compact/table-1", "Zhao 2022, Table 1", "what a step costs, part by part, beside the paper's table",
       Experiment::slow, experiments::compact_table_1::experiment, true},
      {"compact/three-cylinders", "Zhao 2022, Fig. 17",
       "a light rod falls on three cylinders, rises again and comes to rest", Experiment::quick,
       experiments::compact_three_cylinders::experiment},
      {"contact/capstan", "Euler, Eytelwein", "a rope over a cylinder holds up to exp(mu theta) and slips beyond",
       Experiment::slow, experiments::contact_capstan::experiment},
      {"contact/crossing", "balance of forces", "crossing ropes press on each other with what their ends feel more",
       Experiment::quick, experiments::contact_crossing::experiment},
      {"contact/drop", "Zhao 2022, Fig. 17", "a rod dropped on three cylinders bounces and comes to rest", Experiment::slow,
       experiments::contact_drop::experiment},
      {"der/cantilever", "docs/references.md 1a-1c", "a cantilever bends as Euler's elastica does", Experiment::quick,
       experiments::der_cantilever::experiment},
      {"der/energy", "conservation laws", "a free rod keeps energy and momenta, an inextensible one its length",
       Experiment::quick, experiments::der_energy::experiment},
      {"der/hanging-chain", "Bergou 2008, Fig. 10",
       "open links hang in each other until they are pulled so far that one opens and its neighbour slips off",
       Experiment::quick, experiments::der_hanging_chain::experiment},
      {"der/helical-buckling", "Bergou 2008, Fig. 7; docs/references.md 4d",
       "a twisted rod buckles into a helix that dies away on both sides", Experiment::quick,
       experiments::der_helical_buckling::experiment},
      {"der/michell", "Bergou 2008, Fig. 8; docs/references.md 4c",
       "a twisted ring leaves its plane where Michell says it does", Experiment::quick,
       experiments::der_michell::experiment},
      {"der/perversion", "Bergou 2008, Fig. 2",
       "a spring pulled straight and untwisted comes back as two helices of opposite hand", Experiment::quick,
       experiments::der_perversion::experiment},
      {"der/plectoneme", "Bergou 2008, Fig. 9",
       "a hanging rod that is twisted leaves its plane and winds around itself, once or several times", Experiment::slow,
       experiments::der_plectoneme::experiment},
      {"der/table-1", "Bergou 2008, Table 1", "what a step costs, part by part, beside the paper's table", Experiment::quick,
       experiments::der_table_1::experiment, true},
      {"der/torque-transducer", "Bergou 2008, Fig. 6; docs/references.md 6b",
       "a rod passes torque between two bodies, and energy with it", Experiment::quick,
       experiments::der_torque_transducer::experiment},
      {"der/trefoil-twist", "Bergou 2008, Fig. 1; docs/references.md 9",
       "a loose overhand knot pulls as theory says, and jumps when it is twisted either way", Experiment::quick,
       experiments::der_trefoil_twist::experiment, true},
      {"der/tree-in-wind", "Bergou 2008, Fig. 12",
       "a tree of rods and bodies stands in gusts and vortices; without twist stiffness it spins", Experiment::quick,
       experiments::der_tree_in_wind::experiment},
      {"der/twist-asymmetry", "Bergou 2008, Fig. 5", "twist stays in the rotated half of a bent rod until it jumps over",
       Experiment::quick, experiments::der_twist_asymmetry::experiment},
      {"der/wilberforce", "Bergou 2008, Fig. 11; docs/references.md 6c",
       "a body on a helical spring hands its energy from bouncing to turning and back", Experiment::slow,
       experiments::der_wilberforce::experiment},
      {"strands/cantilever", "docs/references.md 1a, 1b, 2, 3",
       "clamped strands under dead loads lie where accurate solutions lie, to second and fourth order", Experiment::quick,
       experiments::strands_cantilever::experiment},
      {"strands/multiple-shooting", "Pai 2002, sec. 4",
       "a long soft strand is solved in pieces where one sweep loses its way", Experiment::quick,
       experiments::strands_multiple_shooting::experiment},
      {"strands/random-poses", "Pai 2002, sec. 4",
       "any end pose in reach is found from a straight start, and every verdict of stability is true", Experiment::quick,
       experiments::strands_random_poses::experiment},
      {"strands/realtime", "Pai 2002, sec. 4", "points against rate, beside the paper's", Experiment::quick,
       experiments::strands_realtime::experiment},
      {"strands/standard-bvp", "Pai 2002, sec. 3", "two sweeps have orders one, two and four, and close a circle",
       Experiment::quick, experiments::strands_standard_bvp::experiment},
      {"strands/suture", "Pai 2002, Fig. 1",
       "a suture follows its needle along a looping path, led by pose, by force and by a hand", Experiment::quick,
       experiments::strands_suture::experiment},
      {"strands/virtual-coupling", "Pai 2002, sec. 4", "a hand that jerks and jumps gets no energy out of a strand",
       Experiment::quick, experiments::strands_virtual_coupling::experiment},
  };
  return experiments;
}

}  // namespace tendril
