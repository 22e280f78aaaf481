// What a method may be able to do, as a table: checks, lists, documents and conformance tests iterate over it. A new feature is
// one enumerator, one row, and one line where a scene asks for it (src/scene/check_capability.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace tendril {

enum class Feature : std::uint8_t {
  inertia,
  equilibria,
  stretch,
  shear,
  stiffening,
  anisotropic,
  rest_curvature,
  ring,
  limp_twist,
  joints,
  bodies,
  contact,
  line_moments,
  follower_loads,
  drag,
  damping,
  couplings,
  turning_couplings,
  hands_turning_bodies,
  hold_position,
  hold_direction,
  hold_twist,
  hold_twist_alone,
  hold_inside,
  sliding_clamps,
  switched_joints,
  slider_joints,
  stability,
  modes,
  winch,
  reeving,
  varying_nodes,
  limp_bend,
  count
};

struct FeatureInfo {
  Feature feature;
  const char* noun;  // in lists
  const char* lack;  // "method `x` ..., but ...", for those without
};
inline constexpr std::array<FeatureInfo, static_cast<std::size_t>(Feature::count)> all_features{{
    {Feature::inertia, "motion", "computes equilibria only"},
    {Feature::equilibria, "equilibria", "computes motion only"},
    {Feature::stretch, "stretch", "has no rods that stretch"},
    {Feature::shear, "shear", "has no rods that shear"},
    {Feature::stiffening, "moments that stiffen", "knows linear moments only"},
    {Feature::anisotropic, "sections that are not round", "needs equal bending stiffness in both directions"},
    {Feature::rest_curvature, "natural curvature", "knows straight rest shapes only"},
    {Feature::ring, "rings", "knows no rings"},
    {Feature::limp_twist, "rods without torsional stiffness", "needs a torsional stiffness GJ > 0"},
    {Feature::joints, "joints", "has no joints"},
    {Feature::bodies, "rigid bodies", "has no bodies"},
    {Feature::contact, "contact", "has no contact"},
    {Feature::line_moments, "moments per length", "has no moments per length"},
    {Feature::follower_loads, "follower loads", "has no loads that turn with the rod"},
    {Feature::drag, "drag and wind", "has no drag and no wind"},
    {Feature::damping, "damping", "has no damping"},
    {Feature::couplings, "couplings and hands that pull", "has no couplings"},
    {Feature::turning_couplings, "couplings and hands that turn", "has couplings that pull, none that turn"},
    {Feature::hands_turning_bodies, "hands that turn bodies", "has hands that pull bodies, none that turn them"},
    {Feature::hold_position, "clamps that hold the position", "cannot hold the position"},
    {Feature::hold_direction, "clamps that hold the direction", "cannot hold the direction"},
    {Feature::hold_twist, "clamps that hold the twist", "cannot hold the twist"},
    {Feature::hold_twist_alone, "clamps that hold the twist but not the direction",
     "holds the twist only together with the direction"},
    {Feature::hold_inside, "clamps inside a rod", "holds rods at their ends only"},
    {Feature::sliding_clamps, "clamps that slide", "has no clamps that slide"},
    {Feature::switched_joints, "joints that come and go", "has no joints that come and go"},
    {Feature::slider_joints, "joints that slide", "has no joints that slide"},
    {Feature::stability, "stability of equilibria", "does not judge equilibria"},
    {Feature::modes, "natural frequencies", "finds no natural frequencies"},
    {Feature::winch, "winches", "has no winches"},
    {Feature::reeving, "ropes through sheaves", "has no ropes that run through sheaves"},
    {Feature::varying_nodes, "meshes that change", "keeps its mesh"},
    {Feature::limp_bend, "rods without bending stiffness", "needs bending stiffnesses EI1 > 0 and EI2 > 0"},
}};
constexpr const FeatureInfo& info_of(Feature feature) { return all_features[static_cast<std::size_t>(feature)]; }

class FeatureSet {
 public:
  constexpr FeatureSet() = default;
  constexpr FeatureSet(std::initializer_list<Feature> features) {
    for (const Feature f : features) bits_ |= bit(f);
  }
  constexpr bool has(Feature f) const { return (bits_ & bit(f)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr FeatureSet with(FeatureSet more) const { return FeatureSet(bits_ | more.bits_); }
  constexpr FeatureSet without(FeatureSet less) const { return FeatureSet(bits_ & ~less.bits_); }
  bool operator==(const FeatureSet&) const = default;

 private:
  static_assert(static_cast<int>(Feature::count) <= 64);
  constexpr explicit FeatureSet(std::uint64_t bits) : bits_(bits) {}
  static constexpr std::uint64_t bit(Feature f) { return std::uint64_t{1} << static_cast<int>(f); }
  std::uint64_t bits_ = 0;
};

// What a method can do in motion (mode dynamics: Feature::inertia and what goes with it) and in equilibrium (statics and
// quasistatics: Feature::equilibria and what goes with it). Whatever is not claimed is refused before a run.
struct Capability {
  FeatureSet motion, equilibrium;
  int fewest_edges = 1;

  constexpr bool moves() const { return motion.has(Feature::inertia); }
  constexpr bool relaxes() const { return equilibrium.has(Feature::equilibria); }
  constexpr bool any(Feature f) const { return motion.has(f) || equilibrium.has(f); }
};

}  // namespace tendril
