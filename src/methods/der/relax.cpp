#include "methods/der/relax.h"

#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "math/transport.h"
#include "methods/der/frames.h"

namespace tendril::der {

namespace {
// A step that had to be cut followed a valley that bends; with this shift the next ones stay on its floor and creep along it instead
// of running up its walls.
constexpr double shift_in_bends = 1e-6;
constexpr double trusted_shift = 1e-5;  // steps with a larger one say nothing about the multipliers
constexpr int half_band = 10;  // x, theta, x, theta, x of one joint: 11 unknowns in a row
std::size_t z(int i) { return static_cast<std::size_t>(i); }
}  // namespace

Relaxer::Relaxer(const Model& model, const Chain& c) : model_(model) {
  const int n = static_cast<int>(c.kind.size());
  for (Array3* a : {&base_x_, &base_t_, &base_m1_}) a->assign(n, {0, 0, 0});
  for (Array* a : {&base_twist_, &turned_, &twist_, &multiplier_, &stiffness_}) a->assign(z(n), 0);
  for (const ChainRod& rod : c.rods) {
    RodNumbers numbers;
    numbers.ring = rod.ring;
    numbers.x.assign(z(rod.slots + 1), -1);
    numbers.theta.assign(z(rod.slots), -1);
    int next = 0;
    for (int i = 0; i <= rod.slots; ++i) {
      const int v = rod.first + i, primary = c.vertex_of_node[z(c.node[z(v)])];
      if (primary == v) {
        numbers.x[z(i)] = next;
        next += 3;
      } else {
        numbers.x[z(i)] = numbers.x[z(primary - rod.first)];
      }
      if (i == rod.slots) break;
      if (c.kind[z(v)] == SlotKind::wrap) {
        numbers.theta[z(i)] = numbers.theta[0];
      } else {
        numbers.theta[z(i)] = next++;
      }
    }
    numbers.size = next;
    numbers.fixed.assign(z(next), 0);
    for (int i = 0; i <= rod.slots; ++i) {
      if (c.held[z(rod.first + i)]) std::fill_n(numbers.fixed.begin() + numbers.x[z(i)], 3, 1);
    }
    for (const Wall& wall : c.walls) {
      if (wall.twist && &c.rods[z(wall.rod)] == &rod) numbers.fixed[z(numbers.theta[z(wall.slot - rod.first)])] = 1;
    }
    if (rod.ring) {
      numbers.cyclic.resize(next, half_band);
    } else {
      numbers.band.resize(next, half_band);
      numbers.factor.resize(next, half_band);
    }
    for (auto* a : {&numbers.gradient, &numbers.direction, &numbers.scale, &numbers.stiff}) a->assign(z(next), 0);
    numbers_.push_back(std::move(numbers));
  }
}

// The augmented Lagrangian of one rod as newton_minimise wants it. Loads that follow the rod are frozen at the base of a Newton step;
// the work they do adds up from step to step, so that the energy stays continuous.
class RodProblem {
 public:
  RodProblem(Relaxer& r, Chain& c, int rod, const Drive& drive, Loads& loads)
      : r_(r), c_(c), rod_(c.rods[z(rod)]), index_(rod), n_(r.numbers_[z(rod)]), drive_(drive), loads_(loads) {
    last_ = rod_.ring ? rod_.wrap : rod_.first + rod_.slots;
    linear_.assign(c.kind.size(), 0);
    set_base_from_chain();
    // The tension is part of the saved state: a run that is loaded or comes back from a failed attempt goes on from the same numbers.
    for (int s = rod_.first; s < last_; ++s) r_.multiplier_[z(s)] = c_.constrained[z(s)] * c_.tension[z(s)] * c_.rest_length[z(s)];
    set_scales();
  }

  NewtonPoint evaluate() {
    if (!conservative()) refresh_loads();  // the residual counts, so it must be the true one
    assemble(false);
    double residual = 0;
    for (int i = 0; i < n_.size; ++i) {
      if (!n_.fixed[z(i)]) residual = std::max(residual, std::abs(n_.gradient[z(i)]) / n_.scale[z(i)]);
    }
    return {energy_, residual, energy_scale_};
  }

