// Symmetric and general systems of an open chain in minimal coordinates, exactly and in O(n).
//
// Links i = 0 .. n-1 hang on each other. The unknowns are the place x_0 of the root and one small turn t_i per link (world
// axes); the far end of a link lies at
//   x_(i+1) = x_i + B_i t_i,     B_i = -[a_i]x,  a_i the link's arm
// so that every place depends on all turns before it and the matrix is full. What is given is short: blocks on
//   (x_(i+1), t_i)     node, cross, cross_back, turn        near_cross, near_cross_back: on (x_i, t_i)
//   (t_(i-1), t_i)     joint H on the difference t_i - t_(i-1), and [h]x, h = `half`, between them: the block (t_i, t_(i-1)) is
//                      -(H + [h]x), its transpose the other
// Eliminated from the tip to the root, everything beyond x_(i+1) is a form in (x_(i+1), t_i) with blocks P, S, U:
//   P += node;  S' = S + P B;  U' = U + turn + B^T P B + B^T S + S^T B;  T = U' + H;
//   P -= S' T^-1 S'^T;  S = S' T^-1 (H + [h]);  U = (U' + [h]) T^-1 (H + [h]) - [h]
// The last line is a parallel sum. The same written as H - (H - [h]) T^-1 (H + [h]) loses two to four digits where joints are stiff.
// [ERRATA Z20]
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

#include "linear/pivots.h"

namespace tendril {

template <class Real>
struct ChainLink {
  using M = Eigen::Matrix<Real, 3, 3>;
  using V = Eigen::Matrix<Real, 3, 1>;
  M node, turn, joint;  // joint of link 0: not used, what holds its turn belongs into `turn`
  V arm, half;
};
// Blocks that most chains do not have.
template <class Real>
struct ChainCross {
  using M = Eigen::Matrix<Real, 3, 3>;
  M cross, near_cross;            // rows: place of the far, near end; columns: turn
  M cross_back, near_cross_back;  // rows: turn; columns: place. Read by the general solver only
};

template <bool symmetric, class Real = double>
class ChainFactor {
 public:
  using M = Eigen::Matrix<Real, 3, 3>;
  using V = Eigen::Matrix<Real, 3, 1>;

  void resize(int links, bool with_crosses = false) {
    links_.resize(std::size_t(links));
    factors_.resize(std::size_t(links));
    crosses_.resize(with_crosses ? std::size_t(links) : 0);
    set_zero();
  }
  void set_zero() {
    for (ChainLink<Real>& link : links_) {
      link.node.setZero(), link.turn.setZero(), link.joint.setZero();
      link.arm.setZero(), link.half.setZero();
    }
    for (ChainCross<Real>& c : crosses_)
      c.cross.setZero(), c.near_cross.setZero(), c.cross_back.setZero(), c.near_cross_back.setZero();
    root_.setZero();
  }
  int links() const { return static_cast<int>(links_.size()); }
  int size() const { return 3 + 3 * links(); }  // root first
  bool has_crosses() const { return !crosses_.empty(); }
  ChainLink<Real>& link(int i) { return links_[std::size_t(i)]; }
  const ChainLink<Real>& link(int i) const { return links_[std::size_t(i)]; }
  ChainCross<Real>& cross(int i) { return crosses_[std::size_t(i)]; }
  M& root() { return root_; }  // block on the place of the root
  const M& root() const { return root_; }
  void hold_root(bool held) { root_held_ = held; }  // its unknown is then zero, whatever the right-hand side says
  bool root_held() const { return root_held_; }

  // Scale of a pivot: largest entry of its row in T. Symmetric: `negative` is the inertia. `shift` is added to every `turn`, and
  // `node_shift` to every node's block.
  PivotReport factor(double accepted = 0, Real shift = 0, Real node_shift = 0) {
    PivotReport report;
    const double bound = accepted_pivot(accepted, 12);
    Form f;
    for (int i = links() - 1; i >= 0; --i) take_link(i, f, shift, node_shift, bound, report);
    if (root_held_) return report;
    f.p += root_;
    f.p.diagonal().array() += node_shift;
    root_inverse_ = inverse(f.p, bound, 0, report);
    return report;
  }

