#include "methods/cable/system.h"

#include <cmath>

#include "math/rotation.h"
#include "methods/cable/joint_forms.h"

namespace tendril::cable {
namespace {

// Accepted pivots, over their row: loads 1e15 times as heavy as a segment.
constexpr double smallest_pivot = 1e-30;
// Of joints between bodies, over the diagonal of their rows.
constexpr double shared_give = 1e-11;

// W J^T of one side. A cross product from the right is one of the rows: a^T [l] = (a x l)^T.
Block6 response_of(const JointRows& rows, const Vec3& lever, double sign, const Response& e) {
  Block6 out;
  const Vec3 l = sign * lever;
  out.topLeftCorner<3, 3>() = sign * e.linear;
  for (int r = 0; r < 3; ++r) {
    const Vec3 a = e.angular.row(r);
    out.block<1, 3>(r + 3, 0) = a.cross(l);
    for (int c = 0; c < 3; ++c)
      out(r, c + 3) = 0,
                 out(r + 3, c + 3) = sign * (a[0] * rows.turn(c, 0) + a[1] * rows.turn(c, 1) + a[2] * rows.turn(c, 2));
  }
  if (e.has_mixed) {
    out.topLeftCorner<3, 3>() += e.mixed * skew(l);
    out.bottomLeftCorner<3, 3>() += sign * e.mixed.transpose();
    out.topRightCorner<3, 3>() += sign * (e.mixed * rows.turn.transpose());
  }
  if (rows.slides) out.leftCols<3>() -= (out.leftCols<3>() * rows.axis) * rows.axis.transpose();
  return out;
}

// J times a response, column by column: the point's velocity v + w x lever, and the turn.
void add_rows_times(const JointRows& rows, const Vec3& lever, double sign, const Block6& response, Block6& out) {
  const Vec3 l = sign * lever;
  const Mat3 t = sign * rows.turn;
  for (int c = 0; c < 6; ++c) {
    const double w0 = response(3, c), w1 = response(4, c), w2 = response(5, c);
    out(0, c) += sign * response(0, c) + (w1 * l[2] - w2 * l[1]);
    out(1, c) += sign * response(1, c) + (w2 * l[0] - w0 * l[2]);
    out(2, c) += sign * response(2, c) + (w0 * l[1] - w1 * l[0]);
    for (int r = 0; r < 3; ++r) out(r + 3, c) += t(r, 0) * w0 + t(r, 1) * w1 + t(r, 2) * w2;
  }
}

}  // namespace

void place_rows(const Joint& joint, const JointPlace& at, double near, bool one_point, JointRows& rows, double& twist) {
  const Vec3 a = at.x_a + at.q_a * joint.point_a, b = at.x_b + at.q_b * joint.point_b;
  const Vec3 middle = 0.5 * (a + b);
  rows.gap = b - a;
  rows.lever_a = (one_point ? middle : a) - at.x_a, rows.lever_b = (one_point ? middle : b) - at.x_b;
  rows.slides = joint.slides;
  if (joint.slides) {  // what lies across the axis; the line turns with a, and the force acts where b's point is on it
    rows.axis = at.q_a * joint.axis;
    rows.gap -= rows.axis.dot(rows.gap) * rows.axis;
    rows.lever_a = b - at.x_a, rows.lever_b = b - at.x_b;
  }
  if (!joint.holds_frame) {
    rows.turn.setZero(), rows.strain.setZero(), rows.moment_strain.setZero(), rows.stiffness.setZero();
    return;
  }
  const Quat qa = at.q_a * joint.frame_a, qb = at.q_b * joint.frame_b;
  if (joint.form != JointForm::smooth) {
    place_form(joint.form, qa, qb, near, rows, twist);
    apply_law(joint, rows);
    return;
  }
  const StrainPoint p = strain_point(joint.kind, qa.conjugate() * qb, near);
  rows.strain = p.strain - joint.rest;
  rows.turn.noalias() = strain_gradient(p) * qa.toRotationMatrix().transpose();
  twist = p.strain[2];
  apply_law(joint, rows);
}

void apply_law(const Joint& joint, JointRows& rows) {
  rows.moment_strain = rows.strain, rows.stiffness = joint.stiffness;
  if (joint.law.is_linear()) return;
  for (int i = 0; i < 3; ++i) {
    if (joint.stiffness[i] == rigid || joint.stiffness[i] == 0) continue;
    const LawValue law = moment_of(joint.law, joint.stiffness[i] * joint.span, rows.strain[i] / joint.span);
    rows.stiffness[i] = law.tangent / joint.span;
    rows.moment_strain[i] = law.value / rows.stiffness[i];
  }
}

void weigh_rows(const Joint& joint, bool point_on, bool frame_on, double tension_damper, double inertia,
                const StepSizes& step, JointRows& rows) {
  rows.point_on = point_on && joint.holds_point;
  const auto weigh = [&](double k, double c, double share, double& give, double& pull) {
    if (k == rigid) {
      give = 0, pull = 1 / (step.h * std::max(step.dt, step.mend));
      return true;
    }
    const double d = share * k * step.dt + c;
    if (!(d > 0)) return false;
    give = 1 / (step.h * d), pull = k * give;
    return true;
  };
  if (rows.point_on)
    weigh(joint.stretch, joint.stretch == rigid ? 0 : joint.damping * joint.stretch, 1, rows.give, rows.pull);
  rows.memory.setZero();
  for (int i = 0; i < 3; ++i) {
    const double k = rows.stiffness[i];
    const bool averaged = step.averaged && k != rigid;
    const double c =
        k == rigid
            ? 0
            : k * (joint.damping + (averaged ? step.extra_damping * need_of_damping(k * step.dt * step.h / inertia) : 0)) +
                  tension_damper;
    rows.on[i] = frame_on && joint.holds_frame &&
                 !(i == 2 && (joint.kind == StrainKind::beside_a || joint.kind == StrainKind::beside_b)) &&
                 weigh(k, c, averaged ? 0.25 : 1, rows.frame_give[i], rows.frame_pull[i]);
    if (!rows.on[i]) {
      rows.turn.row(i).setZero();
      rows.frame_give[i] = 1, rows.frame_pull[i] = 0;  // a row of its own, whose multiplier is zero
    } else if (averaged) {
      rows.memory[i] = 0.25 * step.before * rows.frame_pull[i];
    }
  }
}

GroupSolver::GroupSolver(const Parts& parts, const Group& group, const SolverChoice& choice) : parts_(parts), group_(group) {
  const std::size_t room = group.joints.capacity();
  by_a_.reserve(room), by_b_.reserve(room), diagonal_.reserve(room), lambda_.reserve(6 * room), used_.reserve(2 * room);
  links_.reserve(room), shared_.reserve(room), right_.reserve(6 * room), extra_.reserve(6 * room);
  rate_before_.reserve(3 * room), first_.reserve(3 * room), second_.reserve(3 * room);
  if (group.path) tridiagonal_.resize(static_cast<int>(room));
  reshape();
  if (choice.kind == SolverKind::direct) return;  // the others keep their joints
  guess_.assign(lambda_.size(), 0.0);
  iterative_ = std::make_unique<IterativeSolver>(parts, group, links_, choice);
}

void GroupSolver::reshape() {
  const std::size_t n = group_.joints.size();
  for (auto* blocks : {&by_a_, &by_b_, &diagonal_}) blocks->assign(n, Block6::Zero());
  lambda_.assign(6 * n, 0.0), right_ = lambda_, extra_ = lambda_;
  rate_before_.assign(3 * n, 0.0), first_ = second_ = rate_before_;
  used_.assign(2 * n, 0);
  links_.clear();
  if (group_.path) {
    const auto moves = [&](int e) { return !parts_.elements[z(e)].led; };
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const Joint &first = parts_.joints[z(group_.joints[i])], &second = parts_.joints[z(group_.joints[i + 1])];
      int element = -1;
      for (const int e : {first.a, first.b})
        if (moves(e) && (e == second.a || e == second.b)) element = e;
      links_.push_back({static_cast<int>(i), static_cast<int>(i + 1), element});
    }
    tridiagonal_.resize(static_cast<int>(n));
  } else {
    link_elements();
  }
  shared_.assign(links_.size(), Block6::Zero());
}