  // Towards lower energy: the matrix is shifted until it is positive definite.
  double direction() {
    assemble(true);
    if (fraction_ < 1) shift_ = std::max(8 * used_shift_, shift_in_bends);
    for (double tries = 0;; ++tries) {
      const PivotReport report = factor(shift_);
      if (report.positive_definite()) break;
      shift_ = shift_ == 0 ? 1e-8 : 8 * shift_;
      if (tries > 60) return std::nan("");
    }
    for (int i = 0; i < n_.size; ++i) n_.direction[z(i)] = n_.fixed[z(i)] ? 0 : -n_.gradient[z(i)];
    solve(n_.direction.data(), 1);
    used_shift_ = shift_;
    shift_ = shift_ < 2e-8 ? 0 : shift_ / 8;
    keep_linear_forces();
    const double share = limit_direction();
    for (double& force : linear_) force *= share;
    double slope = 0;
    for (int i = 0; i < n_.size; ++i) slope += n_.direction[z(i)] * (n_.fixed[z(i)] ? 0 : n_.gradient[z(i)]);
    return slope;
  }

  // Towards a smaller residual, with the whole tangent: what loads that follow the rod add to the symmetric matrix is of low rank.
  //   (S + R Q^T)^-1 r = y - S^-1 R (1 + Q^T S^-1 R)^-1 Q^T y,   y = S^-1 r
  bool full_direction() {
    assemble(true);
    factor(0);
    for (int i = 0; i < n_.size; ++i) n_.direction[z(i)] = n_.fixed[z(i)] ? 0 : -n_.gradient[z(i)];
    solve(n_.direction.data(), 1);
    const Eigen::MatrixXd R = follower_rows(), Q = follower_columns();
    const Eigen::Index rank = R.cols();
    if (rank > 0) {
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> W = R;
      solve(W.data(), static_cast<int>(rank));
      const Eigen::Map<Eigen::VectorXd> y(n_.direction.data(), n_.size);
      const Eigen::MatrixXd small = Eigen::MatrixXd::Identity(rank, rank) + Q.transpose() * W;
      const Eigen::VectorXd part = small.partialPivLu().solve(Q.transpose() * y);
      const Eigen::VectorXd correction = W * part;
      for (int i = 0; i < n_.size; ++i) n_.direction[z(i)] -= correction[i];
    }
    limit_direction();
    for (const double d : n_.direction) {
      if (!std::isfinite(d)) return false;
    }
    return true;
  }
  bool conservative() const { return couples_.empty() && follower_forces_.empty(); }

  // Edges turn about their base direction rather than move along a straight line, so that lengths change only as the step says;
  // otherwise an inextensible rod could turn by little more than a degree at a time. Vertices follow from the edges, and what
  // does not meet at a held vertex (a second-order amount) is spread evenly over the edges before it.
  void move(double fraction) {
    fraction_ = fraction;
    const auto moved = [&](int v) {
      const int k = n_.x[z(v - rod_.first)];
      return r_.base_x_.get(v) +
             fraction * V3<double>{n_.direction[z(k)], n_.direction[z(k + 1)], n_.direction[z(k + 2)]};
    };
    int anchor = rod_.first, count = 0;
    c_.x.set(anchor, moved(anchor));
    for (int s = rod_.first; s < rod_.first + rod_.slots; ++s) {
      r_.turned_[z(s)] = fraction * n_.direction[z(n_.theta[z(s - rod_.first)])];
      if (s >= last_) continue;
      if (c_.kind[z(s)] == SlotKind::edge) {
        const V3<double> t = r_.base_t_.get(s), base = r_.base_x_.get(s + 1) - r_.base_x_.get(s);
        const V3<double> change = moved(s + 1) - moved(s) - base;
        c_.x.set(s + 1, c_.x.get(s) + turned_edge(t, norm(base), change));
        ++count;
      } else {
        c_.x.set(s + 1, c_.x.get(s));
      }
      const bool closes = rod_.ring && s + 1 == last_;
      if (!c_.held[z(s + 1)] && !closes) continue;
      spread(anchor, s + 1, count, moved(s + 1) - c_.x.get(s + 1));
      anchor = s + 1;
      count = 0;
    }
    for (const Twin& twin : c_.twins) {
      if (twin.second > rod_.first && twin.second <= rod_.first + rod_.slots) c_.x.set(twin.second, c_.x.get(twin.first));
    }
    update_frames();
  }
  static V3<double> turned_edge(const V3<double>& t, double length, const V3<double>& change) {
    const double along = dot(t, change);
    const V3<double> across = (1 / length) * (change - along * t);
    const double angle = norm(across);
    const auto [sine, cosine] = math::sincos(angle);
    return (length + along) * (cosine * t + (angle > 1e-9 ? sine / angle : 1.0) * across);
  }
  void spread(int from, int to, int count, const V3<double>& gap) {
    int seen = 0;
    for (int s = from; s < to; ++s) {
      if (c_.kind[z(s)] == SlotKind::edge) ++seen;
      c_.x.add(s + 1, (static_cast<double>(seen) / std::max(count, 1)) * gap);
    }
  }

