// Fast projection of rods, bodies and joints together.  [Bergou 2008, sec. 8.1]
//
// Constraints
//   edge    c = (|e|^2 - rest^2)/2
//   tie     c = p_a - p_b,  p = x of a node, r + R p0 of a body, or a point of the world         three rows
//   hinge   c = b_i . h,    h the axis in a, b_1 and b_2 perpendicular to it in b                       two rows
//   rigid   c = 2 vec(q_a q_rel q_b*)                                                            three rows
// over the displacements of nodes, of bodies and the small turns phi of carriers (world axes, q <- exp(phi) q):
//   d(R p0) = phi x R p0,   db = phi x b,   dc = phi_a - phi_b for rigid ones
// in the metric of the kinetic energy: W = 1/m, 1/M, R I^-1 R^T, guided bodies masked.
//   (D W D^T) lambda = c,   dy = -W D^T lambda                                                   [ERRATA D16, D17]
// differs from the paper: a turn is a vector of three and never leaves the unit quaternions, so q.q = 1 is no constraint
// [ERRATA D19]; and what a body gets is an impulse, which changes its angular momentum and from that its spin, rather than
// the turn over h  [ERRATA D18]: no momentum is lost, however far the body turns.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "math/rotation.h"
#include "methods/der/joints/bodies_and_joints.h"
#include "model/bodies.h"