void GroupSolver::begin_with(std::size_t joint, const Vec3& force, const Vec3& couple) {
  if (!iterative_) return;
  for (int k = 0; k < 3; ++k) guess_[6 * joint + z(k)] = force[k], guess_[6 * joint + 3 + z(k)] = couple[k];
}

// Joints of each element, in the order of the group; every two of them are linked.
void GroupSolver::link_elements() {
  const std::size_t count = parts_.elements.size();
  first_at_.assign(count + 1, 0);
  at_.assign(2 * group_.joints.size(), 0);
  const auto for_each_side = [&](auto&& f) {
    for (std::size_t i = 0; i < group_.joints.size(); ++i)
      for (const int e : {parts_.joints[z(group_.joints[i])].a, parts_.joints[z(group_.joints[i])].b})
        if (!parts_.elements[z(e)].led) f(static_cast<int>(i), z(e));
  };
  for_each_side([&](int, std::size_t e) { ++first_at_[e + 1]; });
  for (std::size_t e = 0; e < count; ++e) first_at_[e + 1] += first_at_[e];
  for_each_side([&](int i, std::size_t e) { at_[z(first_at_[e]++)] = i; });  // each first becomes the next one's
  for (const int e : group_.elements) {
    const int from = e > 0 ? first_at_[z(e) - 1] : 0, to = first_at_[z(e)];
    for (int k = from; k < to; ++k)
      for (int i = from; i < k; ++i) links_.push_back({at_[z(i)], at_[z(k)], e});
  }
}