  void accept() {
    work_ = load_work();
    for (int s = rod_.first; s <= rod_.first + rod_.slots; ++s) {
      r_.base_x_.set(s, c_.x.get(s));
      r_.base_t_.set(s, c_.t.get(s));
      r_.base_m1_.set(s, c_.m1.get(s));
      r_.base_twist_[z(s)] = r_.twist_[z(s)];
      r_.turned_[z(s)] = 0;
    }
    refresh_loads();
  }

  double worst_length() const {
    double worst = 0;
    for (int s = rod_.first; s < last_; ++s) {
      if (c_.constrained[z(s)] > 0) worst = std::max(worst, std::abs(c_.length[z(s)] / c_.rest_length[z(s)] - 1));
    }
    return worst;
  }
  void follow_multipliers(double fraction) {
    for (int s = rod_.first; s < last_; ++s) {
      if (c_.constrained[z(s)] > 0) r_.multiplier_[z(s)] += fraction * linear_[z(s)];
    }
  }
  void update_multipliers() {
    for (int s = rod_.first; s < last_; ++s) {
      if (c_.constrained[z(s)] > 0) r_.multiplier_[z(s)] += r_.stiffness_[z(s)] * (c_.length[z(s)] - c_.rest_length[z(s)]);
    }
  }
  bool inextensible() const {
    for (int s = rod_.first; s < last_; ++s) {
      if (c_.constrained[z(s)] > 0) return true;
    }
    return false;
  }
  int negative_pivots(double below = 0) {
    assemble(true);
    return factor(below).negative;
  }

  // Writes frames and tension back: theta from the twists, the Bishop frame of the first slot from its material frame.
  void finish() {
    c_.set_first_director(index_, c_.m1.get(rod_.first));
    c_.theta[z(rod_.first)] = 0;
    for (int s = rod_.first + 1; s < rod_.first + rod_.slots; ++s) c_.theta[z(s)] = c_.theta[z(s - 1)] + r_.twist_[z(s)];
    if (rod_.ring) c_.closure[z(index_)] = c_.theta[z(rod_.wrap)] - c_.theta[z(rod_.first)];
    for (int s = rod_.first; s < last_; ++s) {
      const double stretch = r_.multiplier_[z(s)] + r_.stiffness_[z(s)] * (c_.length[z(s)] - c_.rest_length[z(s)]);
      c_.tension[z(s)] = c_.constrained[z(s)] > 0 ? stretch / c_.length[z(s)] : 0;
    }
  }

 private:
  void set_base_from_chain() {
    for (int s = rod_.first; s <= rod_.first + rod_.slots; ++s) {
      r_.base_x_.set(s, c_.x.get(s));
      r_.base_t_.set(s, c_.t.get(s));
      r_.base_m1_.set(s, c_.m1.get(s));
      r_.base_twist_[z(s)] = s > rod_.first && s < rod_.first + rod_.slots ? c_.theta[z(s)] - c_.theta[z(s - 1)] : 0;
      r_.turned_[z(s)] = 0;
    }
    for (double& d : n_.direction) d = 0;
    update_frames();
    for (int s = rod_.first; s < rod_.first + rod_.slots; ++s) {  // walls may have turned since
      r_.base_t_.set(s, c_.t.get(s));
      r_.base_m1_.set(s, c_.m1.get(s));
      r_.base_twist_[z(s)] = r_.twist_[z(s)];
    }
    refresh_loads();
  }

