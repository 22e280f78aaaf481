#include "methods/galpha/paper/system.h"

#include <algorithm>
#include <cmath>

#include "math/elementary.h"
#include "math/rotation.h"

namespace tendril::galpha::paper {

// Rows of a block: kinematic ones first.
static constexpr int row_14d = 0, row_14c = 3, row_turn = 6, row_14a = 9, row_14b = 12;

System::System(const RodData& rod, const Settings& settings)
    : rod_(rod), settings_(settings), weights_(weights_of(settings)), base_(rod.nodes.size()) {
  residual_.assign(z(size()), 0.0);
  step_.assign(z(size()), 0.0);
  matrix_.resize(static_cast<int>(rod.nodes.size()));
}

void System::begin(const Level& before, const LoadsNow& loads, const StepSizes& sizes, Level& now) {
  before_ = &before, loads_ = &loads, now_ = &now, sizes_ = sizes;
  now.x[0].u = now.ends.motion.linear, now.x[0].w = now.ends.motion.angular;
  if (sizes.still())
    for (Fields& x : now.x) x.u.setZero(), x.w.setZero();
  base_ = now.x;
  // Units in which the unknowns and the rows are of order one: length, stiffness and step. An equilibrium has no velocities: any unit.
  const double L = rod_.length, EI = rod_.stiffness, dt = sizes.still() ? 1.0 : sizes.dt;
  const auto set = [](auto& scale, int at, double value) { scale.template segment<3>(at).setConstant(value); };
  set(column_scale_, of_u, L / dt), set(column_scale_, of_w, 1 / dt), set(column_scale_, of_k, 1 / L);
  set(column_scale_, of_n, EI / (L * L)), set(column_scale_, of_turn, 1);
  floor_ << EI / (L * L * L), EI / (L * L), 1 / (L * dt), 1 / dt;
  set(row_scale_, row_14a, floor_[0]), set(row_scale_, row_14b, floor_[1]);
  set(row_scale_, row_14c, floor_[2]), set(row_scale_, row_14d, floor_[3]), set(row_scale_, row_turn, 1);
}

// x_t = (x - x_before) / (gamma dt) - (1 - gamma)/gamma x_t,before  [Sobottka 2008, eq. (19)]
void System::add_rates() {
  const double gamma = sizes_.triple.gamma, per = 1 / (gamma * sizes_.dt), old = (1 - gamma) / gamma;
  for (std::size_t k = 0; k < now_->x.size(); ++k) {
    const Fields &x = now_->x[k], &b = before_->x[k];
    const Rates& was = before_->rate[k];
    now_->rate[k] = {per * (x.u - b.u) - old * was.u, per * (x.w - b.w) - old * was.w, per * (x.k - b.k) - old * was.k};
  }
}

// The size of the terms of each kind of row, against which a residual is small.
void System::find_scales() {
  Eigen::Matrix<double, 4, 1> size = floor_;
  for (int k = 0; k < rod_.count(); ++k) {
    const Segment& s = rod_.segments[z(k)];
    const Fields &a = now_->x[z(k)], &b = now_->x[z(k + 1)];
    const Rates &ra = now_->rate[z(k)], &rb = now_->rate[z(k + 1)];
    const double per = 1 / s.length;
    size[0] = std::max(size[0], per * (a.n.norm() + b.n.norm()) + s.mass * (ra.u.norm() + rb.u.norm()));
    size[1] = std::max(size[1], per * (rod_.moment(k, a).norm() + rod_.moment(k + 1, b).norm()) + a.n.norm() +
                                    s.inertia.maxCoeff() * (ra.w.norm() + rb.w.norm()));
    size[2] = std::max(size[2], per * (a.w.norm() + b.w.norm()) + ra.k.norm() + rb.k.norm());
    size[3] = std::max(size[3], per * (a.u.norm() + b.u.norm()) + a.w.norm() + b.w.norm());
  }
  floor_ = size;  // within a step scales only grow
}

void System::far_rows(double* at) const {
  const int last = rod_.count();
  const Fields& x = now_->x[z(last)];
  const Ends& ends = now_->ends;
  const auto back = now_->frame[z(last)].transpose();
  Eigen::Map<Vec3> first(at), second(at + 3);
  if (ends.held && !sizes_.still()) {
    first = x.u - back * ends.far_motion.linear;
    second = x.w - back * ends.far_motion.angular;
    return;
  }
  first = x.n - back * to_eigen(ends.load.world_force) - to_eigen(ends.load.material_force);
  second = rod_.moment(last, x) - back * to_eigen(ends.load.world_moment) - to_eigen(ends.load.material_moment);
}

NewtonPoint System::evaluate() {
  Level& now = *now_;
  if (!sizes_.still()) add_rates();
  place_frames(rod_, now);
  find_rows(rod_, settings_.space, weights_, *loads_, now);
  const double alpha = sizes_.still() ? 0 : sizes_.triple.alpha, beta = sizes_.still() ? 0 : sizes_.triple.beta;
  const double near = weights_.near_rate, far = 1 - near;
  std::fill(residual_.begin(), residual_.end(), 0.0);
  Eigen::Matrix<double, 4, 1> largest = Eigen::Matrix<double, 4, 1>::Zero();
  for (int k = 0; k < rod_.count(); ++k) {
    const Segment& s = rod_.segments[z(k)];
    Rows rows = (1 - beta) * now.rows[z(k)];
    if (beta != 0) rows += beta * before_->rows[z(k)];
    if (!sizes_.still()) {
      const Rates &a = now.rate[z(k)], &b = now.rate[z(k + 1)], &old_a = before_->rate[z(k)],
                  &old_b = before_->rate[z(k + 1)];
      const auto mean = [&](Vec3 Rates::*field) {
        return Vec3((1 - alpha) * (near * a.*field + far * b.*field) + alpha * (near * old_a.*field + far * old_b.*field));
      };
      rows.segment<3>(0) += s.mass * mean(&Rates::u);
      rows.segment<3>(3) += s.inertia.cwiseProduct(mean(&Rates::w));
      rows.segment<3>(6) += mean(&Rates::k);
    } else {
      rows.tail<6>().setZero();
    }
    double *balance = &residual_[z(unknowns * k)], *kinematic = &residual_[z(unknowns * (k + 1))];
    Eigen::Map<Vec3>(balance + row_14a) = rows.segment<3>(0), Eigen::Map<Vec3>(balance + row_14b) = rows.segment<3>(3);
    Eigen::Map<Vec3>(kinematic + row_14c) = rows.segment<3>(6), Eigen::Map<Vec3>(kinematic + row_14d) = rows.segment<3>(9);
    for (int i = 0; i < 4; ++i) largest[i] = std::max(largest[i], rows.segment<3>(3 * i).norm());
  }
  double* end = &residual_[z(unknowns * rod_.count() + row_14a)];
  far_rows(end);
  const bool held = now.ends.held && !sizes_.still();
  const double h = rod_.segments.back().length;
  // At the far end per segment, so that rows there are as the others.
  largest[held ? 3 : 0] = std::max(largest[held ? 3 : 0], Eigen::Map<Vec3>(end).norm() / h);
  largest[held ? 2 : 1] = std::max(largest[held ? 2 : 1], Eigen::Map<Vec3>(end + 3).norm() / h);
  find_scales();
  return {0, largest.cwiseQuotient(floor_).maxCoeff(), 0};
}

// Derivatives of a segment's twelve rows in one node's unknowns, into the blocks of both nodes.
void System::add_side(int k, bool far, const Tangent& tangent) {
  auto &balance = far ? matrix_.upper(k) : matrix_.diagonal(k),
       &kinematic = far ? matrix_.diagonal(k + 1) : matrix_.lower(k);
  balance.middleRows<6>(row_14a) = tangent.topRows<6>();
  if (sizes_.still()) return;
  kinematic.middleRows<3>(row_14c) = tangent.middleRows<3>(6);
  kinematic.middleRows<3>(row_14d) = tangent.middleRows<3>(9);
}

void System::add_segment(int k) {
  const Segment& s = rod_.segments[z(k)];
  const GivenLoad& load = loads_->on_edge(rod_.edge(k));
  const bool means = settings_.space == Space::products_of_means;
  const double part = sizes_.still() ? 1 : 1 - sizes_.triple.beta;
  const double rate = sizes_.still() ? 0 : (1 - sizes_.triple.alpha) / (sizes_.triple.gamma * sizes_.dt);
  const Mat3 identity = Mat3::Identity();
  Point at;
  if (means) at = mean_point(rod_, *now_, k, load);
  for (const bool far : {false, true}) {
    const int node = far ? k + 1 : k;
    const Vec3& stiffness = rod_.nodes[z(node)].stiffness;
    if (!means) at = point_at(rod_, *now_, node, load);
    Tangent tangent;
    lambda_tangent(s, at, stiffness, tangent);
    if (means) {
      // The frame in the middle turns by half^T turn_a + J h/2 dk with the mean k.
      const Eigen::Matrix<double, 6, 3> turned = tangent.block<6, 3>(0, of_turn);
      const Vec3 half = 0.25 * s.length * (now_->x[z(k)].k + now_->x[z(k + 1)].k);
      tangent *= 0.5 * part;
      tangent.block<6, 3>(0, of_k).noalias() += (0.25 * part * s.length) * turned * right_jacobian(half);
      if (far)
        tangent.block<6, 3>(0, of_turn).setZero();
      else
        tangent.block<6, 3>(0, of_turn).noalias() = part * turned * now_->half[z(k)].transpose();
    } else {
      tangent *= part * (far ? 1 - weights_.near : weights_.near);
    }
    const double slope = (far ? -1 : 1) * part * weights_.slope / s.length;
    tangent.block<3, 3>(0, of_n) += slope * identity;
    tangent.block<3, 3>(3, of_k) += slope * Mat3(stiffness.asDiagonal());
    tangent.block<3, 3>(6, of_w) += slope * identity;
    tangent.block<3, 3>(9, of_u) += slope * identity;
    const double share = rate * (far ? 1 - weights_.near_rate : weights_.near_rate);
    tangent.block<3, 3>(0, of_u).diagonal().array() += share * s.mass;
    tangent.block<3, 3>(3, of_w).diagonal() += share * s.inertia;
    tangent.block<3, 3>(6, of_k).diagonal().array() += share;
    add_side(k, far, tangent);
  }
}

// turn_b = exp(h k)^T turn_a + J(h k) h (dk_a + dk_b)/2: exactly, so these rows have no residual.
void System::add_frame_rows(int k) {
  const double h = rod_.segments[z(k)].length;
  const Mat3 J = right_jacobian(Vec3(0.5 * h * (now_->x[z(k)].k + now_->x[z(k + 1)].k)));
  auto &near = matrix_.lower(k), &far = matrix_.diagonal(k + 1);
  near.block<3, 3>(row_turn, of_turn) = -now_->turn[z(k)].transpose();
  near.block<3, 3>(row_turn, of_k) = -0.5 * h * J;
  far.block<3, 3>(row_turn, of_k) = -0.5 * h * J;
  far.block<3, 3>(row_turn, of_turn).setIdentity();
  if (!sizes_.still()) return;
  far.block<3, 3>(row_14d, of_u).setIdentity();
  far.block<3, 3>(row_14c, of_w).setIdentity();
}

void System::add_ends() {
  const int last = rod_.count();
  auto &near = matrix_.diagonal(0), &far = matrix_.diagonal(last);
  near.block<3, 3>(row_14d, of_u).setIdentity();
  near.block<3, 3>(row_14c, of_w).setIdentity();
  near.block<3, 3>(row_turn, of_turn).setIdentity();
  const Mat3 back = now_->frame[z(last)].transpose();
  const Ends& ends = now_->ends;
  const auto turning = [&back](const Vec3& world) { return Mat3(-skew(Vec3(back * world))); };
  if (ends.held && !sizes_.still()) {
    far.block<3, 3>(row_14a, of_u).setIdentity();
    far.block<3, 3>(row_14a, of_turn) = turning(ends.far_motion.linear);
    far.block<3, 3>(row_14b, of_w).setIdentity();
    far.block<3, 3>(row_14b, of_turn) = turning(ends.far_motion.angular);
    return;
  }
  far.block<3, 3>(row_14a, of_n).setIdentity();
  far.block<3, 3>(row_14a, of_turn) = turning(to_eigen(ends.load.world_force));
  far.block<3, 3>(row_14b, of_k) = rod_.nodes[z(last)].stiffness.asDiagonal();
  far.block<3, 3>(row_14b, of_turn) = turning(to_eigen(ends.load.world_moment));
}

void System::assemble() {
  matrix_.set_zero();
  for (int k = 0; k < rod_.count(); ++k) add_segment(k), add_frame_rows(k);
  add_ends();
}

// Rows and columns in the units of `begin`, so that pivots of different kinds can be compared.
void System::scale_blocks() {
  const int last = rod_.count();
  const Eigen::Matrix<double, unknowns, 1> down = row_scale_.cwiseInverse();
  Eigen::Matrix<double, unknowns, 1> first = down, end = down;
  // At the ends rows are values, not balances: by the units of what they give.
  first.segment<3>(row_14d) = column_scale_.segment<3>(of_u).cwiseInverse();
  first.segment<3>(row_14c) = column_scale_.segment<3>(of_w).cwiseInverse();
  const bool held = now_->ends.held && !sizes_.still();
  const double L = rod_.length, EI = rod_.stiffness;
  end.segment<3>(row_14a).setConstant(1 / (held ? column_scale_[of_u] : EI / (L * L)));
  end.segment<3>(row_14b).setConstant(1 / (held ? column_scale_[of_w] : EI / L));
  for (int j = 0; j <= last; ++j) {
    Eigen::Matrix<double, unknowns, 1> rows = j == 0 ? first : j == last ? end : down;
    if (sizes_.still()) rows.segment<6>(row_14d).setOnes();
    const auto scale = [&](SmallBlock<unknowns>& block) { block = rows.asDiagonal() * block * column_scale_.asDiagonal(); };
    scale(matrix_.diagonal(j));
    if (j > 0) scale(matrix_.lower(j - 1));
    if (j < last) scale(matrix_.upper(j));
    for (int i = 0; i < unknowns; ++i) step_[z(unknowns * j + i)] = -rows[i] * residual_[z(unknowns * j + i)];
  }
}

bool System::direction() {
  assemble();
  scale_blocks();
  std::ignore = matrix_.factor();  // a tiny pivot may be bad scaling only: what comes out is judged by its residual
  matrix_.solve(step_);
  bool finite = true;
  for (std::size_t i = 0; i < step_.size(); ++i) {
    step_[i] *= column_scale_[static_cast<Eigen::Index>(i % unknowns)];
    finite = finite && std::isfinite(step_[i]);
  }
  return finite;
}

void System::shift(const std::vector<double>& change, double fraction) {
  for (std::size_t k = 0; k < base_.size(); ++k) {
    const double* by = &change[unknowns * k];
    const Fields& from = base_[k];
    const auto part = [by, fraction](int at) { return Vec3(fraction * Eigen::Map<const Vec3>(by + at)); };
    now_->x[k] = {from.u + part(of_u), from.w + part(of_w), from.k + part(of_k), from.n + part(of_n)};
  }
}

// As printed: always the same fraction, whatever becomes of the residual. The printed tangent is not the true one, so its directions
// need not lead down.  [Sobottka 2008, eq. (22); ERRATA B9, B10]
NewtonReport System::solve_plainly() {
  NewtonReport report;
  while (true) {
    const NewtonPoint here = evaluate();
    report.residual = here.residual;
    report.converged = here.residual <= settings_.tolerance;
    report.end = report.converged ? NewtonEnd::converged : NewtonEnd::iteration_limit;
    if (!std::isfinite(here.residual)) report.end = NewtonEnd::not_finite;
    if (report.converged || report.end == NewtonEnd::not_finite || report.iterations == settings_.iterations) return report;
    ++report.iterations;
    if (!direction()) {
      report.end = NewtonEnd::no_direction;
      return report;
    }
    move(settings_.relaxation);
    accept();
  }
}

NewtonReport System::solve() {
  if (settings_.space == Space::recurrence) return solve_plainly();
  NewtonOptions options;
  options.max_iterations = settings_.iterations;
  options.tolerance = settings_.tolerance;
  return newton_solve(*this, options);
}

}  // namespace tendril::galpha::paper
