// A rod in Cartesian coordinates, clamped at its start, as the paper compares with: lengths and alignment by a penalty or by multipliers
// instead of by the choice of the unknowns. Energy, inertia, strain and wall are those of `compact` with scheme = "euler" and
// strain = "sine", so that all agree where they have converged. For single clamped rods under gravity; nothing else.
//
//   p_(i+1) - p_i = e_i,   |e_i| = l_i,   |q_i| = 1,   e_i/|e_i| = d3_i          [Zhao 2022, eq. (1)-(3)]
// The penalty has the paper's conventional unknowns, places and quaternions of four numbers, and one weight for all three: of its five
// iterations' damping most comes from the second. Multipliers have turns, for which the second holds by construction.
#pragma once

#include <memory>
#include <vector>

#include "methods/compact/chain.h"

namespace tendril {

enum class HeldBy { penalty, multipliers };

class CartesianRod {
 public:
  CartesianRod(const Model& model, HeldBy held_by, double weight);

  struct Report {
    int iterations = 0;
    double residual = 0;                            // |dE/dx|, absolute [N, N m mixed, as in the paper]
    std::vector<double> length_after, angle_after;  // violations after each iteration
  };
  // Backward Euler; ends below `tolerance` or after `most` iterations.
  Report step(double h, int most, double tolerance);

  double kinetic() const;
  double length_violation() const;     // sum |e| / sum l - 1
  double alignment_violation() const;  // sum | e/|e| - d3 |
  const std::vector<Vec3>& places() const { return p_; }

 private:
  struct Blocks;
  double energy() const;  // of the penalty
  double assemble();      // gradient and matrix; returns the norm of the gradient
  double assemble_penalty();
  double assemble_multipliers();
  bool direction();
  void move(double fraction);
  Vec3 edge(int i) const { return p_[z(i + 1)] - p_[z(i)]; }
  Vec3 director(int i, int k) const;
  const compact::Joint& joint_before(int i) const { return i == 0 ? chain_.walls[0] : chain_.joints[z(i)]; }
  const Quat& frame_before(int i) const { return i == 0 ? wall_ : q_[z(i - 1)]; }

  const Model& model_;
  compact::Chain chain_;
  HeldBy held_by_;
  double weight_, c_ = 0;
  Vec3 gravity_;
  Quat wall_;
  std::vector<Vec3> p_, base_p_, hat_p_, v_;
  std::vector<Quat> q_, base_q_;
  std::vector<Vec3> d_[2], hat_d_[2], vd_[2];  // directors 1 and 2
  std::vector<Vec3> lambda_, base_lambda_;     // on e - l d3
  std::shared_ptr<Blocks> blocks_;
};

}  // namespace tendril