  // Tangents, material frames carried from the base, unwrapped twists.
  void update_frames() {
    for (int s = rod_.first; s < rod_.first + rod_.slots; ++s) {
      if (c_.kind[z(s)] == SlotKind::wall) continue;
      const V3<double> e = c_.x.get(s + 1) - c_.x.get(s);
      c_.length[z(s)] = norm(e);
      c_.inverse_length[z(s)] = 1 / c_.length[z(s)];
      c_.t.set(s, c_.inverse_length[z(s)] * e);
    }
    for (Wall& wall : c_.walls) {
      if (wall.rod == index_) place_wall(c_, wall);
    }
    for (int s = rod_.first; s < rod_.first + rod_.slots; ++s) {
      const V3<double> t = c_.t.get(s);
      const V3<double> carried = parallel_transport_normal(r_.base_t_.get(s), t, r_.base_m1_.get(s));
      c_.m1.set(s, turned_about(t, orthonormalized(t, carried), r_.turned_[z(s)]));
    }
    for (const Wall& wall : c_.walls) {
      if (wall.rod == index_ && wall.twist) c_.m1.set(wall.slot, wall.director);
    }
    if (rod_.ring) c_.m1.set(rod_.wrap, c_.m1.get(rod_.first));
    for (int s = rod_.first; s < rod_.first + rod_.slots; ++s) {
      c_.m2.set(s, cross(c_.t.get(s), c_.m1.get(s)));
      if (s == rod_.first) continue;
      const double near = r_.base_twist_[z(s)] + r_.turned_[z(s)] - r_.turned_[z(s - 1)];
      r_.twist_[z(s)] = unwrap(discrete_twist(c_.t.get(s - 1), c_.m1.get(s - 1), c_.t.get(s), c_.m1.get(s)), near);
    }
  }

  void refresh_loads() {
    loads_.update(drive_, c_);
    loads_.couples(drive_, c_, couples_);
    loads_.followers(drive_, c_, follower_forces_);
    const auto elsewhere = [&](int slot) { return slot < rod_.first || slot > rod_.first + rod_.slots; };
    std::erase_if(couples_, [&](const Loads::Couple& couple) { return elsewhere(couple.slot); });
    std::erase_if(follower_forces_, [&](const Loads::Follower& f) { return elsewhere(f.vertex); });
  }

  double load_work() const {
    double work = work_;
    for (int v = rod_.first; v <= rod_.first + rod_.slots; ++v) {
      work += dot(loads_.force().get(v), c_.x.get(v) - r_.base_x_.get(v));
    }
    for (const Loads::Couple& couple : couples_) {
      const int s = couple.slot;
      const V3<double> a = r_.base_t_.get(s), b = c_.t.get(s);
      const double angle = math::atan2(norm(cross(a, b)), dot(a, b));
      const double sine = norm(cross(a, b));
      const V3<double> turn = (sine > 1e-12 ? angle / sine : 1.0) * cross(a, b) + r_.turned_[z(s)] * b;
      work += dot(couple.moment, turn);
    }
    return work;
  }

  JointStiffness stiffness_at(int s) const {
    JointStiffness k;
    k.inverse_l = c_.inverse_l[z(s)];
    k.Ba << c_.B_xx[z(s - 1)], c_.B_xy[z(s - 1)], c_.B_xy[z(s - 1)], c_.B_yy[z(s - 1)];
    k.Bb << c_.B_xx[z(s)], c_.B_xy[z(s)], c_.B_xy[z(s)], c_.B_yy[z(s)];
    k.rest_a = Vec2(c_.rest_first.x[z(s)], c_.rest_first.y[z(s)]);
    k.rest_b = Vec2(c_.rest_second.x[z(s)], c_.rest_second.y[z(s)]);
    k.twist = c_.twist_stiffness[z(s)];
    k.rest_twist = c_.rest_twist[z(s)];
    return k;
  }

