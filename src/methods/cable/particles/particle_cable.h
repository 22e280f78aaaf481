// A cable of particles below an anchor: models (a) to (e) of [Servin 2008, sec. III, Fig. 1], regularised constraints stepped
// by eqs. (8)-(11) with one exact solve. Kept to compare with cables of segments: particles neither twist nor turn.
//   N      links, as many as particles      d    rest length of a link      L = N d
//   eps    compliance: a constraint's potential is phi^2/(2 eps)            lambda    its force [N], or moment [N m]
//   S      J M^-1 J^T + eps/dt^2
// S is a band: 1 wide for links one after the other, with or without the load's own link; 4 with bend angles between the links. A
// constraint on the total length touches all particles and is a border.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "linear/band_ldlt.h"
#include "linear/bordered.h"
#include "linear/pivots.h"
#include "tendril/types.h"

namespace tendril::cable::particles {

enum class ParticleModel {
  chain,             // (a) the length of every link
  total_length,      // (b) and the total length (massless cable)
  load_link,         // (c) links, and a link from the anchor straight to the load
  total_length_cut,  // (d) all links but the last, and the total length
  angles,            // (e) links, and the angle between neighbours
  bend_forces,       // links, and the potential of (e) as an explicit force: what the paper warns of
};

struct ParticleCableDescription {
  ParticleModel model = ParticleModel::chain;
  Vec3 anchor = Vec3::Zero();        // x_0, does not move
  std::vector<Vec3> position;        // x_1 .. x_N
  std::vector<double> mass;          // of each; the last is the load
  double link_length = 1;            // d [m]
  double stretch_compliance = 1e-8;  // eps_d [m/N]
  double extra_compliance = 1e-9;    // eps_m, eps_le [m/N] or eps_a [rad/(N m)], ERRATA S7
  double damping = 0;                // of all constraints, phi + damping phidot [s], ERRATA S3
  Vec3 gravity = Vec3(0, 0, -10);    // [m/s^2]
};

// `links` light particles and a load, straight and at rest along x: the start of the paper's experiments.
ParticleCableDescription horizontal_cable(ParticleModel model, int links, double light_mass, double load_mass,
                                          double link_length = 1);

class ParticleCable {
 public:
  // At rest. Throws Misuse on what cannot be stepped; the only function that allocates.
  explicit ParticleCable(const ParticleCableDescription& description);

  // One step of eqs. (8)-(11). The report is that of S; a pivot that is not positive means that rounding has eaten it.
  PivotReport step(double dt);

  int links() const { return int(inverse_mass_.size()) - 1; }
  int rows() const { return int(rows_.size()) + (has_border_ ? 1 : 0); }
  std::span<const Vec3> positions() const { return x_; }   // the anchor first
  std::span<const Vec3> velocities() const { return v_; }  // the same
  void set_velocity(int particle, const Vec3& velocity);   // 1 .. N
  // lambda of the last step, row by row: links, (e) with the angles between them; then the load's link or the total length.
  std::span<const double> multipliers() const { return lambda_; }

  double stretch(int link) const;  // phi_d, now
  double largest_stretch() const;  // of |phi_d| over the links, also those a model does not constrain; NaN after overflow
  double bend(int joint) const;    // phi_a between links `joint` and `joint` + 1, now

 private:
  // One constraint: its gradients with respect to up to three particles in a row.
  struct Row {
    int first = 0, count = 0;
    double compliance = 0, violation = 0;
    std::array<Vec3, 3> gradient = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  };
  void lay_out_rows();
  void evaluate();         // values and gradients of all rows
  void evaluate_forces();  // what is explicit
  void assemble(double factor);
  void pull();
  void improve(double dt, double factor);
  double product(const Row& row, std::span<const Vec3> values) const;  // J_row times one vector per particle
  double coupling(const Row& a, const Row& b) const;                   // J_a M^-1 J_b^T

  ParticleCableDescription is_;
  bool has_border_ = false;
  std::vector<double> inverse_mass_;  // 0 at the anchor
  std::vector<Vec3> x_, v_;
  std::vector<Vec3> free_, acceleration_;  // M^-1 f, and with the constraints' forces
  std::vector<Row> rows_;                  // those in the band
  std::vector<Vec3> border_gradient_;      // of the total length
  double border_violation_ = 0;
  std::vector<double> lambda_, missing_;
  BandLDLT band_;
  BorderedLDLT border_;
};

}  // namespace tendril::cable::particles