void GroupSolver::assemble(const std::vector<JointRows>& rows, const std::vector<Response>& elements,
                           const StepSizes& step) {
  for (std::size_t i = 0; i < group_.joints.size(); ++i) {
    const Joint& joint = parts_.joints[z(group_.joints[i])];
    const JointRows& r = rows[z(group_.joints[i])];
    Block6& d = diagonal_[i];
    d.setZero();
    Vec3 rate = Vec3::Zero(), turn = Vec3::Zero(), turn_before = Vec3::Zero();
    const auto side = [&](int e, const Vec3& lever, double sign, Block6& response) {
      const Response& of = elements[z(e)];
      if (parts_.elements[z(e)].led) return;
      response = response_of(r, lever, sign, of);
      add_rows_times(r, lever, sign, response, d);
      rate += sign * (of.y + of.y_spin.cross(lever));
      turn += sign * of.y_spin, turn_before += sign * of.spin;
    };
    side(joint.a, r.lever_a, -1, by_a_[i]);
    side(joint.b, r.lever_b, 1, by_b_[i]);
    // Bodies may be held twice in the same direction: a trace of give shares the force.
    if (joint.node < 0 && joint.inner < 0) d.diagonal() *= 1 + shared_give;
    double* lambda = lambda_.data() + 6 * i;
    if (r.slides) {  // no row along the axis: one of its own, whose multiplier is zero
      d.topRows<3>() -= r.axis * (r.axis.transpose() * d.topRows<3>());
      const double own = 0.5 * d.topLeftCorner<3, 3>().trace();
      d.topLeftCorner<3, 3>() += own * r.axis * r.axis.transpose();
      rate -= r.axis.dot(rate) * r.axis;
    }
    Eigen::Map<Vec3>(rate_before_.data() + 3 * i) = r.turn * turn_before;
    const Vec3 turned = r.turn * turn, before = r.turn * turn_before;
    for (int k = 0; k < 3; ++k) {
      if (r.point_on) {
        d(k, k) += r.give;
        lambda[k] = -rate[k] / step.h - r.pull * r.gap[k];
      } else {
        d.row(k).setZero(), d.col(k).setZero(), d(k, k) = 1, lambda[k] = 0;
      }
      d(k + 3, k + 3) += r.frame_give[k];
      lambda[k + 3] = -turned[k] / step.h - r.frame_pull[k] * r.moment_strain[k] + r.memory[k] * before[k];
    }
    used_[2 * i] = r.point_on, used_[2 * i + 1] = r.on[0] || r.on[1] || r.on[2];
  }
  for (std::size_t l = 0; l < links_.size(); ++l) {
    const Link& link = links_[l];
    const Joint &first = parts_.joints[z(group_.joints[z(link.first)])],
                &second = parts_.joints[z(group_.joints[z(link.second)])];
    const JointRows& r = rows[z(group_.joints[z(link.second)])];
    const Block6& response = first.a == link.element ? by_a_[z(link.first)] : by_b_[z(link.first)];
    Block6& s = shared_[l];
    s.setZero();
    const bool a = second.a == link.element;
    add_rows_times(r, a ? r.lever_a : r.lever_b, a ? -1 : 1, response, s);
    if (r.slides) s.topRows<3>() -= r.axis * (r.axis.transpose() * s.topRows<3>());
    if (!r.point_on) s.topRows<3>().setZero();
    if (!rows[z(group_.joints[z(link.first)])].point_on) s.leftCols<3>().setZero();
  }
}

