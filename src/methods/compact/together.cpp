// What a rod does for a solution together with others: where it starts from, and loads without a potential.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>

#include "math/rotation.h"
#include "methods/compact/problem.h"

namespace tendril::compact {

void Problem::start_at_rest() {
  std::copy(state_->q.begin(), state_->q.end(), q_.begin());
  std::copy(q_.begin(), q_.end(), base_q_.begin());
  root_ = base_root_ = state_->root;
}

// Velocities of its nodes as those of a rigid body: by momentum, and by angular momentum about the centre.
void Problem::start_as_whole() {
  const Levels& p = state_->points;
  Vec3 centre = Vec3::Zero(), velocity = Vec3::Zero(), spin = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
  for (int k = 0; k < chain_.nodes(); ++k)
    centre += chain_.mass[z(k)] * p.y[z(k)], velocity += chain_.mass[z(k)] * p.v[z(k)];
  centre /= chain_.total, velocity /= chain_.total;
  for (int k = 0; k < chain_.nodes(); ++k) {
    const Vec3 r = p.y[z(k)] - centre;
    spin += chain_.mass[z(k)] * r.cross(p.v[z(k)] - velocity);
    inertia += chain_.mass[z(k)] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
  }
  const double size = inertia.trace();
  if (size > 0) inertia.diagonal().array() += 1e-9 * size;  // of a straight rod about itself
  const Quat turn = exp_quat(size > 0 ? Vec3(stage_.h * inertia.ldlt().solve(spin)) : Vec3(Vec3::Zero()));
  for (int i = 0; i < chain_.all(); ++i) q_[z(i)] = base_q_[z(i)] = (turn * state_->q[z(i)]).normalized();
  root_ = base_root_ = centre + stage_.h * velocity + turn * (state_->root - centre);
}

void Problem::set_root(const Vec3& root) { root_ = base_root_ = root; }

// A step of backward Euler works with the forces at its end, along tangents there. Turning by t a link takes (t x a).Q where its ends gave
// Q.da, the tension times l (1 - cos t) more; a director likewise; a joint takes its moment times the turn where it keeps V - V'. Walls as they
// stand now: what their clamps have turned them is those's work.
double Problem::lost_in_turning() const {
  const auto turn_of = [&](int i) { return log_rotation(Quat(q_[z(i)] * state_->q[z(i)].conjugate())); };
  const std::vector<Vec3>& before = state_->points.y;
  double sum = 0;
  for (int i = 0; i < chain_.real(); ++i) {
    const Vec3 turn = turn_of(i), arm = (chain_.sign() * chain_.links[z(i)].length) * frame_[z(i)].col(2);
    sum += beyond_[z(i)].dot(turn.cross(arm) - (arm - (before[z(i + 1)] - before[z(i)])));
    for (int k = 0; k < 2; ++k) {
      const int p = chain_.d1(i) + k;
      const Vec3 d = frame_[z(i)].col(k);
      sum += c_ * chain_.mass[z(p)] * (d - hat_[z(p)]).dot(turn.cross(d) - (d - before[z(p)]));
    }
  }
  const auto add = [&](const Joint& joint, const JointNow& now, double near) {
    const Vec3 was = strain_point(joint.kind, joint_quaternion(joint, state_->q, frames()), near).strain,
               is = now.point.strain;
    const Vec3 turn =
        (joint.b >= 0 ? turn_of(joint.b) : Vec3(Vec3::Zero())) - (joint.a >= 0 ? turn_of(joint.a) : Vec3(Vec3::Zero()));
    const auto energy = [&](const Vec3& strain) { return 0.5 * joint.kappa.dot((strain - joint.rest).cwiseAbs2()); };
    const Vec3 damping = now.kappa.cwiseProduct(is - now.rest) - joint.kappa.cwiseProduct(is - joint.rest);
    sum += now.moment.dot(turn) - (energy(is) - energy(was)) - damping.dot(is - was);
  };
  for (std::size_t i = 1; i < joint_.size(); ++i)
    if (!off_[i]) add(chain_.joints[i], joint_[i], state_->twist[i]);
  for (std::size_t w = 0; w < wall_.size(); ++w)
    if (state_->wall_holds[w]) add(chain_.walls[w], wall_[w], state_->wall_twist[w]);
  return sum;
}

// Newton's method with contacts needs an energy. Loads without one are taken as they are at a place x', with the part of their
// tangent K that has an energy and is stable (drag is):  -f . x - 1/2 (x - x') K (x - x');  moments as -m . turn. At the solution
// they are taken anew, until they stay.
void Problem::freeze_loads() {
  frozen_ = false;
  if (potential_) return;
  frozen_ = true;
  std::fill(frozen_force_.begin(), frozen_force_.end(), Vec3::Zero());
  std::fill(frozen_moment_.begin(), frozen_moment_.end(), Vec3::Zero());
  std::fill(frozen_tangent_.begin(), frozen_tangent_.end(), Mat3::Zero());
  place();
  std::copy(x_.begin(), x_.begin() + chain_.nodes(), frozen_place_.begin());
  std::copy(q_.begin(), q_.end(), frozen_q_.begin());
  for (int i = 0; i < chain_.real(); ++i) {
    for (const bool far : {false, true}) {
      const LoadedPoint<double> at = loaded_point(i, far);
      const std::size_t k = z(far ? i + 1 : i);
      const WrenchOf<double> w = half_load(i, far, at);
      frozen_force_[k] += to_eigen(w.force);
      frozen_moment_[z(i)] += to_eigen(w.moment);
      const LoadTangent t = load_tangent([&](const auto& point) { return half_load(i, far, point); }, at);
      const Mat3 slope = (t.position + stage_.gamma * t.velocity).topRows<3>();
      frozen_tangent_[k] += 0.5 * (slope + slope.transpose());
    }
  }
  for (Mat3& t : frozen_tangent_) {
    Eigen::SelfAdjointEigenSolver<Mat3> eigen;
    eigen.computeDirect(t);
    t = eigen.eigenvectors() * eigen.eigenvalues().cwiseMin(0.0).asDiagonal() * eigen.eigenvectors().transpose();
  }
}

void Problem::add_frozen_loads() {
  for (std::size_t k = 0; k < frozen_force_.size(); ++k) {
    const Vec3 away = x_[k] - frozen_place_[k], more = frozen_tangent_[k] * away;
    node_gradient_[k] -= frozen_force_[k] + more;
    const double work = frozen_force_[k].dot(x_[k]);
    energy_ -= work + 0.5 * away.dot(more);
    energy_scale_ += std::abs(work);
  }
  for (int i = 0; i < chain_.real(); ++i) {
    if (frozen_moment_[z(i)].isZero(0)) continue;
    const Vec3 turn = log_rotation(Quat(q_[z(i)] * frozen_q_[z(i)].conjugate()));
    energy_ -= frozen_moment_[z(i)].dot(turn);
    link_gradient_[z(i)] -= left_jacobian_inverse(turn).transpose() * frozen_moment_[z(i)];
  }
}

double Problem::thaw() const {
  if (!frozen_) return 0;
  double most = 0;
  Vec3 last = Vec3::Zero();
  for (int i = 0; i < chain_.real(); ++i) {
    Vec3 moment = Vec3::Zero(), near = last;
    for (const bool far : {false, true}) {
      const WrenchOf<double> w = half_load(i, far, loaded_point(i, far));
      (far ? last : near) = (far ? Vec3(Vec3::Zero()) : near) + to_eigen(w.force);
      moment += to_eigen(w.moment);
    }
    const auto changed = [&](int k, const Vec3& force) {
      const Vec3 now = frozen_force_[z(k)] + frozen_tangent_[z(k)] * (x_[z(k)] - frozen_place_[z(k)]);
      most = std::max(most, (force - now).norm());
    };
    changed(i, near);
    if (i + 1 == chain_.real()) changed(i + 1, last);
    most = std::max(most, (moment - frozen_moment_[z(i)]).norm() / chain_.length);
  }
  return most / scale_;
}

}  // namespace tendril::compact
