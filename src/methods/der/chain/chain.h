// The flat arrays of Discrete Elastic Rods.
//
// A rod is a chain of slots. Slot s runs from vertex s to vertex s + 1; joint s connects slot s - 1 and slot s. Besides the
// rod's own edges there are
//   wall slots  a clamp that holds direction or twist stands exactly at its node, as a slot of fixed direction between the
//               two edges there (or beyond the last one): a joint of half a segment on each side  [ERRATA cross-method 7]
//   wrap slots  a ring repeats its first slot at the end, so that the closing joint is a joint like any other  [ERRATA D20]
//   pad slots   between rods, with no stiffness: every loop runs over all rods in packs of four without a remainder
// A wall's two vertices are the same node, a ring's last two vertices are its first two: `twins` lists these pairs. Twins
// carry the same mass, get the same force and so move alike, bit for bit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "math/index.h"
#include "math/pack.h"
#include "methods/der/rod/kernels.h"
#include "model/drive.h"
#include "model/model.h"

namespace tendril::der {

struct Array3 {
  std::vector<double> x, y, z;
  void assign(int count, const V3<double>& v) {
    x.assign(static_cast<std::size_t>(count), v.x);
    y.assign(static_cast<std::size_t>(count), v.y);
    z.assign(static_cast<std::size_t>(count), v.z);
  }
  V3<double> get(int i) const {
    const auto k = static_cast<std::size_t>(i);
    return {x[k], y[k], z[k]};
  }
  void set(int i, const V3<double>& v) {
    const auto k = static_cast<std::size_t>(i);
    x[k] = v.x, y[k] = v.y, z[k] = v.z;
  }
  void add(int i, const V3<double>& v) { set(i, get(i) + v); }
};
struct Array2 {
  std::vector<double> x, y;
  void assign(int count) {
    x.assign(static_cast<std::size_t>(count), 0);
    y.assign(static_cast<std::size_t>(count), 0);
  }
  V2<double> get(int i) const { return {x[static_cast<std::size_t>(i)], y[static_cast<std::size_t>(i)]}; }
  void set(int i, const V2<double>& v) { x[static_cast<std::size_t>(i)] = v.x, y[static_cast<std::size_t>(i)] = v.y; }
};
using Array = std::vector<double>;

inline V3<Pack> load(const Array3& a, int i) { return {load_pack(&a.x[i]), load_pack(&a.y[i]), load_pack(&a.z[i])}; }
inline V2<Pack> load(const Array2& a, int i) { return {load_pack(&a.x[i]), load_pack(&a.y[i])}; }
inline Pack load(const Array& a, int i) { return load_pack(&a[i]); }
inline void store(Array3& a, int i, const V3<Pack>& v) {
  store_pack(v.x, &a.x[i]), store_pack(v.y, &a.y[i]), store_pack(v.z, &a.z[i]);
}
inline void store(Array2& a, int i, const V2<Pack>& v) { store_pack(v.x, &a.x[i]), store_pack(v.y, &a.y[i]); }
inline void store(Array& a, int i, const Pack& v) { store_pack(v, &a[i]); }

enum class SlotKind : std::uint8_t { pad, edge, wall, wrap };

struct Wall {
  int slot = 0, rod = 0, clamp = 0;
  bool direction = false, twist = false;
  bool follows =
      false;  // inside the rod, twist held but direction free: the wall's direction is that between its neighbours
  V3<double> target_tangent{1, 0, 0}, target_d1{0, 1, 0};  // where the clamp's section frame stands
  V3<double> director{0, 1, 0};  // of the material frame, perpendicular to the wall's present direction
  // Of what turns the wall: its turn about its axis, and the part of it about the wall's direction [rad], when the wall was
  // last set. Numbers of turns, which orientations do not show: the angle of the frame goes on by the difference.
  double turn = 0, winding = 0;
  // What carries it, when it is no clamp; see bodies_and_joints.h.
  static int carried_by(int carrier) { return -1 - carrier; }
  int carrier() const { return clamp < 0 ? -1 - clamp : -1; }
  template <class Archive>
  void visit_state(Archive& archive) {  // which walls there are follows from the clamps that hold
    archive(target_tangent, target_d1, director, turn, winding);
  }
};
struct Twin {
  int first = 0, second = 0;  // vertices
};
// Joints that share one twist moment, because no frame is held between them: (from, to] and, around a ring, (from2, to2].
struct TwistRegion {
  int rod = 0;
  int from = 0, to = 0, from2 = 0, to2 = 0;
  bool closes = false;    // runs over the closing of a ring
  double compliance = 0;  // sum of l/(2 beta) [1/(N m)]
  double rest = 0;        // sum of rest twists
};
struct ChainRod {
  int first = 0, slots = 0;  // real, wall and wrap slots: [first, first + slots)
  int end = 0;               // pads included
  int model_rod = 0;
  bool ring = false;
  bool general = false;  // needs material frames in every step; else naturally straight and isotropic
  bool twisted = false;  // not general, but has twist regions
  int wrap = -1;         // slot
};

// Whole rods that one thread steps, as ranges of the chain's lists. How rods are cut into chunks depends on the rods alone. Between
// the slots of two chunks lies a pack of pads that no chunk writes to: loops read one slot before and one behind their own.
struct Chunk {
  int begin = 0, end = 0;  // slots, multiples of the pack size
  int first_rod = 0, last_rod = 0;
  int first_wall = 0, last_wall = 0;
  int first_twin = 0, last_twin = 0;
  int first_region = 0, last_region = 0;
};
inline constexpr int slots_per_chunk = 1024;  // at least, but for the last one

struct Chain {
  int begin = 0, end = 0;  // slots in use, multiples of the pack size
  std::vector<Chunk> chunks;
  std::vector<ChainRod> rods;
  std::vector<SlotKind> kind;       // per slot
  std::vector<int> node;            // per vertex: flat node of the model, -1
  std::vector<int> vertex_of_node;  // first twin
  std::vector<int> slot_of_edge;
  std::vector<int> edge;            // per slot: flat edge of the model (the neighbour's for a wall), -1
  std::vector<int> joint_of_inner;  // per inner node: its joint, or the joint before the wall there
  std::vector<Wall> walls;
  std::vector<Twin> twins;
  std::vector<TwistRegion> regions;
  std::vector<char> active;  // per clamp: holds now