bool GroupSolver::solve_path() {
  for (std::size_t i = 0; i < diagonal_.size(); ++i) tridiagonal_.diagonal(static_cast<int>(i)) = diagonal_[i];
  for (std::size_t i = 0; i < shared_.size(); ++i) tridiagonal_.lower(static_cast<int>(i)) = shared_[i];
  const PivotReport report = tridiagonal_.factor(smallest_pivot);
  tridiagonal_.solve(lambda_);
  return std::isfinite(report.smallest);
}

bool GroupSolver::solve_general() {
  general_.begin(static_cast<int>(used_.size()));
  for (std::size_t i = 0; i < diagonal_.size(); ++i) {
    const int at = 2 * static_cast<int>(i);
    general_.add(at, at, diagonal_[i].topLeftCorner<3, 3>());
    general_.add(at + 1, at + 1, diagonal_[i].bottomRightCorner<3, 3>());
    if (used_[2 * i] && used_[2 * i + 1]) general_.add(at + 1, at, diagonal_[i].bottomLeftCorner<3, 3>());
  }
  for (std::size_t l = 0; l < links_.size(); ++l) {
    for (int r = 0; r < 2; ++r) {
      for (int c = 0; c < 2; ++c) {
        const int row = 2 * links_[l].second + r, column = 2 * links_[l].first + c;
        if (used_[z(row)] && used_[z(column)]) general_.add(row, column, shared_[l].block<3, 3>(3 * r, 3 * c));
      }
    }
  }
  const PivotReport report = general_.factor();
  general_.solve(lambda_);
  return std::isfinite(report.smallest);
}

bool GroupSolver::solve_in_turn() {
  const bool fine = iterative_->solve(diagonal_, shared_, lambda_, guess_);
  std::swap(lambda_, guess_);
  return fine;
}

void GroupSolver::spread(std::vector<Response>& elements, const StepSizes& step) const {
  for (const int e : group_.elements) elements[z(e)].v = elements[z(e)].y, elements[z(e)].spin = elements[z(e)].y_spin;
  for (std::size_t i = 0; i < group_.joints.size(); ++i) {
    const Joint& joint = parts_.joints[z(group_.joints[i])];
    const Eigen::Map<const Eigen::Matrix<double, 6, 1>> lambda(lambda_.data() + 6 * i);
    const auto side = [&](int e, const Block6& response) {
      if (parts_.elements[z(e)].led) return;
      const Eigen::Matrix<double, 6, 1> change = step.h * (response * lambda);
      elements[z(e)].v += change.head<3>(), elements[z(e)].spin += change.tail<3>();
    };
    side(joint.a, by_a_[i]);
    side(joint.b, by_b_[i]);
  }
}

void GroupSolver::follow(const std::vector<JointRows>& rows, const StepSizes& step, std::vector<Vector6>& change,
                         bool keep) {
  if (group_.joints.empty()) return;
  const auto moves = [&](int e) { return !parts_.elements[z(e)].led; };
  for (std::size_t i = 0; i < group_.joints.size(); ++i) {
    const Joint& joint = parts_.joints[z(group_.joints[i])];
    const JointRows& r = rows[z(group_.joints[i])];
    Vec3 rate = Vec3::Zero(), turn = Vec3::Zero();
    const auto side = [&](int e, const Vec3& lever, double sign) {
      if (!moves(e)) return;
      const Vec3 v = change[z(e)].head<3>(), spin = change[z(e)].tail<3>();
      rate += sign * (v + spin.cross(lever)), turn += sign * spin;
    };
    side(joint.a, r.lever_a, -1);
    side(joint.b, r.lever_b, 1);
    if (r.slides) rate -= r.axis.dot(rate) * r.axis;
    const Vec3 turned = r.turn * turn;
    double* more = extra_.data() + 6 * i;
    for (int k = 0; k < 3; ++k) more[k] = r.point_on ? -rate[k] / step.h : 0, more[k + 3] = -turned[k] / step.h;
  }
  if (group_.path)
    tridiagonal_.solve(extra_);
  else
    general_.solve(extra_);
  for (std::size_t i = 0; i < group_.joints.size(); ++i) {
    const Joint& joint = parts_.joints[z(group_.joints[i])];
    const Eigen::Map<const Vector6> more(extra_.data() + 6 * i);
    if (moves(joint.a)) change[z(joint.a)] += step.h * (by_a_[i] * more);
    if (moves(joint.b)) change[z(joint.b)] += step.h * (by_b_[i] * more);
  }
  if (!keep) return;
  for (std::size_t k = 0; k < lambda_.size(); ++k) lambda_[k] += extra_[k];
}