  void assemble(bool hessian) {
    std::fill(n_.gradient.begin(), n_.gradient.end(), 0.0);
    if (hessian && n_.ring) n_.cyclic.set_zero();
    if (hessian && !n_.ring) n_.band.set_zero();
    energy_ = energy_scale_ = 0;
    for (int s = rod_.first + 1; s < rod_.first + rod_.slots; ++s) add_joint(s, hessian);
    for (int s = rod_.first; s < last_; ++s) {
      if (c_.kind[z(s)] == SlotKind::edge) add_stretch(s, hessian);
    }
    for (int v = rod_.first; v <= rod_.first + rod_.slots; ++v) {
      const V3<double> f = loads_.force().get(v);
      const int k = n_.x[z(v - rod_.first)];
      for (int i = 0; i < 3; ++i) n_.gradient[z(k + i)] -= f[i];
    }
    for (const Loads::Couple& couple : couples_) add_couple(couple, hessian);
    const double work = load_work();
    energy_scale_ = std::abs(energy_) + std::abs(work);
    energy_ -= work;
    if (!hessian) return;
    for (int i = 0; i < n_.size; ++i) {
      if (n_.fixed[z(i)]) add_entry(i, i, n_.stiff[z(i)]);
    }
  }

  void add_entry(int i, int j, double value) {
    if (n_.ring) {
      n_.cyclic.add(i, j, value);
    } else {
      n_.band.add(i, j, value);
    }
  }

  void add_joint(int s, bool hessian) {
    JointShape shape{to_eigen(c_.t.get(s - 1)), to_eigen(c_.t.get(s)),  to_eigen(c_.m1.get(s - 1)), to_eigen(c_.m2.get(s - 1)),
                     to_eigen(c_.m1.get(s)),    to_eigen(c_.m2.get(s)), r_.twist_[z(s)]};
    JointEnergy joint = joint_energy_with_derivatives(shape, stiffness_at(s), hessian);
    turns_to_edges(shape, c_.inverse_length[z(s - 1)], c_.inverse_length[z(s)], hessian, joint);
    energy_ += joint.energy;
    // z = (e_a, theta_a, e_b, theta_b) to unknowns: an edge vector is the difference of its two vertices.
    const int i = s - rod_.first;
    struct Part {
      int place, row, count;
      double sign;
    };
    const Part parts[] = {{n_.x[z(i - 1)], 0, 3, -1.0}, {n_.x[z(i)], 0, 3, 1.0},     {n_.theta[z(i - 1)], 3, 1, 1.0},
                          {n_.x[z(i)], 4, 3, -1.0},     {n_.x[z(i + 1)], 4, 3, 1.0}, {n_.theta[z(i)], 7, 1, 1.0}};
    for (const Part& p : parts) {
      for (int k = 0; k < p.count; ++k) n_.gradient[z(p.place + k)] += p.sign * joint.gradient[p.row + k];
    }
    if (!hessian) return;
    for (const Part& p : parts) {
      for (const Part& q : parts) {
        for (int k = 0; k < p.count; ++k) {
          for (int l = 0; l < q.count; ++l) {
            const int row = p.place + k, column = q.place + l;
            if (row < column || n_.fixed[z(row)] || n_.fixed[z(column)]) continue;
            add_entry(row, column, p.sign * q.sign * joint.hessian(p.row + k, q.row + l));
          }
        }
      }
    }
  }

  // Energy of an edge that depends on its vector alone, with gradient g and Hessian H.
  void add_edge(int s, const Vec3& g, const Mat3& H, bool hessian) {
    const int i = s - rod_.first;
    const int from = n_.x[z(i)], to = n_.x[z(i + 1)];
    for (int k = 0; k < 3; ++k) {
      n_.gradient[z(to + k)] += g[k];
      n_.gradient[z(from + k)] -= g[k];
    }
    if (!hessian) return;
    for (const auto& [p, sp] : {std::pair(from, -1.0), std::pair(to, 1.0)}) {
      for (const auto& [q, sq] : {std::pair(from, -1.0), std::pair(to, 1.0)}) {
        for (int k = 0; k < 3; ++k) {
          for (int l = 0; l < 3; ++l) {
            const int row = p + k, column = q + l;
            if (row < column || n_.fixed[z(row)] || n_.fixed[z(column)]) continue;
            add_entry(row, column, sp * sq * H(k, l));
          }
        }
      }
    }
  }