namespace tendril::der {

namespace {
V3<double> unit(int k) { return {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0}; }
}  // namespace

void BodiesAndJoints::add_row(std::initializer_list<int> blocks) {
  const int row = static_cast<int>(rows_.first_term.size()) - 1;
  for (const int block : blocks) {
    if (block >= 0) rows_.terms.push_back({row, block, {0, 0, 0}});
  }
  rows_.first_term.push_back(static_cast<int>(rows_.terms.size()));
}

// Rows in the order edges, ties, turns, each with the blocks it moves.
void BodiesAndJoints::lay_out_rows(const Chain& c) {
  rows_ = {};
  rows_.first_term.push_back(0);
  edge_slots_.clear();
  // Edges: two nodes each.
  for (int s = c.begin; s < c.end; ++s) {
    if (c.constrained[z(s)] == 0) continue;
    edge_slots_.push_back(s);
    add_row({c.node[z(s)], c.node[z(s + 1)]});
  }
  // Ties: of each side a node, or place and turn of a body; the world has no block. set_gradients walks through the terms in
  // this order.
  const auto place = [&](const TieSide& side) {
    return side.node >= 0 ? side.node : side.body >= 0 ? place_block(side.body) : -1;
  };
  const auto turn = [&](const TieSide& side) { return side.node < 0 && side.body >= 0 ? turn_block(side.body) : -1; };
  for (const Tie& tie : plan_.ties)
    for (int k = 0; k < 3; ++k) add_row({place(tie.a), turn(tie.a), place(tie.b), turn(tie.b)});
  // Turns: of two carriers, or of one against the world.
  for (const TurnTie& t : plan_.turns)
    for (int k = 0; k < (t.hinge ? 2 : 3); ++k) add_row({turn_block(t.a), t.b >= 0 ? turn_block(t.b) : -1});
}

// The matrix couples rows that move the same block: its pattern, and where each product goes.
void BodiesAndJoints::lay_out_matrix(int blocks) {
  std::vector<std::vector<int>> terms_of(z(blocks));
  for (std::size_t t = 0; t < rows_.terms.size(); ++t) terms_of[z(rows_.terms[t].block)].push_back(static_cast<int>(t));
  // Entries of the lower triangle: two rows with a block in common.
  std::vector<std::pair<int, int>> pairs;
  for (const auto& list : terms_of)
    for (const int p : list)
      for (const int q : list)
        if (rows_.terms[z(q)].row < rows_.terms[z(p)].row) pairs.emplace_back(rows_.terms[z(p)].row, rows_.terms[z(q)].row);
  matrix_.set_pattern(static_cast<int>(rows_.first_term.size()) - 1, pairs);
  // The same terms sorted by block, and for every pair of them the place of its entry: factor then only multiplies and adds.
  rows_.first_of_block.push_back(0);
  for (const auto& list : terms_of) {
    for (std::size_t p = 0; p < list.size(); ++p) {
      rows_.of_block.push_back(list[p]);
      for (std::size_t q = 0; q <= p; ++q)
        rows_.pair_place.push_back(matrix_.place(rows_.terms[z(list[p])].row, rows_.terms[z(list[q])].row));
    }
    rows_.first_of_block.push_back(static_cast<int>(rows_.of_block.size()));
  }
}

void BodiesAndJoints::attach(const Chain& c, double scale) {
  scale_ = scale;
  lay_out_rows(c);
  const int blocks = nodes_ + 2 * plan_.bodies + static_cast<int>(plan_.junctions.size());
  const int rows = static_cast<int>(rows_.first_term.size()) - 1;
  lay_out_matrix(blocks);
  // Which wall of the chain is which of the plan.
  plan_of_wall_.assign(c.walls.size(), -1);
  for (std::size_t w = 0; w < c.walls.size(); ++w) {
    for (std::size_t i = 0; i < plan_.walls.size(); ++i)
      if (c.walls[w].carrier() >= 0 && plan_.walls[i].node == c.node[z(c.walls[w].slot)])
        plan_of_wall_[w] = static_cast<int>(i);
  }
  // Workspaces; masses of nodes do not change.
  rows_.right.assign(z(rows), 0);
  rows_.multiplier.assign(z(rows), 0);
  node_inverse_.resize(z(nodes_));
  for (int n = 0; n < nodes_; ++n) node_inverse_[z(n)] = c.inverse_mass[z(c.vertex_of_node[z(n)])];
  inverse_.assign(z(blocks - nodes_), Mat3::Zero());
  angular_momentum_.assign(z(plan_.bodies), Vec3::Zero());
  lever_.assign(2 * plan_.ties.size(), Vec3::Zero());
  moment_impulse_.assign(z(plan_.bodies) + plan_.junctions.size(), Vec3::Zero());
  free_x_ = c.x, free_v_ = c.v;
  free_bodies_ = bodies_, free_turn_ = junction_turn_, free_spin_ = junction_spin_, free_multiplier_ = rows_.multiplier;
  if (node_force_.size() != z(nodes_)) node_force_.assign(z(nodes_), {0, 0, 0});
}

Vec3 BodiesAndJoints::point_of(const Chain& c, const TieSide& side) const {
  if (side.node >= 0) return to_eigen(c.x.get(c.vertex_of_node[z(side.node)]));
  if (side.body < 0) return side.local;
  const Pose& pose = bodies_[z(side.body)].pose;
  return pose.position + pose.orientation * side.local;
}

// The conserving push acts at one point of both sides, so that it turns nothing as a whole.
void BodiesAndJoints::remember_levers(const Chain& c) {
  for (std::size_t i = 0; i < plan_.ties.size(); ++i) {
    const Tie& tie = plan_.ties[i];
    const Vec3 point = point_of(c, tie.a);
    if (tie.a.body >= 0) lever_[2 * i] = point - bodies_[z(tie.a.body)].pose.position;
    if (tie.b.body >= 0) lever_[2 * i + 1] = point - bodies_[z(tie.b.body)].pose.position;
  }
}

void BodiesAndJoints::set_gradients(const Chain& c, Push push) {
  // Edges: d c = e . (dx_second - dx_first).
  auto term = rows_.terms.begin();
  for (const int s : edge_slots_) {
    const V3<double> e = push == Push::fast ? c.x.get(s + 1) - c.x.get(s) : c.length[z(s)] * c.t.get(s);
    (term++)->g = V3<double>{0, 0, 0} - e;
    (term++)->g = e;
  }
  // Ties: a node moves; a body moves, and turns its lever.
  for (std::size_t i = 0; i < plan_.ties.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      for (const double sign : {1.0, -1.0}) {
        const TieSide& side = sign > 0 ? plan_.ties[i].a : plan_.ties[i].b;
        if (side.node < 0 && side.body < 0) continue;
        (term++)->g = sign * unit(k);
        if (side.node >= 0) continue;
        const Vec3 lever = push == Push::fast ? Vec3(bodies_[z(side.body)].pose.orientation * side.local)
                                              : lever_[2 * i + (sign > 0 ? 0 : 1)];
        (term++)->g = sign * cross(to_small(lever), unit(k));
      }
    }
  }
  // Turns: two rows of a hinge, three of a rigid joint.
  for (const TurnTie& t : plan_.turns) {
    const Vec3 h = orientation(t.a) * t.axis;
    for (int k = 0; k < (t.hinge ? 2 : 3); ++k) {
      const V3<double> g = t.hinge ? to_small(h.cross(orientation(t.b) * t.across[k])) : unit(k);
      (term++)->g = g;
      if (t.b >= 0) (term++)->g = V3<double>{0, 0, 0} - g;
    }
  }
}

