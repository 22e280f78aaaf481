#include "linear/pose_chain.h"

#include <algorithm>
#include <cmath>

namespace tendril {
namespace {
constexpr int per_node = 9, band = 11;  // of the band: r, q, n of each node
constexpr double tiny = 1e-13;          // a pivot block whose volume is this part of its rows' is singular
std::size_t u(int i) { return std::size_t(i); }

// Inverse of a 3x3 block by cofactors; the volume of its rows over the product of their lengths tells how good a pivot it is.
Mat3 inverse(const Mat3& m, double& smallest) {
  const Vec3 a = m.row(0), b = m.row(1), c = m.row(2);
  const Vec3 bc = b.cross(c), ca = c.cross(a), ab = a.cross(b);
  const double volume = a.dot(bc), size = std::sqrt(a.squaredNorm() * b.squaredNorm() * c.squaredNorm());
  const double pivot = std::abs(volume) / size;
  if (!(pivot >= smallest)) smallest = std::isfinite(pivot) ? pivot : 0;
  Mat3 result;
  const double over = 1 / volume;
  result.col(0) = over * bc, result.col(1) = over * ca, result.col(2) = over * ab;
  return result;
}
}  // namespace

void PoseChain::resize(int nodes, int most_held, int most_pairs) {
  const Node none{Mat3::Zero(), Mat3::Zero(), Mat3::Zero(), Mat3::Zero(), -1};
  nodes_.assign(u(nodes), none);
  links_.assign(u(nodes - 1), Link{});
  kept_.resize(u(nodes));
  e_.assign(u(nodes), Vec3::Zero()), k_ = a_ = e_;
  held_.clear(), held_.reserve(u(most_held));
  pairs_.clear(), pairs_.reserve(u(most_pairs));
  band_.resize(per_node * nodes - 3, band, band);
  band_x_.assign(u(per_node * nodes - 3), 0.0);
}

PoseChain::HeldRows& PoseChain::hold(int node) {
  Node& at = nodes_[u(node)];
  if (at.held < 0) at.held = int(held_.size()), held_.emplace_back();
  return held_[u(at.held)];
}

const PoseChain::HeldRows* PoseChain::held_at(int node) const {
  const int held = nodes_[u(node)].held;
  return held < 0 ? nullptr : &held_[u(held)];
}

// Link j in the order of elimination. Run backwards, ends change places, and forces and the link row change sign.
PoseChain::Link PoseChain::mirrored(int j) const {
  if (!reversed_) return links_[u(j)];
  const Link& l = links_[u(nodes() - 2 - j)];
  return {l.bb, l.ba, l.ab, l.aa, -l.tb, -l.ta, -l.pb, -l.pa, l.give};
}

bool PoseChain::factor() {
  recursion_ = pairs_.empty() && factor_recursion();
  return recursion_ || factor_band();
}

void PoseChain::solve(Column& x) const { recursion_ ? solve_recursion(x) : solve_band(x); }

// long: one elimination, whose steps share all their blocks
bool PoseChain::factor_recursion() {
  smallest_ = 1;
  const int last = nodes() - 1;
  Mat3 stiff = Mat3::Zero(), Y = Mat3::Zero();  // of q_j and n_(j-1) in the moment row of j, from what stands before
  Link link = mirrored(0);
  for (int j = 0; j <= last; ++j) {
    const Node& node = nodes_[u(at(j))];
    const HeldRows* held = held_at(at(j));
    Kept& k = kept_[u(j)];
    Mat3 Er, Xr;  // r_j = e' + Er n_j + Xr q_j
    if (j == 0) {
      // No force before it: the force row, or what is held, gives the place.
      Mat3 W = node.rr, free_rows = Mat3::Identity(), with_turn = -node.rt;
      if (held && held->any_place()) {
        for (int i = 0; i < 3; ++i) {
          const Vec3 u = held->place.row(i);
          W.row(i) = held->place_held[i] ? Vec3(u) : Vec3(node.rr.transpose() * u);
          free_rows.row(i) = held->place_held[i] ? Vec3(Vec3::Zero()) : u;
          with_turn.row(i) = held->place_held[i] ? Vec3(Vec3::Zero()) : Vec3(-node.rt.transpose() * u);
        }
      }
      k.Zinv = inverse(W, smallest_);
      Er.noalias() = k.Zinv * free_rows, Xr.noalias() = k.Zinv * with_turn;
      k.E.setZero(), k.X = Xr;
      k.A.setZero(), k.B.setZero(), k.Y.setZero();
    } else {
      Mat3 Z, with_turn;
      Z.noalias() = node.rr * k.E;
      Z.diagonal().array() += 1;
      with_turn.noalias() = -(node.rr * k.X);
      with_turn -= node.rt;
      Mat3 with_force = Mat3::Identity();
      if (held && held->any_place()) {
        const Mat3 Z_free = Z, turn_free = with_turn;
        for (int i = 0; i < 3; ++i) {
          const Vec3 u = held->place.row(i);
          Z.row(i) = (held->place_held[i] ? k.E : Z_free).transpose() * u;
          with_turn.row(i) = held->place_held[i] ? Vec3(-(k.X.transpose() * u)) : Vec3(turn_free.transpose() * u);
          with_force.row(i) = held->place_held[i] ? Vec3(Vec3::Zero()) : u;
        }
        k.Zinv = inverse(Z, smallest_);
        k.A.noalias() = k.Zinv * with_force;
      } else {
        k.Zinv = inverse(Z, smallest_);
        k.A = k.Zinv;
      }
      k.B.noalias() = k.Zinv * with_turn;
      Er.noalias() = k.E * k.A;
      Xr = k.X;
      Xr.noalias() += k.E * k.B;
      k.Y = Y;
    }
    // The moment row, with n_(j-1) and r_j put in.
    Mat3 T = stiff + node.tt, N = Mat3::Zero(), R = Mat3::Zero();
    if (j > 0) T.noalias() += Y * k.B, N.noalias() = Y * k.A;
    T.noalias() += node.tr * Xr, N.noalias() += node.tr * Er;
    if (j < last) T += link.aa, N += link.ta, R = link.ab;
    if (held && held->any_turn()) {
      const Mat3 T_free = T, N_free = N, R_free = R;
      for (int i = 0; i < 3; ++i) {
        const Vec3 u = held->turn.row(i);
        const bool fixed = held->turn_held[i];
        T.row(i) = fixed ? Vec3(u) : Vec3(T_free.transpose() * u);
        N.row(i) = fixed ? Vec3(Vec3::Zero()) : Vec3(N_free.transpose() * u);
        R.row(i) = fixed ? Vec3(Vec3::Zero()) : Vec3(R_free.transpose() * u);
      }
    }
    k.Tinv = inverse(T, smallest_);
    if (!(smallest_ > tiny)) return false;
    if (j == last) break;
    k.Kn.noalias() = k.Tinv * N, k.Kt.noalias() = k.Tinv * R;
    // On to the next node, through the link.
    k.XP = Xr - link.pa;
    Kept& next = kept_[u(j + 1)];
    next.E = Er + link.give;
    next.E.noalias() -= k.XP * k.Kn;
    next.X = -link.pb;
    next.X.noalias() -= k.XP * k.Kt;
    stiff = link.bb;
    stiff.noalias() -= link.ba * k.Kt;
    Y = link.tb;
    Y.noalias() -= link.ba * k.Kn;
    if (j + 1 < last) link = mirrored(j + 1);
  }
  return true;
}

// long: the same elimination for the right-hand side, and back
void PoseChain::solve_recursion(Column& x) const {
  const int last = nodes() - 1;
  const double sign = reversed_ ? -1 : 1;
  Vec3 e = Vec3::Zero(), before = Vec3::Zero();  // of r_j, and of the moment row, from what stands before
  for (int j = 0; j <= last; ++j) {
    const int here = at(j);
    const Node& node = nodes_[u(here)];
    const HeldRows* held = held_at(here);
    const Kept& k = kept_[u(j)];
    const Vec3 &f = x.r[u(here)], &t = x.q[u(here)];
    Vec3 place, a = Vec3::Zero();
    if (j == 0) {
      e = place = k.Zinv * f;
    } else {
      const Vec3 pushed = node.rr * e;
      Vec3 rows = f - pushed;
      if (held && held->any_place())
        for (int i = 0; i < 3; ++i) {
          const Vec3 u = held->place.row(i);
          rows[i] = f[i] - u.dot(held->place_held[i] ? e : pushed);
        }
      a.noalias() = k.Zinv * rows;
      place = e + k.E * a;
    }
    const Vec3 known = before + k.Y * a + node.tr * place;
    Vec3 rows = t - known;
    if (held && held->any_turn())
      for (int i = 0; i < 3; ++i) rows[i] = held->turn_held[i] ? t[i] : t[i] - Vec3(held->turn.row(i)).dot(known);
    e_[u(j)] = e, a_[u(j)] = a;
    k_[u(j)].noalias() = k.Tinv * rows;
    if (j == last) break;
    const int l = reversed_ ? nodes() - 2 - j : j;
    e = place + sign * x.n[u(l)] + k.XP * k_[u(j)];
    before.noalias() = (reversed_ ? links_[u(l)].ab : links_[u(l)].ba) * k_[u(j)];
  }
  Vec3 n = Vec3::Zero(), next = Vec3::Zero();  // force behind node j, turn of node j + 1
  for (int j = last; j >= 0; --j) {
    const Kept& k = kept_[u(j)];
    Vec3 q = k_[u(j)];
    if (j < last) q -= k.Kn * n + k.Kt * next;
    const int here = at(j);
    if (j == 0) {
      Vec3 rows = n - nodes_[u(here)].rt * q;
      if (const HeldRows* held = held_at(here); held && held->any_place()) {
        const Vec3 all = rows;
        for (int i = 0; i < 3; ++i) rows[i] = held->place_held[i] ? 0.0 : Vec3(held->place.row(i)).dot(all);
      }
      x.r[u(here)] = e_[0] + k.Zinv * rows;
      x.q[u(here)] = q;
      break;
    }
    const Vec3 n_before = a_[u(j)] + k.A * n + k.B * q;
    x.r[u(here)] = e_[u(j)] + k.E * n_before + k.X * q;
    x.q[u(here)] = q;
    next = q, n = n_before;
    x.n[u(reversed_ ? nodes() - 1 - j : j - 1)] = sign * n;
  }
}

bool PoseChain::factor_band() {
  recursion_ = false;
  band_.set_zero();
  const int last = nodes() - 1;
  const auto put = [&](int row, int column, const Mat3& block) {
    for (int i = 0; i < 3; ++i)
      for (int c = 0; c < 3; ++c) band_.at(row + i, column + c) += block(i, c);
  };
  // A row of blocks of node j, its held rows taken as such.
  const auto put_rows = [&](int j, bool turn, int column, const Mat3& block) {
    const HeldRows* held = held_at(j);
    const int row = per_node * j + (turn ? 3 : 0);
    if (!held) return put(row, column, block);
    const Mat3& rows = turn ? held->turn : held->place;
    Mat3 taken = rows * block;
    for (int i = 0; i < 3; ++i)
      if (turn ? held->turn_held[i] : held->place_held[i]) {
        taken.row(i).setZero();
        if (column == row) taken.row(i) = rows.row(i);
      }
    for (int i = 0; i < 3; ++i)
      for (int c = 0; c < 3; ++c) {
        const bool fixed = turn ? held->turn_held[i] : held->place_held[i];
        if (fixed)
          band_.at(row + i, column + c) = taken(i, c);  // once, however many blocks stand there
        else
          band_.at(row + i, column + c) += taken(i, c);
      }
  };
  const Mat3 one = Mat3::Identity();
  for (int j = 0; j <= last; ++j) {
    const Node& node = nodes_[u(j)];
    const int r = per_node * j, q = r + 3, n = r + 6;
    put_rows(j, false, r, node.rr), put_rows(j, false, q, node.rt);
    put_rows(j, true, r, node.tr), put_rows(j, true, q, node.tt);
    if (j > 0) {
      const Link& before = links_[u(j - 1)];
      put_rows(j, false, r - 3, one);
      put_rows(j, true, r - 6, before.ba), put_rows(j, true, q, before.bb), put_rows(j, true, r - 3, before.tb);
    }
    if (j == last) break;
    const Link& link = links_[u(j)];
    put_rows(j, false, n, -one);
    put_rows(j, true, q, link.aa), put_rows(j, true, q + per_node, link.ab), put_rows(j, true, n, link.ta);
    put(n, r, -one), put(n, r + per_node, one);
    put(n, q, link.pa), put(n, q + per_node, link.pb), put(n, n, -link.give);
  }
  for (const Pair& pair : pairs_) {
    put_rows(pair.node, false, per_node * (pair.node + 1), pair.near_far);
    put_rows(pair.node + 1, false, per_node * pair.node, pair.far_near);
  }
  return band_.factor(1e-300).good();
}

void PoseChain::solve_band(Column& x) const {
  const int last = nodes() - 1;
  for (int j = 0; j <= last; ++j)
    for (int i = 0; i < 3; ++i) {
      double* at = band_x_.data() + per_node * j + i;
      at[0] = x.r[u(j)][i], at[3] = x.q[u(j)][i];
      if (j < last) at[6] = x.n[u(j)][i];
    }
  band_.solve(band_x_);
  for (int j = 0; j <= last; ++j)
    for (int i = 0; i < 3; ++i) {
      const double* at = band_x_.data() + per_node * j + i;
      x.r[u(j)][i] = at[0], x.q[u(j)][i] = at[3];
      if (j < last) x.n[u(j)][i] = at[6];
    }
}

}  // namespace tendril