  void add_stretch(int s, bool hessian) {
    const Vec3 t = to_eigen(c_.t.get(s));
    const double stretch = c_.length[z(s)] - c_.rest_length[z(s)];
    const double k = r_.stiffness_[z(s)];
    const double force = r_.multiplier_[z(s)] + k * stretch;
    energy_ += (r_.multiplier_[z(s)] + 0.5 * k * stretch) * stretch;
    const Mat3 along = t * t.transpose();
    add_edge(s, force * t, k * along + (force / c_.length[z(s)]) * (Mat3::Identity() - along), hessian);
  }

  void add_couple(const Loads::Couple& couple, bool hessian) {
    const int s = couple.slot;
    const Vec3 t = to_eigen(c_.t.get(s)), M = to_eigen(couple.moment), turn = M.cross(t);
    const double inverse = c_.inverse_length[z(s)];
    // The symmetric part of the couple's own tangent; the rest is not conservative and is left to the iteration.
    add_edge(s, -inverse * turn, inverse * inverse * (turn * t.transpose() + t * turn.transpose()), hessian);
    n_.gradient[z(n_.theta[z(s - rod_.first)])] -= M.dot(t);
  }

  PivotReport factor(double shift) {
    return n_.ring ? n_.cyclic.factor(shift, n_.stiff) : n_.factor.factor(n_.band, shift, n_.stiff);
  }

  void solve(double* x, int columns) const {
    if (n_.ring) {
      n_.cyclic.solve(x, columns);
    } else {
      n_.factor.solve(x, columns);
    }
  }

  // What follows the rod: moments M on slots and forces F on vertices. The rows are the gradient entries they act on, the columns
  // what they depend on (edge and angle of the slot they turn with), such that the tangent's missing part is rows * columns^T.
  Eigen::MatrixXd follower_rows() const {
    Eigen::MatrixXd R = Eigen::MatrixXd::Zero(n_.size, static_cast<Eigen::Index>(4 * couples_.size() + 3 * follower_forces_.size()));
    Eigen::Index at = 0;
    for (const Loads::Couple& couple : couples_) {
      add_edge_entries(R, couple.slot, at, Mat3::Identity());
      R(n_.theta[z(couple.slot - rod_.first)], at + 3) = 1;
      at += 4;
    }
    for (const Loads::Follower& f : follower_forces_) {
      for (int k = 0; k < 3; ++k) R(n_.x[z(f.vertex - rod_.first)] + k, at + k) = 1;
      at += 3;
    }
    for (int i = 0; i < n_.size; ++i) {
      if (n_.fixed[z(i)]) R.row(i).setZero();
    }
    return R;
  }
  Eigen::MatrixXd follower_columns() const {
    Eigen::MatrixXd Q = Eigen::MatrixXd::Zero(n_.size, static_cast<Eigen::Index>(4 * couples_.size() + 3 * follower_forces_.size()));
    Eigen::Index at = 0;
    for (const Loads::Couple& couple : couples_) {
      const int s = couple.slot;
      const Vec3 t = to_eigen(c_.t.get(s)), M = to_eigen(couple.moment), turn = M.cross(t);
      const double inverse = c_.inverse_length[z(s)];
      // g_e = -(M x t)/|e|, g_theta = -M.t; in material axes M turns with its edge: dM = (t x de/|e| + t dtheta) x M
      Mat3 edge_by_edge = inverse * inverse * (-skew(M) + 2 * turn * t.transpose() - turn * t.transpose() - t * turn.transpose());
      Vec3 angle_by_edge = -inverse * (M - M.dot(t) * t);
      Vec3 edge_by_angle = Vec3::Zero();
      if (couple.follows) {
        const Mat3 dM = -inverse * skew(M) * skew(t);
        edge_by_edge += inverse * skew(t) * dM;
        angle_by_edge -= dM.transpose() * t;
        edge_by_angle = inverse * t.cross(t.cross(M));
      }
      add_edge_entries(Q, s, at, edge_by_edge);
      for (int k = 0; k < 3; ++k) Q(n_.theta[z(s - rod_.first)], at + k) = edge_by_angle[k];
      Mat3 last = Mat3::Zero();
      last.row(0) = angle_by_edge.transpose();
      add_edge_entries(Q, s, at + 3, last, 1);
      at += 4;
    }
    for (const Loads::Follower& f : follower_forces_) {
      const Vec3 F = to_eigen(f.force);
      for (const int s : {f.vertex - 1, f.vertex}) {
        if (s < rod_.first || s >= last_ || c_.kind[z(s)] != SlotKind::edge) continue;
        const Vec3 t = to_eigen(c_.t.get(s));
        // g_x = -F, dF = (t x de/|e| + t dtheta) x F, the mean over the edges beside the vertex
        add_edge_entries(Q, s, at, f.share * c_.inverse_length[z(s)] * skew(F) * skew(t));
        for (int k = 0; k < 3; ++k) Q(n_.theta[z(s - rod_.first)], at + k) += f.share * F.cross(t)[k];
      }
      at += 3;
    }
    for (int i = 0; i < n_.size; ++i) {
      if (n_.fixed[z(i)]) Q.row(i).setZero();
    }
    return Q;
  }
  // Column at + k gets row k of `by_edge`, which belongs to the edge vector of slot s.
  void add_edge_entries(Eigen::MatrixXd& matrix, int s, Eigen::Index at, const Mat3& by_edge, int rows = 3) const {
    const int from = n_.x[z(s - rod_.first)], to = n_.x[z(s - rod_.first + 1)];
    for (int k = 0; k < rows; ++k) {
      for (int j = 0; j < 3; ++j) {
        matrix(to + j, at + k) += by_edge(k, j);
        matrix(from + j, at + k) -= by_edge(k, j);
      }
    }
  }