// Constraint values; returns the worst: relative for lengths, over `scale` for points, in radians for turns.
double BodiesAndJoints::set_values(const Chain& c) {
  double worst = 0;
  const auto note = [&](double size) {
    if (!(std::abs(size) <= worst)) worst = std::abs(size);  // keeps NaN
  };
  // In the order of the rows: edges, ties, turns.
  auto value = rows_.right.begin();
  for (const int s : edge_slots_) {
    const double rest = c.rest_length[z(s)], twice = squared_norm(c.x.get(s + 1) - c.x.get(s)) - rest * rest;
    *value++ = 0.5 * twice;
    note(twice / (rest * rest));
  }
  for (const Tie& tie : plan_.ties) {
    const Vec3 gap = point_of(c, tie.a) - point_of(c, tie.b);
    for (int k = 0; k < 3; ++k) note((*value++ = gap[k]) / scale_);
  }
  for (const TurnTie& t : plan_.turns) {
    const Quat qa = orientation(t.a), qb = orientation(t.b);
    const Quat off = qa * t.relative * qb.conjugate();
    for (int k = 0; k < (t.hinge ? 2 : 3); ++k) {
      *value = t.hinge ? (qa * t.axis).dot(qb * t.across[k]) : (off.w() < 0 ? -2 : 2) * off.vec()[k];
      note(*value++);
    }
  }
  return worst;
}

void BodiesAndJoints::set_inverse_masses() {
  for (int b = 0; b < plan_.bodies; ++b) {
    inverse_[z(b)] = inverse_mass(model_.bodies[z(b)]);
    inverse_[z(plan_.bodies + b)] = inverse_inertia(model_.bodies[z(b)], bodies_[z(b)].pose.orientation);
  }
  for (std::size_t i = 0; i < plan_.junctions.size(); ++i) {
    const Junction& junction = plan_.junctions[i];
    inverse_[z(2 * plan_.bodies) + i] = junction.fixed ? Mat3(Mat3::Zero()) : Mat3(Mat3::Identity() / junction.inertia);
  }
}

void BodiesAndJoints::factor() {
  // D W D^T, block by block: W is block diagonal, and each pair of terms of a block adds to one entry, found in attach.
  matrix_.set_zero();
  double* entries = matrix_.entries().data();
  const int* place = rows_.pair_place.data();
  const int blocks = static_cast<int>(rows_.first_of_block.size()) - 1;
  for (int b = 0; b < blocks; ++b) {
    const int begin = rows_.first_of_block[z(b)], end = rows_.first_of_block[z(b) + 1];
    for (int p = begin; p < end; ++p) {
      const V3<double>& g = rows_.terms[z(rows_.of_block[z(p)])].g;
      const V3<double> moved = b < nodes_ ? node_inverse_[z(b)] * g : to_small(Vec3(inverse_[z(b - nodes_)] * to_eigen(g)));
      for (int q = begin; q <= p; ++q) entries[*place++] += dot(rows_.terms[z(rows_.of_block[z(q)])].g, moved);
    }
  }
  std::ignore = matrix_.factor();  // rows that repeat others get no multiplier, which is as good as any
}

void BodiesAndJoints::move_blocks(Chain& c, double dt, bool velocities) {
  const int blocks = static_cast<int>(rows_.first_of_block.size()) - 1;
  const double rate = velocities ? 1 / dt : 0;
  for (int b = 0; b < blocks; ++b) {
    const int begin = rows_.first_of_block[z(b)], end = rows_.first_of_block[z(b) + 1];
    if (begin == end) continue;
    // The impulse on the block, from all rows that move it.
    V3<double> impulse{0, 0, 0};
    for (int p = begin; p < end; ++p) {
      const JoinRows::Term& term = rows_.terms[z(rows_.of_block[z(p)])];
      impulse = impulse - rows_.right[z(term.row)] * term.g;
    }
    // A node.
    if (b < nodes_) {
      const V3<double> d = node_inverse_[z(b)] * impulse;
      const int vertex = c.vertex_of_node[z(b)];
      c.x.add(vertex, d);
      c.v.add(vertex, rate * d);
      continue;
    }
    const Vec3 d = inverse_[z(b - nodes_)] * to_eigen(impulse);
    // The place of a body.
    if (b < nodes_ + plan_.bodies) {
      BodyState& body = bodies_[z(b - nodes_)];
      body.pose.position += d;
      body.motion.linear += rate * d;
      continue;
    }
    // The turn of a body or a junction; its spin follows in finish.
    const int carrier = b - nodes_ - plan_.bodies;
    Quat& q = carrier < plan_.bodies ? bodies_[z(carrier)].pose.orientation : junction_turn_[z(carrier - plan_.bodies)];
    q = (exp_quat(d) * q).normalized();
    moment_impulse_[z(carrier)] += to_eigen(impulse);
  }
  c.match_twins();
}