  // In place; `columns` right-hand sides side by side.
  void solve(std::span<Real> x, int columns = 1) const {
    if (columns == 1) return solve_columns<1>(x.data(), 1);
    if (columns == 3) return solve_columns<3>(x.data(), 3);
    if (columns == 6) return solve_columns<6>(x.data(), 6);
    solve_columns<Eigen::Dynamic>(x.data(), columns);
  }

  // y = A x of the blocks that were written. O(n): places by sums, forces by sums from the tip.
  void multiply(std::span<const Real> x, std::span<Real> y) const {
    const int n = links();
    V place = root_held_ ? V(V::Zero()) : V(x[0], x[1], x[2]), before = V::Zero();
    const V at_root = root_ * place;
    for (int i = 0; i < n; ++i) {  // each link's own part, places of far ends kept in y
      const V t = at(x, i);
      place += t.cross(links_[std::size_t(i)].arm);
      put(y, i, place);
    }
    V force = V::Zero(), next = V::Zero();  // force: on all nodes beyond; next: of the joint beyond
    for (int i = n - 1; i >= 0; --i) {
      const ChainLink<Real>& s = links_[std::size_t(i)];
      const V t = at(x, i), far = at(y, i), near = far - t.cross(s.arm);
      V turn = s.turn * t + next;
      force += s.node * far;
      V near_force = V::Zero();
      if (!crosses_.empty()) {
        const ChainCross<Real>& c = crosses_[std::size_t(i)];
        force += c.cross * t, near_force = c.near_cross * t;
        turn += symmetric ? V(c.cross.transpose() * far + c.near_cross.transpose() * near)
                          : V(c.cross_back * far + c.near_cross_back * near);
      }
      if (i > 0) {
        before = at(x, i - 1);
        const V away = s.joint * (t - before);
        turn += away - s.half.cross(before);
        next = s.half.cross(t) - away;
      }
      put(y, i, turn + s.arm.cross(force));
      force += near_force;
    }
    const V whole = root_held_ ? V(x[0], x[1], x[2]) : V(force + at_root);
    for (int k = 0; k < 3; ++k) y[std::size_t(k)] = whole[k];
  }

 private:
  struct Form {  // of everything beyond a far end, in its place and the link's turn
    M p = M::Zero(), s = M::Zero(), z = M::Zero(), u = M::Zero();
  };
  struct Factor {
    M inverse;                // T^-1
    M from_place, from_turn;  // T^-1 S'^T (general: T^-1 Z'), T^-1 (H + [h])
    M to_place, to_turn;      // general only: S' T^-1, (H - [h]) T^-1
    V arm;
  };
  static V at(std::span<const Real> x, int i) {
    const Real* p = x.data() + 3 + 3 * i;
    return V(p[0], p[1], p[2]);
  }
  static void put(std::span<Real> x, int i, const V& v) {
    for (int k = 0; k < 3; ++k) x[std::size_t(3 + 3 * i + k)] = v[k];
  }
  static M rows_crossed(const V& a, const M& p) {  // P B: row by row a x p
    M r;
    for (int i = 0; i < 3; ++i) {
      r(i, 0) = a[1] * p(i, 2) - a[2] * p(i, 1);
      r(i, 1) = a[2] * p(i, 0) - a[0] * p(i, 2);
      r(i, 2) = a[0] * p(i, 1) - a[1] * p(i, 0);
    }
    return r;
  }
  static M columns_crossed(const V& a, const M& p) {  // B^T P: column by column a x p
    M r;
    for (int j = 0; j < 3; ++j) {
      r(0, j) = a[1] * p(2, j) - a[2] * p(1, j);
      r(1, j) = a[2] * p(0, j) - a[0] * p(2, j);
      r(2, j) = a[0] * p(1, j) - a[1] * p(0, j);
    }
    return r;
  }
  static void add_skew(const V& h, Real sign, M& m) {
    m(0, 1) -= sign * h[2], m(0, 2) += sign * h[1], m(1, 2) -= sign * h[0];
    m(1, 0) += sign * h[2], m(2, 0) -= sign * h[1], m(2, 1) += sign * h[0];
  }
  static void symmetrise(M& m) {
    m(0, 1) = m(1, 0) = Real(0.5) * (m(0, 1) + m(1, 0));
    m(0, 2) = m(2, 0) = Real(0.5) * (m(0, 2) + m(2, 0));
    m(1, 2) = m(2, 1) = Real(0.5) * (m(1, 2) + m(2, 1));
  }

