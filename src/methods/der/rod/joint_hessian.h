// Energy of one joint with its gradient and Hessian in small turns of its two frames and in their angles, for the
// equilibrium solver.
//
// z = (xi_a, theta_a, xi_b, theta_b): xi turns an edge's tangent AND its directors (xi perpendicular to the tangent is
// parallel transport in time), theta then turns the directors about the tangent. To second order, for a vector y fixed to
// frame a and z fixed to frame b,
//   D = y.z:  dD/dxi_a = y x z = -dD/dxi_b;   d2D/dxi_a2 = d2D/dxi_b2 = sym(y z^T) - D 1;   d2D/dxi_a dxi_b = D 1 - z y^T
// and everything in a joint is made of such products:
//   1/w = 1 + D(a, b),  omega^a_k = 2 w D(m_k^a, b),  omega^b_k = -2 w D(a, m_k^b)
// The twist obeys dm = (Omega_b - Omega_a).tau exactly, tau = (a + b) w, which gives its second derivative along straight
// paths:
//   d2m: xi_a.(tau x xi_b) + (eta.tau)(eta.kb)/2,  eta = xi_a - xi_b           [ERRATA S16 states dm]
#pragma once

#include "methods/der/rod/kernels.h"
#include "tendril/types.h"

namespace tendril::der {

using Vec8 = Eigen::Matrix<double, 8, 1>;
using Mat8 = Eigen::Matrix<double, 8, 8>;

struct JointEnergy {
  double energy = 0;
  Vec8 gradient = Vec8::Zero();
  Mat8 hessian = Mat8::Zero();
};

struct JointShape {         // the two frames and what is between them
  Vec3 a, b;                // tangents
  Vec3 m1a, m2a, m1b, m2b;  // material directors
  double twist = 0;         // unwrapped
};
struct JointStiffness {
  double inverse_l = 0;
  Mat2 Ba = Mat2::Zero(), Bb = Mat2::Zero();
  Vec2 rest_a = Vec2::Zero(), rest_b = Vec2::Zero();
  double twist = 0;  // 2 beta / l
  double rest_twist = 0;
};

JointEnergy joint_energy_with_derivatives(const JointShape& shape, const JointStiffness& stiffness, bool with_hessian);

// From turns to edge vectors: xi = a x de/|e| - (a.de)(a x de)/|e|^2 + ...  An inverse length of 0 stands for a wall.
// Turns the derivatives in place: z = (e_a, theta_a, e_b, theta_b) afterwards.
void turns_to_edges(const JointShape& shape, double inverse_length_a, double inverse_length_b, bool with_hessian,
                    JointEnergy& joint);

}  // namespace tendril::der
