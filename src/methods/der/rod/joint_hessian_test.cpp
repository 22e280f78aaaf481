#include "methods/der/rod/joint_hessian.h"

#include "math/rotation.h"
#include "math/transport.h"
#include "testing/finite_difference.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

using namespace tendril;
using namespace tendril::der;

namespace {

// kb = 2 a x b / (1 + a.b)  [Bergou 2008, eq. (1)]
V3<double> curvature_binormal(const V3<double>& a, const V3<double>& b) { return (2 / (1 + dot(a, b))) * cross(a, b); }

struct Frames {  // two edges with directors, in a base state, moved by (de_a, dtheta_a, de_b, dtheta_b)
  Vec3 ea, eb, m1a, m1b;
  double twist = 0;
};

// Parallel transport in time from the base edge to the moved one, then a turn about it.
Vec3 carried(const Vec3& e0, const Vec3& e1, const Vec3& m1, double angle) {
  const Vec3 t1 = e1.normalized();
  return turned_about(t1, parallel_transport(e0.normalized(), t1, m1), angle);
}
JointShape shape_at(const Frames& f, const Vec8& z) {
  const Vec3 ea = f.ea + z.segment<3>(0), eb = f.eb + z.segment<3>(4);
  JointShape s;
  s.a = ea.normalized(), s.b = eb.normalized();
  s.m1a = carried(f.ea, ea, f.m1a, z[3]), s.m1b = carried(f.eb, eb, f.m1b, z[7]);
  s.m2a = s.a.cross(s.m1a), s.m2b = s.b.cross(s.m1b);
  s.twist = unwrap(discrete_twist(s.a, s.m1a, s.b, s.m1b), f.twist);
  return s;
}
Frames random_frames(std::mt19937_64& random) {
  std::uniform_real_distribution<double> number(-1, 1);
  const auto vec = [&] { return Vec3(number(random), number(random), number(random)); };
  Frames f;
  f.ea = vec() + Vec3(2, 0, 0);
  f.eb = 1.3 * vec() + Vec3(1.5, 0.5, 0);
  f.m1a = f.ea.cross(vec()).normalized();
  f.m1b = f.eb.cross(vec()).normalized();
  f.twist = discrete_twist(f.ea.normalized(), f.m1a, f.eb.normalized(), f.m1b) + 4 * 3.141592653589793;  // winding kept
  return f;
}
JointStiffness random_stiffness(std::mt19937_64& random) {
  std::uniform_real_distribution<double> number(-1, 1);
  JointStiffness k;
  k.inverse_l = 0.8;
  k.Ba << 2, 0.4, 0.4, 1;
  k.Bb << 1.5, -0.3, -0.3, 3;
  k.rest_a = Vec2(number(random), number(random));
  k.rest_b = Vec2(number(random), number(random));
  k.twist = 1.7;
  k.rest_twist = 0.3;
  return k;
}
JointEnergy evaluate_at(const Frames& f, const JointStiffness& k, const Vec8& z, bool hessian) {
  const JointShape s = shape_at(f, z);
  JointEnergy joint = joint_energy_with_derivatives(s, k, hessian);
  turns_to_edges(s, 1 / (f.ea + z.segment<3>(0)).norm(), 1 / (f.eb + z.segment<3>(4)).norm(), hessian, joint);
  return joint;
}

}  // namespace

SENTENCE("der", "the gradient of a joint's energy in edges and angles is that of finite differences") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20; ++i) {
    const Frames f = random_frames(random);
    const JointStiffness k = random_stiffness(random);
    const Vec8 zero = Vec8::Zero();
    const auto r = compare_with_differences([&](const Vec8& z) { return evaluate_at(f, k, z, false).energy; },
                                            evaluate_at(f, k, zero, false).gradient, zero);
    EXPECT_TRUE(r.ok) << r.message;
  }
}

SENTENCE("der", "the Hessian of a joint's energy is the second difference of its energy, and is symmetric") {
  // The gradient away from the base is that of a frame carried along other paths, so the Hessian is compared with second
  // differences of the energy, which is a function of the place alone.
  std::mt19937_64 random(4);
  for (int i = 0; i < 10; ++i) {
    const Frames f = random_frames(random);
    const JointStiffness k = random_stiffness(random);
    const JointEnergy exact = evaluate_at(f, k, Vec8::Zero(), true);
    EXPECT_LT((exact.hessian - exact.hessian.transpose()).norm(), 1e-12 * exact.hessian.norm());
    const auto energy = [&](const Vec8& z) { return evaluate_at(f, k, z, false).energy; };
    const auto difference_gradient = [&](const Vec8& z) {
      Vec8 g;
      const double h = 1e-3;
      for (int j = 0; j < 8; ++j) {
        Vec8 step = Vec8::Zero();
        step[j] = h;
        // fourth order, so that the checker's own second order shows
        g[j] = (8 * (energy(z + step) - energy(z - step)) - (energy(z + 2 * step) - energy(z - 2 * step))) / (12 * h);
      }
      return Eigen::VectorXd(g);
    };
    DifferenceOptions options;
    options.step = 2e-2;
    options.rounding = 1e-6;
    const auto r =
        compare_with_differences(difference_gradient, Eigen::MatrixXd(exact.hessian), Vec8(Vec8::Zero()), options);
    EXPECT_TRUE(r.ok) << r.message;
  }
}