  // What the multipliers change by in the whole step: stiffness * (stretch before + its linear change).
  void keep_linear_forces() {
    for (int s = rod_.first; s < last_; ++s) {
      if (c_.constrained[z(s)] == 0) continue;
      const int from = n_.x[z(s - rod_.first)], to = n_.x[z(s - rod_.first + 1)];
      double stretch = c_.length[z(s)] - c_.rest_length[z(s)];
      for (int k = 0; k < 3; ++k) stretch += c_.t.get(s)[k] * (n_.direction[z(to + k)] - n_.direction[z(from + k)]);
      linear_[z(s)] = used_shift_ < trusted_shift ? r_.stiffness_[z(s)] * stretch : 0;
    }
  }

  // Edges turn by at most half a radian in a step. Returns what is left of the direction.
  double limit_direction() {
    double worst = 0;
    for (int s = rod_.first; s < last_; ++s) {
      if (c_.kind[z(s)] != SlotKind::edge) continue;
      const int from = n_.x[z(s - rod_.first)], to = n_.x[z(s - rod_.first + 1)];
      double squared = 0;
      for (int k = 0; k < 3; ++k) squared += std::pow(n_.direction[z(to + k)] - n_.direction[z(from + k)], 2);
      worst = std::max(worst, std::sqrt(squared) * c_.inverse_length[z(s)] / 0.5);
      worst = std::max(worst, std::abs(n_.direction[z(n_.theta[z(s - rod_.first)])]) / 1.0);
    }
    if (worst > 1) {
      for (double& d : n_.direction) d /= worst;
    }
    return worst > 1 ? 1 / worst : 1;
  }