  static Real pivot_of(Real pivot, Real scale, double bound, int row, PivotReport& report) {
    if (!report.take(double(pivot), double(scale), bound, row)) return pivot;
    const Real least = Real(bound) * (scale > 0 ? scale : Real(1));
    return pivot < 0 ? -least : least;
  }
  static M inverse(const M& t, double bound, int row, PivotReport& report) {
    if constexpr (symmetric) return symmetric_inverse(t, bound, row, report);
    return general_inverse(t, bound, row, report);
  }
  // L D L^T, then L^-T D^-1 L^-1. Three products more than two triangular solves, but no chain of divisions later.
  static M symmetric_inverse(const M& t, double bound, int row, PivotReport& report) {
    const Real s0 = std::max({std::abs(t(0, 0)), std::abs(t(1, 0)), std::abs(t(2, 0))});
    const Real s1 = std::max({std::abs(t(1, 0)), std::abs(t(1, 1)), std::abs(t(2, 1))});
    const Real s2 = std::max({std::abs(t(2, 0)), std::abs(t(2, 1)), std::abs(t(2, 2))});
    const Real i0 = 1 / pivot_of(t(0, 0), s0, bound, row, report);
    const Real l10 = t(1, 0) * i0, l20 = t(2, 0) * i0, t21 = t(2, 1) - l20 * t(1, 0);
    const Real i1 = 1 / pivot_of(t(1, 1) - l10 * t(1, 0), s1, bound, row + 1, report);
    const Real l21 = t21 * i1;
    const Real i2 = 1 / pivot_of(t(2, 2) - l20 * t(2, 0) - l21 * t21, s2, bound, row + 2, report);
    const Real m20 = l10 * l21 - l20, w1 = l21 * i2, w0 = m20 * i2;
    M r;
    r(2, 2) = i2, r(2, 1) = r(1, 2) = -w1, r(2, 0) = r(0, 2) = w0;
    r(1, 1) = i1 + l21 * w1, r(1, 0) = r(0, 1) = -l10 * i1 - l21 * w0;
    r(0, 0) = i0 + l10 * l10 * i1 + m20 * w0;
    return r;
  }
  // By cofactors; the pivot told is the determinant over the product of the row scales.
  static M general_inverse(const M& t, double bound, int row, PivotReport& report) {
    const V c0 = t.col(1).cross(t.col(2)), c1 = t.col(2).cross(t.col(0)), c2 = t.col(0).cross(t.col(1));
    const Real largest = t.cwiseAbs().maxCoeff();
    Real det = t.col(0).dot(c0);
    if (report.take(std::abs(double(det)), double(largest * largest * largest), bound, row)) {
      const Real least = Real(bound) * (largest > 0 ? largest * largest * largest : Real(1));
      det = det < 0 ? -least : least;
    }
    M r;
    r.row(0) = c0.transpose() / det, r.row(1) = c1.transpose() / det, r.row(2) = c2.transpose() / det;
    return r;
  }

  void take_link(int i, Form& f, Real shift, Real node_shift, double bound, PivotReport& report) {
    const ChainLink<Real>& s = links_[std::size_t(i)];
    Factor& out = factors_[std::size_t(i)];
    out.arm = s.arm;
    f.p += s.node;
    if (node_shift != 0) f.p.diagonal().array() += node_shift;
    const bool crossed = !crosses_.empty();
    if (crossed) {
      f.s += crosses_[std::size_t(i)].cross;
      if constexpr (!symmetric) f.z += crosses_[std::size_t(i)].cross_back;
    }
    // The far end's place is the near end's plus B t.
    M place_turn = f.s + rows_crossed(s.arm, f.p), turn_place;
    M u = f.u + s.turn + columns_crossed(s.arm, place_turn);
    if (shift != 0) u.diagonal().array() += shift;
    if constexpr (symmetric) {
      u += columns_crossed(s.arm, f.s).transpose();
      symmetrise(u);
      if (crossed) place_turn += crosses_[std::size_t(i)].near_cross;
    } else {
      u += rows_crossed(s.arm, f.z);
      turn_place = f.z + columns_crossed(s.arm, f.p);
      if (crossed) {
        place_turn += crosses_[std::size_t(i)].near_cross;
        turn_place += crosses_[std::size_t(i)].near_cross_back;
      }
    }
    const bool last = i == 0;
    const M t = last ? u : M(u + s.joint);
    out.inverse = inverse(t, bound, 3 + 3 * i, report);
    if constexpr (symmetric) {
      out.from_place.noalias() = out.inverse * place_turn.transpose();
    } else {
      out.from_place.noalias() = out.inverse * turn_place;
      out.to_place.noalias() = place_turn * out.inverse;
    }
    f.p.noalias() -= place_turn * out.from_place;
    if constexpr (symmetric) symmetrise(f.p);
    if (last) return out.from_turn.setZero(), out.to_turn.setZero(), void();
    // The joint: first the turn before enters, then the parallel sum.
    M across = s.joint;
    add_skew(s.half, Real(1), across);
    out.from_turn.noalias() = out.inverse * across;
    if constexpr (!symmetric) {
      out.to_turn.noalias() = across.transpose() * out.inverse;
      f.z.noalias() = across.transpose() * out.from_place;
    }
    f.s.noalias() = place_turn * out.from_turn;
    add_skew(s.half, Real(1), u);
    f.u.noalias() = u * out.from_turn;
    add_skew(s.half, Real(-1), f.u);
    if constexpr (symmetric) symmetrise(f.u);
  }

