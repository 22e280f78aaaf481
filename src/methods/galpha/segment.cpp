#include "methods/galpha/segment.h"

#include "math/dual.h"
#include "math/elementary.h"

namespace tendril::galpha {

void evaluate(const SegmentRest& s, const Law& law, const SegmentRate& rate, const Quat& a, const Quat& b, const Vec3& n,
              SegmentNow& now) {
  now.w = turn_between(a, b);
  const double square = now.w.squaredNorm();
  const auto d = log_coefficient(Dual<double>(square, 1.0)), quarter = log_coefficient(Dual<double>(0.25 * square, 1.0));
  // tan(x) = cot(x) - 2 cot(2x): the coefficient of the middle frame from that of the logarithm.
  now.d = d.value, now.d_slope = d.slope;
  now.tau = 2 * d.value - 0.5 * quarter.value, now.tau_slope = 2 * d.slope - 0.125 * quarter.slope;
  const double over = 1 / s.h;
  for (int i = 0; i < 3; ++i) {
    now.m[i] = moment_of(law, s.stiffness[i], over * (now.w[i] - s.w_rest[i])).value;
    if (s.damping > 0) now.m[i] += s.damping * s.stiffness[i] * over * (rate.slope * now.w[i] + rate.known[i]);
  }
  const Mat3 frame = a.toRotationMatrix();
  const Vec3 wm = now.w.cross(now.m);
  now.W.noalias() = frame * now.w;
  now.M.noalias() = frame * (now.m + 0.5 * wm + now.d * now.w.cross(wm));
  now.mid = (a * exp_quat(Vec3(0.5 * now.w))).toRotationMatrix();
  now.n = n;
  Vec3 arm = s.rho;
  if (!s.give.isZero(0)) arm += s.give.cwiseProduct(now.mid.transpose() * n);
  now.p.noalias() = now.mid * arm;
  now.q = now.p.cross(n);
  const Vec3 lean = now.tau * now.W.cross(now.q);
  now.on_a = now.M + 0.5 * now.q - lean;
  now.on_b = -now.M + 0.5 * now.q + lean;
}

// dw = Jl(w)^-1 R_a^T (theta_b - theta_a), and everything follows by the chain rule.
void differentiate(const SegmentRest& s, const Law& law, const SegmentRate& rate, const Quat& a, const SegmentNow& now,
                   SegmentTangent& tangent) {
  const Mat3 frame = a.toRotationMatrix();
  const double over = 1 / s.h, square = now.w.squaredNorm();
  // g = Jr(w)^-1 m = m + w x m / 2 + d w x (w x m), and its derivative in w.
  Mat3 right = -now.d * square * Mat3::Identity() + now.d * now.w * now.w.transpose() + 0.5 * skew(now.w);
  right.diagonal().array() += 1;
  Vec3 K;
  for (int i = 0; i < 3; ++i) {
    K[i] = over * moment_of(law, s.stiffness[i], over * (now.w[i] - s.w_rest[i])).tangent;
    if (s.damping > 0) K[i] += s.damping * s.stiffness[i] * over * rate.slope;
  }
  const Vec3 wwm = now.w * now.w.dot(now.m) - square * now.m;
  Mat3 slope = right * K.asDiagonal();
  slope -= 0.5 * skew(now.m);
  slope.noalias() += (2 * now.d_slope) * wwm * now.w.transpose();
  slope.noalias() += now.d * (now.w * now.m.transpose() - 2 * now.m * now.w.transpose());
  slope.diagonal().array() += now.d * now.w.dot(now.m);
  // By differences of the two frames' turns: dW = [..] (theta_b - theta_a) + theta_a x W.
  const Mat3 by_turn = right.transpose() * frame.transpose();  // Jl^-1 R_a^T
  const Mat3 dM = frame * (slope * by_turn), dW = frame * by_turn;
  // The middle frame's turn, and what it does to p and q = p x n.
  const Mat3 lean = now.tau * skew(now.W), skew_n = skew(now.n), skew_p = skew(now.p);
  Mat3 mid_a = lean, mid_b = -lean;
  mid_a.diagonal().array() += 0.5, mid_b.diagonal().array() += 0.5;
  Mat3 dp = -skew_p;
  tangent.give.setZero();
  if (!s.give.isZero(0)) {
    tangent.give = now.mid * s.give.asDiagonal() * now.mid.transpose();
    dp.noalias() += tangent.give * skew_n;
  }
  const Mat3 dq = -skew_n * dp;
  Mat3 dq_dn = skew_p;
  if (!s.give.isZero(0)) dq_dn.noalias() -= skew_n * tangent.give;
  const Mat3 p_a = dp * mid_a, p_b = dp * mid_b, q_a = dq * mid_a, q_b = dq * mid_b;
  // lean = tau W x q with q kept: by W itself, and by tau.
  const Vec3 Wq = now.W.cross(now.q);
  Mat3 dlean_dW = -now.tau * skew(now.q);
  dlean_dW.noalias() += (2 * now.tau_slope) * Wq * now.W.transpose();
  const Mat3 lean_b = dlean_dW * dW, lean_a = -lean_b - dlean_dW * skew(now.W);
  const Mat3 M_a = -dM - skew(now.M);
  // on_a = M + (1/2 - lean) q, on_b = -M + (1/2 + lean) q; rows have the other sign.
  tangent.aa = -M_a - mid_b * q_a + lean_a;
  tangent.ab = -dM - mid_b * q_b + lean_b;
  tangent.ba = M_a - mid_a * q_a - lean_a;
  tangent.bb = dM - mid_a * q_b - lean_b;
  tangent.ta.noalias() = -mid_b * dq_dn;
  tangent.tb.noalias() = -mid_a * dq_dn;
  tangent.pa = -p_a, tangent.pb = -p_b;
}

SegmentEnergy energy_of(const SegmentRest& s, const Law& law, const SegmentNow& now) {
  SegmentEnergy e;
  for (int i = 0; i < 3; ++i)
    (i < 2 ? e.bending : e.twisting) += s.h * tendril::energy_of(law, s.stiffness[i], (now.w[i] - s.w_rest[i]) / s.h);
  if (s.give.isZero(0)) return e;
  const Vec3 n = now.mid.transpose() * now.n;
  e.shearing = 0.5 * (s.give.x() * n.x() * n.x() + s.give.y() * n.y() * n.y());
  e.stretching = 0.5 * s.give.z() * n.z() * n.z();
  return e;
}

}  // namespace tendril::galpha
