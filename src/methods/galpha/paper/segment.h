// The equations of motion (14a)-(14d) in local axes at one point of a rod, and their exact tangents.  [Sobottka 2008]
//
//   M x_t - K x_s + Lambda(x) = 0,  x = (u, w, k, n): velocity, spin, curvature, force
//   (14a)  rhoA u_t - n_s - k x n + rhoA (w x u + c u) - f = 0
//   (14b)  rhoI w_t - m_s - k x m - d3 x n + w x rhoI w + c rhoI w - l = 0     m = K (k - k_rest)
//   (14c)  k_t - w_s + w x k = 0
//   (14d)  - u_s - k x u + w x d3 = 0
// c: damping of the masses [1/s], which the paper has not. Rows stand in this order, three each.  [ERRATA B1, B3]
#pragma once

#include <Eigen/Core>

#include "tendril/types.h"

namespace tendril::galpha::paper {

using Rows = Eigen::Matrix<double, 12, 1>;
// Unknowns of a node: u, w, k, n, and the turn of its frame about its own axes.  [ERRATA B13]
inline constexpr int unknowns = 15, of_u = 0, of_w = 3, of_k = 6, of_n = 9, of_turn = 12;
using Tangent = Eigen::Matrix<double, 12, unknowns>;

struct Fields {           // of a node, in its own axes
  Vec3 u = Vec3::Zero();  // velocity [m/s]
  Vec3 w = Vec3::Zero();  // spin [rad/s]
  Vec3 k = Vec3::Zero();  // curvature and twist [rad/m]
  Vec3 n = Vec3::Zero();  // force, action of s+ on s- [N]
};
struct Rates {  // derivatives in time; that of the force does not enter
  Vec3 u = Vec3::Zero(), w = Vec3::Zero(), k = Vec3::Zero();
};
struct Slopes {  // derivatives along the rod
  Vec3 u = Vec3::Zero(), w = Vec3::Zero(), m = Vec3::Zero(), n = Vec3::Zero();
};

struct Segment {
  double length = 0;            // of the arc [m]
  double mass = 0;              // [kg/m]
  Vec3 inertia = Vec3::Zero();  // rho I about d1, d2, d3 [kg m]
  double damping = 0;           // c [1/s]
};
// Where Lambda is taken: at a node, or at the means of two.
struct Point {
  Vec3 u, w, k, n;
  Vec3 m;     // moment
  Vec3 f, l;  // force and moment per length in local axes; the parts that are given in world axes turn with the frame:
  Vec3 world_f, world_l;
};

Rows lambda(const Segment& segment, const Point& at);
// Its derivative in the unknowns; `stiffness`: dm/dk, a diagonal matrix.
void lambda_tangent(const Segment& segment, const Point& at, const Vec3& stiffness, Tangent& out);

}  // namespace tendril::galpha::paper