SENTENCE("der", "a joint's energy does not change when the world turns, and its moments balance") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20; ++i) {
    const Frames f = random_frames(random);
    const JointStiffness k = random_stiffness(random);
    const JointShape s = shape_at(f, Vec8::Zero());
    const JointEnergy joint = joint_energy_with_derivatives(s, k, false);
    // turning both frames alike costs nothing
    EXPECT_LT((joint.gradient.segment<3>(0) + joint.gradient.segment<3>(4)).norm(), 1e-12);
    Frames turned = f;
    const Mat3 R = exp_matrix(Vec3(0.3, -1.1, 0.7));
    for (Vec3* v : {&turned.ea, &turned.eb, &turned.m1a, &turned.m1b}) *v = R * *v;
    EXPECT_NEAR(evaluate_at(turned, k, Vec8::Zero(), false).energy, joint.energy, 1e-12 * joint.energy);
  }
}

SENTENCE("der", "the moment of the force kernel is the gradient of the joint's energy") {
  std::mt19937_64 random(6);
  for (int i = 0; i < 20; ++i) {
    const Frames f = random_frames(random);
    const JointStiffness k = random_stiffness(random);
    const JointShape s = shape_at(f, Vec8::Zero());
    const JointEnergy joint = joint_energy_with_derivatives(s, k, false);
    const auto a = to_small(s.a), b = to_small(s.b);
    const double w = joint_weight(dot(a, b));
    const Directors<double> da{to_small(s.m1a), to_small(s.m2a)}, db{to_small(s.m1b), to_small(s.m2b)};
    const auto oa = material_curvature_first(b, w, da.m1, da.m2), ob = material_curvature_second(a, w, db.m1, db.m2);
    const Vec2 p = k.inverse_l * k.Ba * (Vec2(oa.x, oa.y) - k.rest_a),
               q = k.inverse_l * k.Bb * (Vec2(ob.x, ob.y) - k.rest_b);
    const auto G =
        general_moment(a, b, w, da, db, oa, ob, {p.x(), p.y()}, {q.x(), q.y()}, k.twist * (s.twist - k.rest_twist));
    EXPECT_LT((to_eigen(G) - joint.gradient.segment<3>(4)).norm(), 1e-12 * (1 + to_eigen(G).norm()));
    EXPECT_NEAR(angle_gradient(oa, {p.x(), p.y()}) - k.twist * (s.twist - k.rest_twist), joint.gradient[3], 1e-11);
    EXPECT_NEAR(angle_gradient(ob, {q.x(), q.y()}) + k.twist * (s.twist - k.rest_twist), joint.gradient[7], 1e-11);
    // the two ways to say the material curvature [Bergou 2008, eq. (2)]
    const auto kb = curvature_binormal(a, b);
    EXPECT_NEAR(oa.x, dot(kb, da.m2), 1e-13);
    EXPECT_NEAR(oa.y, -dot(kb, da.m1), 1e-13);
    EXPECT_NEAR(ob.x, dot(kb, db.m2), 1e-13);
    EXPECT_NEAR(ob.y, -dot(kb, db.m1), 1e-13);
  }
}

SENTENCE("der", "an isotropic straight joint has the moment of the general one") {
  std::mt19937_64 random(8);
  for (int i = 0; i < 20; ++i) {
    const Frames f = random_frames(random);
    JointStiffness k;
    const double alpha = 1.3, l = 1.7;
    k.inverse_l = 1 / l;
    k.Ba = k.Bb = alpha * Mat2::Identity();
    k.twist = 0.9;
    const JointShape s = shape_at(f, Vec8::Zero());
    const JointEnergy joint = joint_energy_with_derivatives(s, k, false);
    const auto G = isotropic_moment(to_small(s.a), to_small(s.b), 8 * alpha / l, k.twist * s.twist);
    EXPECT_LT((to_eigen(G) - joint.gradient.segment<3>(4)).norm(), 1e-12 * (1 + to_eigen(G).norm()));
    const auto kb = curvature_binormal(to_small(s.a), to_small(s.b));
    EXPECT_NEAR(joint.energy, alpha * dot(kb, kb) / l + 0.5 * k.twist * s.twist * s.twist, 1e-12 * joint.energy);
  }
}
