// What a user chooses of the paper's formulation.  [Sobottka 2008]
#pragma once

#include <vector>

#include "methods/galpha/scheme.h"
#include "tendril/method.h"

namespace tendril::galpha::paper {

// The triple of scheme.h, for systems of first order as the paper has them:
//   M [(1 - alpha) x_t^i + alpha x_t^(i-1)] + (1 - beta) G^i + beta G^(i-1) = 0,   x^i = x^(i-1) + dt [(1 - gamma) x_t^(i-1) + gamma x_t^i]
using galpha::Triple;
inline constexpr Triple implicit_euler{0, 0, 1};
inline constexpr Triple printed_triple{0.3, 0, 0.7};  // implicit Euler, too [ERRATA B5]

// How a segment takes values and derivatives from its two nodes.
enum class Space {
  products_of_means,  // box scheme: products such as kappa x n of the means of both nodes  [ERRATA B8]
  means_of_products,  // box scheme as printed: means of the nodes' products; gains energy  [Sobottka 2008, eq. (18)]
  recurrence,         // derivatives by the printed recurrence, frozen in the tangent, with the triple of time for space, too
};                    // [Sobottka 2008, eqs. (19), (20), Algorithm 1; ERRATA B7, B9]

struct Settings {
  Space space = Space::products_of_means;
  Triple triple = Triple::of_radius(0.3);
  double feedback = 1;       // fraction of a held far end's error that a step takes back; 0: none  [ERRATA B11]
  double relaxation = 1;     // of Newton's steps; the paper's mu, always below 1 there
  double tolerance = 1e-10;  // of the residual, over the size of its terms
  int iterations = 60;       // at most, in a step
  int first_failure = 0;     // number of the first of `failures` among the failures of the method's entry
};

// Failures of its own: hands, and equilibria of rods held at both ends.
std::vector<FailureInfo> failures();
inline constexpr int failure_of_hands = 0, failure_of_held_equilibrium = 1;

}  // namespace tendril::galpha::paper