  // What one unknown's stiffness and force are of the order of, and the stiffness of the length multipliers.
  void set_scales() {
    double bending = 0, shortest = 1e300, load = 0;
    for (int s = rod_.first; s < last_; ++s) {
      if (c_.kind[z(s)] == SlotKind::edge) shortest = std::min(shortest, c_.rest_length[z(s)]);
      bending = std::max({bending, c_.B_xx[z(s)] + c_.B_yy[z(s)]});
    }
    for (int v = rod_.first; v <= rod_.first + rod_.slots; ++v) {
      if (!c_.held[z(v)]) load += norm(loads_.force().get(v));
    }
    const double force = bending / (shortest * shortest) + load;
    n_.stiff.assign(z(n_.size), bending / shortest);
    n_.scale.assign(z(n_.size), force * shortest);
    for (int i = 0; i <= rod_.slots; ++i) {
      for (int k = 0; k < 3; ++k) {
        n_.stiff[z(n_.x[z(i)] + k)] = bending / std::pow(shortest, 3);
        n_.scale[z(n_.x[z(i)] + k)] = force;
      }
    }
    for (int s = rod_.first; s < last_; ++s) {
      if (c_.kind[z(s)] != SlotKind::edge) continue;
      r_.stiffness_[z(s)] = c_.EA[z(s)] > 0 ? c_.EA[z(s)] / c_.rest_length[z(s)]
                                           : 3e2 * bending / std::pow(shortest, 3) + 1e2 * load / shortest;
      if (c_.EA[z(s)] > 0) r_.multiplier_[z(s)] = 0;
    }
  }

  Relaxer& r_;
  Chain& c_;
  const ChainRod& rod_;
  const int index_;
  Relaxer::RodNumbers& n_;
  const Drive& drive_;
  Loads& loads_;
  std::vector<Loads::Couple> couples_;
  std::vector<Loads::Follower> follower_forces_;
  Array linear_;  // change of the multipliers that goes with the whole direction
  int last_ = 0;
  double energy_ = 0, energy_scale_ = 0, work_ = 0, shift_ = 0, used_shift_ = 0, fraction_ = 1;
};

namespace {
struct FullTangent {  // the same problem for newton_solve
  RodProblem& problem;
  NewtonPoint evaluate() { return problem.evaluate(); }
  bool direction() { return problem.full_direction(); }
  void move(double fraction) { problem.move(fraction); }
  void accept() { problem.accept(); }
};
}  // namespace

RelaxReport Relaxer::relax(Chain& c, const Drive& drive, Loads& loads, const RelaxOptions& options) {
  RelaxReport report;
  report.fine = true;
  for (int r = 0; r < static_cast<int>(c.rods.size()); ++r) {
    RodProblem problem(*this, c, r, drive, loads);
    NewtonOptions newton;
    bool fine = false;
    double residual = 0;
    // Lengths and multipliers are improved with every Newton step, not in an iteration of their own: at fixed multipliers a pattern
    // that can slide along the rod for nothing gains by leaving the place the multipliers belong to, by (change of tension)^2/(2
    // stiffness), and runs away. Loads that follow the rod have no energy to compare; their steps are judged by the residual, which
    // must not change in between.
    const bool together = problem.conservative() && problem.inextensible();
    for (int outer = 0; outer < 40 + options.most_iterations && !fine && report.iterations < options.most_iterations; ++outer) {
      newton.max_iterations = together ? 1 : options.most_iterations - report.iterations;
      newton.tolerance = options.tolerance;
      newton.acceptable = 1e4 * options.tolerance;
      FullTangent full{problem};
      const NewtonReport inner = problem.conservative() ? newton_minimise(problem, newton) : newton_solve(full, newton);
      report.iterations += inner.iterations;
      residual = inner.residual;
      if (inner.end == NewtonEnd::iteration_limit && together) {
        problem.follow_multipliers(inner.last_fraction);
        continue;
      }
      if (!inner.converged) break;
      fine = problem.worst_length() <= options.length_tolerance;
      if (!fine) problem.update_multipliers();
    }
    problem.finish();
    report.fine = report.fine && fine;
    report.residual = std::max(report.residual, residual);
    report.negative_pivots += fine ? problem.negative_pivots() : 0;
  }
  return report;
}

int Relaxer::negative_pivots(Chain& c, const Drive& drive, Loads& loads, double below) {
  int count = 0;
  for (int r = 0; r < static_cast<int>(c.rods.size()); ++r) count += RodProblem(*this, c, r, drive, loads).negative_pivots(below);
  return count;
}

}  // namespace tendril::der
