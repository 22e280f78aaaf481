// The list of experiments: one declaration and one line each.
#include "validation/experiment.h"

namespace tendril {

std::vector<Check> cable_particle_mass_ratio(ExperimentContext& context);
std::vector<Check> cable_particle_spectra(ExperimentContext& context);
std::vector<Check> compact_cantilever(ExperimentContext& context);
std::vector<Check> compact_drag_root(ExperimentContext& context);
std::vector<Check> compact_friction(ExperimentContext& context);
std::vector<Check> compact_gradient(ExperimentContext& context);
std::vector<Check> compact_heavy_load(ExperimentContext& context);
std::vector<Check> compact_helix_gravity(ExperimentContext& context);
std::vector<Check> compact_joined(ExperimentContext& context);
std::vector<Check> compact_knot(ExperimentContext& context);
std::vector<Check> compact_penalty_and_kkt(ExperimentContext& context);
std::vector<Check> compact_plectoneme(ExperimentContext& context);
std::vector<Check> compact_preconditioners(ExperimentContext& context);
std::vector<Check> compact_redmax(ExperimentContext& context);
std::vector<Check> compact_second_order(ExperimentContext& context);
std::vector<Check> compact_solver(ExperimentContext& context);
std::vector<Check> compact_stability(ExperimentContext& context);
std::vector<Check> compact_strand_through_springs(ExperimentContext& context);
std::vector<Check> compact_table_1(ExperimentContext& context);
std::vector<Check> compact_three_cylinders(ExperimentContext& context);
std::vector<Check> contact_capstan(ExperimentContext& context);
std::vector<Check> contact_crossing(ExperimentContext& context);
std::vector<Check> contact_drop(ExperimentContext& context);
std::vector<Check> der_cantilever(ExperimentContext& context);
std::vector<Check> der_energy(ExperimentContext& context);
std::vector<Check> der_hanging_chain(ExperimentContext& context);
std::vector<Check> der_helical_buckling(ExperimentContext& context);
std::vector<Check> der_michell(ExperimentContext& context);
std::vector<Check> der_perversion(ExperimentContext& context);
std::vector<Check> der_plectoneme(ExperimentContext& context);
std::vector<Check> der_table_1(ExperimentContext& context);
std::vector<Check> der_torque_transducer(ExperimentContext& context);
std::vector<Check> der_trefoil_twist(ExperimentContext& context);
std::vector<Check> der_tree_in_wind(ExperimentContext& context);
std::vector<Check> der_twist_asymmetry(ExperimentContext& context);
std::vector<Check> der_wilberforce(ExperimentContext& context);
std::vector<Check> strands_cantilever(ExperimentContext& context);
std::vector<Check> strands_multiple_shooting(ExperimentContext& context);
std::vector<Check> strands_random_poses(ExperimentContext& context);
std::vector<Check> strands_realtime(ExperimentContext& context);
std::vector<Check> strands_standard_bvp(ExperimentContext& context);
std::vector<Check> strands_suture(ExperimentContext& context);
std::vector<Check> strands_virtual_coupling(ExperimentContext& context);

std::span<const Experiment> all_experiments() {
  static const Experiment experiments[] = {
      {"cable/particle-mass-ratio", "Servin 2008, Table I",
       "loads up to 1e15 particles hang on cables with angles between links or a link of their own, and none on bending "
       "forces",
       Experiment::quick, cable_particle_mass_ratio},
      {"cable/particle-spectra", "Servin 2008, Figs. 2-6",
       "resistance to bending turns the fast irregular stretch of a chain into a slow swing", Experiment::quick,
       cable_particle_spectra},
      {"compact/cantilever", "docs/references.md 1a-1c", "a cantilever bends as Euler's elastica does, and moves to it",
       Experiment::quick, compact_cantilever},
      {"compact/drag-root", "Zhao 2022, Fig. 11",
       "a rod whose root is dragged to and fro stays sound in steps from 1 ms to a minute", Experiment::quick,
       compact_drag_root, true},
      {"compact/friction", "docs/references.md 5; contact/*",
       "a rope over a drum holds without creep below exp(mu theta) and slides above; ropes that cross and a rod that drops "
       "come to rest",
       Experiment::slow, compact_friction},
      {"compact/gradient", "differences of equilibria",
       "probes of equilibria have their derivatives in every number of a scene, by one more solution", Experiment::quick,
       compact_gradient},
      {"compact/heavy-load", "docs/references.md 6d",
       "a load a million times as heavy as its rope swings as a pendulum, in steps of 5 ms", Experiment::quick,
       compact_heavy_load},
      {"compact/helix-gravity", "Zhao 2022, Fig. 6; docs/references.md 3",
       "a helix hangs where accurate solutions hang, and moves there", Experiment::quick, compact_helix_gravity},
      {"compact/joined", "docs/references.md 6b, 6c",
       "bodies, trees and loops of rods: transducer, Wilberforce's pendulum, and der beside it", Experiment::slow,
       compact_joined},
      {"compact/knot", "Zhao 2022, Figs. 13, 15",
       "a knot is pulled tight, by degrees and at once, and never passes through itself", Experiment::slow, compact_knot},
      {"compact/penalty-and-kkt", "Zhao 2022, Figs. 7-10",
       "penalties violate lengths or damp, multipliers need iterations, minimal coordinates need neither", Experiment::quick,
       compact_penalty_and_kkt, true},
      {"compact/plectoneme", "Zhao 2022, Fig. 16; docs/references.md 4b",
       "a rod that hardly twists is wound up: it buckles at its threshold, coils and winds around itself", Experiment::slow,
       compact_plectoneme, true},
      {"compact/preconditioners", "Zhao 2022, Figs. 3-5",
       "the hybrid preconditioner saves iterations where bending dominates, and the exact solver saves them all",
       Experiment::quick, compact_preconditioners, true},
      {"compact/redmax", "Zhao 2022, Fig. 12",
       "the largest step of RedMax falls with gravity; compact holds a quarter of a second", Experiment::quick,
       compact_redmax},
      {"compact/second-order", "docs/references.md 6a",
       "the schemes have their orders, lose little, and ring at the right pitch", Experiment::quick, compact_second_order},
      {"compact/solver", "Zhao 2022, sec. 3.2, 3.3",
       "products and the exact solve in linear time are those of the full matrix, and lose no digits", Experiment::quick,
       compact_solver},
      {"compact/stability", "docs/references.md 4a-4c",
       "verdicts change where columns, twisted rods and twisted rings lose their stability", Experiment::quick,
       compact_stability},
      {"compact/strand-through-springs", "Zhao 2022, Fig. 14",
       "springs on a strand slide to its middle, touch each other, and pass through nothing", Experiment::slow,
       compact_strand_through_springs},
      {"compact/table-1", "Zhao 2022, Table 1", "what a step costs, part by part, beside the paper's table",
       Experiment::slow, compact_table_1, true},
      {"compact/three-cylinders", "Zhao 2022, Fig. 17",
       "a light rod falls on three cylinders, rises again and comes to rest", Experiment::slow, compact_three_cylinders},
      {"contact/capstan", "Euler, Eytelwein", "a rope over a cylinder holds up to exp(mu theta) and slips beyond",
       Experiment::slow, contact_capstan},
      {"contact/crossing", "balance of forces", "crossing ropes press on each other with what their ends feel more",
       Experiment::quick, contact_crossing},
      {"contact/drop", "Zhao 2022, Fig. 17", "a rod dropped on three cylinders bounces and comes to rest", Experiment::slow,
       contact_drop},
      {"der/cantilever", "docs/references.md 1a-1c", "a cantilever bends as Euler's elastica does", Experiment::quick,
       der_cantilever},
      {"der/energy", "conservation laws", "a free rod keeps energy and momenta, an inextensible one its length",
       Experiment::quick, der_energy},
      {"der/hanging-chain", "Bergou 2008, Fig. 10",
       "open links hang in each other until they are pulled so far that one opens and its neighbour slips off",
       Experiment::quick, der_hanging_chain},
      {"der/helical-buckling", "Bergou 2008, Fig. 7; docs/references.md 4d",
       "a twisted rod buckles into a helix that dies away on both sides", Experiment::quick, der_helical_buckling},
      {"der/michell", "Bergou 2008, Fig. 8; docs/references.md 4c",
       "a twisted ring leaves its plane where Michell says it does", Experiment::quick, der_michell},
      {"der/perversion", "Bergou 2008, Fig. 2",
       "a spring pulled straight and untwisted comes back as two helices of opposite hand", Experiment::quick,
       der_perversion},
      {"der/plectoneme", "Bergou 2008, Fig. 9",
       "a hanging rod that is twisted leaves its plane and winds around itself, once or several times", Experiment::quick,
       der_plectoneme},
      {"der/table-1", "Bergou 2008, Table 1", "what a step costs, part by part, beside the paper's table", Experiment::quick,
       der_table_1, true},
      {"der/torque-transducer", "Bergou 2008, Fig. 6; docs/references.md 6b",
       "a rod passes torque between two bodies, and energy with it", Experiment::quick, der_torque_transducer},
      {"der/trefoil-twist", "Bergou 2008, Fig. 1; docs/references.md 9",
       "a loose overhand knot pulls as theory says, and jumps when it is twisted either way", Experiment::quick,
       der_trefoil_twist, true},
      {"der/tree-in-wind", "Bergou 2008, Fig. 12",
       "a tree of rods and bodies stands in gusts and vortices; without twist stiffness it spins", Experiment::quick,
       der_tree_in_wind},
      {"der/twist-asymmetry", "Bergou 2008, Fig. 5", "twist stays in the rotated half of a bent rod until it jumps over",
       Experiment::quick, der_twist_asymmetry},
      {"der/wilberforce", "Bergou 2008, Fig. 11; docs/references.md 6c",
       "a body on a helical spring hands its energy from bouncing to turning and back", Experiment::quick, der_wilberforce},
      {"strands/cantilever", "docs/references.md 1a, 1b, 2, 3",
       "clamped strands under dead loads lie where accurate solutions lie, to second and fourth order", Experiment::quick,
       strands_cantilever},
      {"strands/multiple-shooting", "Pai 2002, sec. 4",
       "a long soft strand is solved in pieces where one sweep loses its way", Experiment::quick, strands_multiple_shooting},
      {"strands/random-poses", "Pai 2002, sec. 4",
       "any end pose in reach is found from a straight start, and every verdict of stability is true", Experiment::quick,
       strands_random_poses},
      {"strands/realtime", "Pai 2002, sec. 4", "points against rate, beside the paper's", Experiment::quick,
       strands_realtime},
      {"strands/standard-bvp", "Pai 2002, sec. 3", "two sweeps have orders one, two and four, and close a circle",
       Experiment::quick, strands_standard_bvp},
      {"strands/suture", "Pai 2002, Fig. 1",
       "a suture follows its needle along a looping path, led by pose, by force and by a hand", Experiment::quick,
       strands_suture},
      {"strands/virtual-coupling", "Pai 2002, sec. 4", "a hand that jerks and jumps gets no energy out of a strand",
       Experiment::quick, strands_virtual_coupling},
  };
  return experiments;
}

}  // namespace tendril