ProjectionReport BodiesAndJoints::project(Chain& c, StepTimes step, double tolerance, int max_iterations, Push push,
                                          bool velocities, bool again) {
  ProjectionReport report;
  // A second projection in the same step adds to the multipliers of the first. Effective masses as the bodies are turned
  // now.
  if (!again) std::fill(rows_.multiplier.begin(), rows_.multiplier.end(), 0.0);
  set_inverse_masses();
  for (int b = 0; b < plan_.bodies; ++b) {  // angular momentum, to which impulses are added
    const BodyState& body = bodies_[z(b)];
    angular_momentum_[z(b)] = world_inertia(model_.bodies[z(b)], body.pose.orientation) * body.motion.angular;
  }
  for (Vec3& moment : moment_impulse_) moment.setZero();
  // The conserving push is along the gradients of the step before: one matrix for all iterations.
  if (push == Push::conserving) {
    set_gradients(c, push);
    factor();
  }
  // Newton's method on the constraints.
  for (;; ++report.iterations) {
    report.residual = set_values(c);
    if (report.residual <= tolerance) break;
    if (report.iterations == max_iterations || !(report.residual < 1e6)) {
      report.fine = false;
      break;
    }
    if (push == Push::fast) {
      set_gradients(c, push);
      factor();
    }
    matrix_.solve(rows_.right);
    for (std::size_t r = 0; r < rows_.right.size(); ++r) rows_.multiplier[r] += rows_.right[r];
    move_blocks(c, step.dt, velocities);
  }
  finish(c, step, velocities);
  return report;
}

ProjectionReport BodiesAndJoints::project_or_fast(Chain& c, StepTimes step, double tolerance, int max_iterations,
                                                  bool again) {
  constexpr int patience = 40;  // iterations with one matrix; more and the push has lost its way
  free_x_ = c.x, free_v_ = c.v;
  free_bodies_ = bodies_, free_turn_ = junction_turn_, free_spin_ = junction_spin_, free_multiplier_ = rows_.multiplier;
  const ProjectionReport first =
      project(c, step, tolerance, std::min(patience, max_iterations), Push::conserving, true, again);
  if (first.fine) return first;
  c.x = free_x_, c.v = free_v_;
  bodies_ = free_bodies_, junction_turn_ = free_turn_, junction_spin_ = free_spin_, rows_.multiplier = free_multiplier_;
  return project(c, step, tolerance, max_iterations, Push::fast, true, again);
}

void BodiesAndJoints::push_body(int b, const Vec3& impulse, const Vec3& local, double dt) {
  // An impulse at a point of the body: displacement by 1/M, turn by the inverse inertia in world axes, velocities by both
  // over dt.
  BodyState& body = bodies_[z(b)];
  const Vec3 lever = body.pose.orientation * local;
  const Vec3 d = inverse_mass(model_.bodies[z(b)]) * impulse;
  const Vec3 turn = inverse_inertia(model_.bodies[z(b)], body.pose.orientation) * lever.cross(impulse);
  body.pose.position += d;
  body.motion.linear += d / dt;
  body.pose.orientation = (exp_quat(turn) * body.pose.orientation).normalized();
  body.motion.angular += turn / dt;
}

void BodiesAndJoints::finish(Chain& c, StepTimes step, bool velocities) {
  // Multipliers as forces: tensions of edges, what joints exert on nodes.
  const double dt = step.dt, rate2 = 1 / (dt * step.kick);
  const auto force = [&](int s) { return rate2 + c.mass_damping[z(s)] / dt; };  // damping takes its part of every force
  for (std::size_t i = 0; i < edge_slots_.size(); ++i)
    c.tension[z(edge_slots_[i])] = force(edge_slots_[i]) * rows_.multiplier[i];
  std::fill(node_force_.begin(), node_force_.end(), V3<double>{0, 0, 0});
  for (std::size_t t = z(rows_.first_term[edge_slots_.size()]); t < rows_.terms.size(); ++t) {
    const JoinRows::Term& term = rows_.terms[t];
    if (term.block < nodes_)
      node_force_[z(term.block)] =
          node_force_[z(term.block)] - (force(c.vertex_of_node[z(term.block)]) * rows_.multiplier[z(term.row)]) * term.g;
  }
  // Moment impulses change angular momenta, and these the spins.
  if (!velocities) return;
  for (int b = 0; b < plan_.bodies; ++b) {
    const BodyModel& model = model_.bodies[z(b)];
    BodyState& body = bodies_[z(b)];
    if (model.kind == BodyKind::guided) {
      body.motion.angular += inverse_[z(plan_.bodies + b)] * moment_impulse_[z(b)] / dt;
    } else if (model.kind == BodyKind::dynamic) {
      const Vec3 momentum = angular_momentum_[z(b)] + moment_impulse_[z(b)] / dt;
      body.motion.angular = inverse_inertia(model, body.pose.orientation) * momentum;
    }
  }
  for (std::size_t i = 0; i < plan_.junctions.size(); ++i)
    junction_spin_[i] += inverse_[z(2 * plan_.bodies) + i] * moment_impulse_[z(plan_.bodies) + i] / dt;
}

}  // namespace tendril::der