  // constants: per vertex
  Array mass, inverse_mass;  // inverse is 0 where the position is held
  std::vector<char> held;    // position held
  Array mass_damping;        // [1/s]
  // per slot
  Array rest_length, constrained;  // constrained: 1 for edges whose length is kept, else 0
  Array EA;                        // [N], 0 but for edges
  Array phi;  // angle from the material frame of the formulas to the section's d1, at rest a Bishop frame
  Array B_xx, B_xy, B_yy;
  Array line_mass;
  // per joint
  Array bend;  // 8 alpha / l, isotropic rods
  Array inverse_l;
  Array twist_stiffness;  // 2 beta / l
  Array rest_twist;
  Array2 rest_first, rest_second;  // rest curvatures in the frames of its two slots
  Array internal_damping;          // [s]
  // Rods whose twist no wall holds turn about themselves with their rotary inertia, where there is friction.
  Array roll_inertia;  // per slot [kg m^2], 0: the angle is quasistatic
  bool has_rolling = false;

  // state
  Array3 x, v;                         // per vertex
  Array theta;                         // per slot, unwrapped
  Array roll, roll_change;             // per slot, of rolling rods: d theta/dt, and its change in the last step [rad/s]
  Array tension;                       // multiplier of the last projection, times edge = internal force [N/m]
  std::vector<double> first_director;  // Bishop director of each rod's first slot, 3 numbers each
  std::vector<double> closure;         // per rod: angle between a ring's last and first Bishop frame, unwrapped