bool GroupSolver::solve_again() {
  if (group_.joints.empty()) return true;
  if (iterative_) return solve_in_turn();
  if (group_.path)
    tridiagonal_.solve(lambda_);
  else
    general_.solve(lambda_);
  return true;
}

bool GroupSolver::solve_assembled() {
  if (group_.joints.empty()) return true;
  return iterative_ ? solve_in_turn() : group_.path ? solve_path() : solve_general();
}

bool GroupSolver::solve(const std::vector<JointRows>& rows, std::vector<Response>& elements, const StepSizes& step) {
  assemble(rows, elements, step);
  if (step.pitched) std::copy(lambda_.begin(), lambda_.end(), right_.begin());
  if (!solve_assembled()) return false;
  spread(elements, step);
  return !step.pitched || keep_pitch(rows, elements, step);
}

// Averaged rows alone give a wave of rate w the second difference -u phi, u = x/(1 + x/4), x = (w dt)^2, where 2 - 2 cos(w dt) would be
// right: waves are late by w^2 dt^2/12. What u makes of itself, u + u^2/6 - u^3/24, is right to x^2, and like u below 4 for every x, which
// is all that stability asks for. So: once with the strain, again with -1/6 of the second difference d1 that was found, and once more
// with -d1/6 + (d2 - d1)/4.
bool GroupSolver::keep_pitch(const std::vector<JointRows>& rows, std::vector<Response>& elements, const StepSizes& step) {
  find_second_differences(rows, elements, step, first_);
  for (int pass = 0; pass < 2; ++pass) {
    if (iterative_) std::copy(lambda_.begin(), lambda_.end(), guess_.begin());
    std::copy(right_.begin(), right_.end(), lambda_.begin());
    for (std::size_t i = 0; i < group_.joints.size(); ++i) {
      const JointRows& r = rows[z(group_.joints[i])];
      for (std::size_t k = 0; k < 3; ++k) {
        if (r.memory[static_cast<int>(k)] == 0) continue;
        const double d1 = first_[3 * i + k], more = pass == 0 ? 0 : 0.25 * (second_[3 * i + k] - d1);
        lambda_[6 * i + 3 + k] -= r.frame_pull[static_cast<int>(k)] * (more - d1 / 6);
      }
    }
    if (!solve_again()) return false;
    spread(elements, step);
    if (pass == 0) find_second_differences(rows, elements, step, second_);
  }
  return true;
}

// Of the strains: phi(n+1) - 2 phi(n) + phi(n-1).
void GroupSolver::find_second_differences(const std::vector<JointRows>& rows, const std::vector<Response>& elements,
                                          const StepSizes& step, std::vector<double>& out) const {
  for (std::size_t i = 0; i < group_.joints.size(); ++i) {
    const Joint& joint = parts_.joints[z(group_.joints[i])];
    Vec3 turn = Vec3::Zero();
    if (!parts_.elements[z(joint.b)].led) turn += elements[z(joint.b)].spin;
    if (!parts_.elements[z(joint.a)].led) turn -= elements[z(joint.a)].spin;
    const Vec3 now = rows[z(group_.joints[i])].turn * turn;
    const Eigen::Map<const Vec3> before(rate_before_.data() + 3 * i);
    Eigen::Map<Vec3>(out.data() + 3 * i) =
        step.before > 0 ? Vec3(step.dt * now - step.before * before) : Vec3(2 * step.dt * (now - before));
  }
}

}  // namespace tendril::cable
