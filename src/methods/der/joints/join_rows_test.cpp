// Rows of joints against finite differences, and what bodies feel.
#include <cmath>

#include "math/rotation.h"
#include "methods/der/der_testing.h"
#include "testing/finite_difference.h"
#include "testing/sentence.h"

namespace tendril::der {

struct JoinsInside {
  BodiesAndJoints& joins;
  int rows() const { return static_cast<int>(joins.rows_.right.size()); }
  int blocks() const { return static_cast<int>(joins.rows_.first_of_block.size()) - 1; }
  Eigen::VectorXd values(const Chain& c) {
    joins.set_values(c);
    return Eigen::Map<Eigen::VectorXd>(joins.rows_.right.data(), rows());
  }
  Eigen::MatrixXd gradients(const Chain& c) {
    joins.set_gradients(c, Push::fast);
    Eigen::MatrixXd d = Eigen::MatrixXd::Zero(rows(), 3 * blocks());
    for (const JoinRows::Term& t : joins.rows_.terms) d.block<1, 3>(t.row, 3 * t.block) += to_eigen(t.g).transpose();
    return d;
  }
  void displace(Chain& c, const Eigen::VectorXd& y) {
    for (int b = 0; b < blocks(); ++b) {
      const Vec3 d = y.segment<3>(3 * b);
      const int body = b - joins.nodes_, carrier = body - joins.plan_.bodies;
      if (body < 0) {
        for (int v = c.begin; v < c.end; ++v)
          if (c.node[z(v)] == b) c.x.add(v, to_small(d));
      } else if (carrier < 0) {
        joins.bodies_[z(body)].pose.position += d;
      } else {
        Quat& q = carrier < joins.plan_.bodies ? joins.bodies_[z(carrier)].pose.orientation
                                               : joins.junction_turn_[z(carrier - joins.plan_.bodies)];
        q = exp_quat(d) * q;
      }
    }
  }
};

namespace {

SENTENCE("der", "every row of every kind of joint is the derivative of its constraint") {
  const auto model = model_of(everything());
  BodiesAndJoints joins(*model);
  Drive drive;
  evaluate(*model, {}, 0, 1, drive);
  const Chain start = build_chain(*model, model->initial, drive, {false, joins.walls()});
  joins.attach(start, 0.1);
  JoinsInside inside{joins};
  EXPECT_EQ(inside.rows(), 17 + 6 * 3 + 2 + 3);
  EXPECT_LT(inside.values(start).norm(), 1e-14);
  const auto moved = [&](const Eigen::VectorXd& y) {
    BodiesAndJoints copy(*model);
    copy.attach(start, 0.1);
    Chain c = start;
    JoinsInside in{copy};
    in.displace(c, y);
    return in.values(c);
  };
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(3 * inside.blocks());
  const auto r = compare_with_differences(moved, inside.gradients(start), zero);
  EXPECT_TRUE(r.ok) << r.message;
}

SENTENCE("der", "the moment a body feels is minus the derivative of the rod's energy in the body's turn") {
  for (const bool anisotropic : {false, true}) {
    Scene scene = one_rod(line, 6, plain_section(1, anisotropic ? 1.7 : 1));
    scene.rods[0].initial = ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3(0, 1, 0.4), 1.1, 1 / 1.1};
    scene.rods[0].initial_twist = 0.3;
    scene.bodies = {body_at("a", Vec3(0, 0, 0), 1, Vec3(1, 1, 1)), body_at("b", Vec3(1, 0.4, 0), 1, Vec3(1, 1, 1))};
    scene.joints = {join(JointKind::rigid, on_rod("rod", 0), on_body("a")),
                    join(JointKind::rigid, on_rod("rod", 1), on_body("b"))};
    const auto model = model_of(scene);
    Drive drive;
    evaluate(*model, {}, 0, 1, drive);
    const auto chain_at = [&](const Eigen::VectorXd& y) {
      BodiesAndJoints joins(*model);
      std::vector<CarriedWall> walls(joins.walls().begin(), joins.walls().end());
      for (int k = 0; k < 2; ++k) {
        Quat& turned = walls[z(k)].now.orientation;
        turned = exp_quat(Vec3(y.segment<3>(3 * k))) * turned;
      }
      Chain c = build_chain(*model, model->initial, drive, {anisotropic, walls});
      AngleWork work(c);
      update_edges(c);
      update_bishop(c, false);
      update_angles(c, work, 1);
      update_gradient(c);
      return c;
    };
    const auto energy = [&](const Eigen::VectorXd& y) {
      const Chain c = chain_at(y);
      return joint_energy(c, c.rods[0], nullptr, nullptr);
    };
    const auto gradient = [&](const Eigen::VectorXd& y) {
      const Chain c = chain_at(y);
      Eigen::VectorXd g(6);
      for (int k = 0; k < 2; ++k) {
        const int s = c.walls[z(k)].slot;
        g.segment<3>(3 * k) = -to_eigen(c.moment.get(s + 1) - c.moment.get(s));
      }
      return g;
    };
    Eigen::VectorXd y(6);
    y.setZero();
    const auto at_zero = compare_with_differences(energy, gradient(y), y);
    EXPECT_TRUE(at_zero.ok) << at_zero.message;
  }
}

// I omega^2 = GJ/L; the wall stands at the node, so L is the whole length.  [REFERENCES 6b (i)]

}  // namespace
}  // namespace tendril::der