  // derived
  Array3 t, u, m1, m2;           // per slot: tangent, Bishop director, material directors
  Array length, inverse_length;  // per slot
  Array3 moment;                 // per joint: G
  Array twist_moment;            // per joint
  Array3 gradient;               // per slot: dE/de
  Array torque;                  // per slot: applied moment about the tangent

  bool has_general = false, has_twisted = false;

  Chunk all() const {  // everything as one
    const auto count = [](const auto& list) { return static_cast<int>(list.size()); };
    return {begin, end, 0, count(rods), 0, count(walls), 0, count(twins), 0, count(regions)};
  }
  template <class T>
  static std::span<T> part(std::vector<T>& list, int first, int last) {
    return std::span<T>(list).subspan(z(first), z(last - first));
  }
  template <class T>
  static std::span<const T> part(const std::vector<T>& list, int first, int last) {
    return std::span<const T>(list).subspan(z(first), z(last - first));
  }
  std::span<const ChainRod> rods_of(const Chunk& k) const { return part(rods, k.first_rod, k.last_rod); }
  std::span<Wall> walls_of(const Chunk& k) { return part(walls, k.first_wall, k.last_wall); }
  std::span<const Wall> walls_of(const Chunk& k) const { return part(walls, k.first_wall, k.last_wall); }
  std::span<const Wall> walls_of_rod(int rod) const {  // walls stand in the order of the rods
    const auto before = [](const Wall& wall, int r) { return wall.rod < r; };
    const auto first = std::lower_bound(walls.begin(), walls.end(), rod, before);
    return {first, std::lower_bound(first, walls.end(), rod + 1, before)};
  }
  std::span<const Twin> twins_of(const Chunk& k) const { return part(twins, k.first_twin, k.last_twin); }
  std::span<const TwistRegion> regions_of(const Chunk& k) const { return part(regions, k.first_region, k.last_region); }

  V3<double> get_first_director(int rod) const {
    const auto k = z(3 * rod);
    return {first_director[k], first_director[k + 1], first_director[k + 2]};
  }
  void set_first_director(int rod, const V3<double>& d) {
    const auto k = z(3 * rod);
    first_director[k] = d.x, first_director[k + 1] = d.y, first_director[k + 2] = d.z;
  }
  void match_twins() { match_twins(all()); }
  void match_twins(const Chunk& chunk) {  // the second of each pair follows the first
    for (const Twin& twin : twins_of(chunk)) {
      x.set(twin.second, x.get(twin.first));
      v.set(twin.second, v.get(twin.first));
    }
  }
  Sym2<double> stiffness(int s) const { return {B_xx[s], B_xy[s], B_yy[s]}; }
};

// The edges before and after a node, walls between them skipped; -1 where there is none.
struct Beside {
  int before = -1, after = -1;
};
Beside edges_beside(const Chain& chain, int node);

// How something that holds a wall stands: its orientation, and how far it has turned (see Wall).
struct WallPose {
  Quat orientation = Quat::Identity();
  double turn = 0, winding = 0;  // [rad]
};
struct CarriedWall {  // a wall that something else than a clamp carries
  int node = 0, carrier = 0;
  WallPose now;
};
struct ChainChoice {
  bool force_general = false;  // every rod by the general path, for tests
  std::span<const CarriedWall> carried = {};
  bool rolling = false;           // friction turns the frames: the general path, and rods may roll
  const Chain* before = nullptr;  // the chain that this one replaces, directors filled: twist next to walls that stay
};
// From a pose of the rods (positions, frames, unwrapped twist) and the walls that stand at this time.
Chain build_chain(const Model& model, const Frame& pose, const Drive& drive, const ChainChoice& choice);
// Parts of it: a rod whose twist nothing holds gets its rotary inertia; twist regions of a rod.
void let_roll(Chain& chain, const ChainRod& rod, const Model& model, const Frame& pose);
void find_regions(Chain& chain, const ChainRod& rod);

}  // namespace tendril::der