  template <int Columns>
  void solve_columns(Real* x, int columns) const {
    using Rows = Eigen::Matrix<Real, 3, Columns, Columns == 1 ? Eigen::ColMajor : Eigen::RowMajor, 3,
                               Columns == Eigen::Dynamic ? max_columns : Columns>;
    for (int first = 0; first < columns; first += max_columns) {
      const int count = std::min(columns - first, max_columns);
      solve_part<Rows>(x + first, count, columns);
    }
  }
  static constexpr int max_columns = 16;  // at a time: their temporaries stay on the stack

  template <class Rows>
  void solve_part(Real* x, int count, int stride) const {
    const auto get = [&](int block, Rows& v) {
      for (int k = 0; k < 3; ++k)
        for (int c = 0; c < count; ++c) v(k, c) = x[(3 * block + k) * stride + c];
    };
    const auto set = [&](int block, const Rows& v) {
      for (int k = 0; k < 3; ++k)
        for (int c = 0; c < count; ++c) x[(3 * block + k) * stride + c] = v(k, c);
    };
    const auto crossed = [&](const V& a, const Rows& v, Rows& r) {  // r += a x v
      r.row(0) += a[1] * v.row(2) - a[2] * v.row(1);
      r.row(1) += a[2] * v.row(0) - a[0] * v.row(2);
      r.row(2) += a[0] * v.row(1) - a[1] * v.row(0);
    };
    Rows place(3, count), turn(3, count), q(3, count), r(3, count);
    place.setZero(), turn.setZero();
    for (int i = links() - 1; i >= 0; --i) {
      const Factor& f = factors_[std::size_t(i)];
      get(i + 1, q);
      q += turn;
      crossed(f.arm, place, q);
      if constexpr (symmetric) {
        place.noalias() -= f.from_place.transpose() * q;
        turn.noalias() = f.from_turn.transpose() * q;
      } else {
        place.noalias() -= f.to_place * q;
        turn.noalias() = f.to_turn * q;
      }
      r.noalias() = f.inverse * q;
      set(i + 1, r);
    }
    get(0, q);
    if (root_held_) {
      place.setZero();
    } else {
      q += place;
      place.noalias() = root_inverse_ * q;
    }
    set(0, place);
    turn.setZero();
    for (int i = 0; i < links(); ++i) {
      const Factor& f = factors_[std::size_t(i)];
      get(i + 1, q);
      q.noalias() -= f.from_place * place;
      if (i > 0) q.noalias() += f.from_turn * turn;
      turn = q;
      set(i + 1, q);
      r = place;
      crossed(V(-f.arm), turn, r);  // B t = t x a
      place = r;
    }
  }

  std::vector<ChainLink<Real>> links_;
  std::vector<ChainCross<Real>> crosses_;
  std::vector<Factor> factors_;
  M root_ = M::Zero(), root_inverse_ = M::Zero();
  bool root_held_ = false;
};

using ChainLDLT = ChainFactor<true>;  // symmetric; its pivots are the inertia
using ChainLU = ChainFactor<false>;

}  // namespace tendril
