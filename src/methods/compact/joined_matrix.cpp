// Blocks of bodies, junctions and joints in the matrix of an island, its right-hand side, and their part of a direction.
#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "methods/compact/coupled.h"
#include "methods/compact/joined.h"

namespace tendril::compact {

Mat3 turned_twice(const Vec3& a, const Vec3& f) {
  return 0.5 * (a * f.transpose() + f * a.transpose()) - a.dot(f) * Mat3::Identity();
}

// Ties look for a place that they can be eliminated with: the root of a rod, then a body's. The others come last.
int Joined::number(const Coupled& coupled, int first) {
  int next = first;
  for (std::size_t c = 0; c < turn_.size(); ++c) {
    const bool led = is_led(static_cast<int>(c));
    turn_block_[c] = led ? -1 : next++;
    if (c < place_.size()) place_block_[c] = led ? -1 : next++;
  }
  taken_.assign(z(next), 0);
  for (TieRow& tie : ties_) {
    tie.block = next++;
    tie.pair = -1;
    for (const bool roots : {true, false}) {
      for (const Side& side : tie.side) {
        if (tie.pair >= 0) continue;
        int block = -1;
        if (roots && side.rod >= 0 && side.node == 0) block = coupled.node_block(side.rod, 0);
        const bool whole = side.body >= 0 && model_.bodies[z(side.body)].kind == BodyKind::dynamic;
        if (!roots && whole) block = place_block_[z(side.body)];
        if (block < 0 || taken_[z(block)]) continue;
        taken_[z(block)] = 1;
        tie.pair = block;
      }
    }
  }
  for (TurnRow& turn : turns_) turn.block = next++;
  return next;
}

void Joined::assemble_bodies(FoldedLDLT& matrix, bool exact, double shift, double hold) const {
  for (int c = 0; c < static_cast<int>(turn_.size()); ++c) {
    if (is_led(c)) continue;
    const Mat3 free = mask(c);
    Mat3 turn = (tiny_ + shift * stiffest_) * Mat3::Identity();
    double least = std::max(stiffest_, tiny_);  // what stands for directions that are masked
    if (is_body(c) && !stage_.still()) {
      const Mat3 axes = turn_[z(c)].toRotationMatrix();
      for (int k = 0; k < 3; ++k) {
        const Vec3 d = axes.col(k), &hat = hat_[z(4 * c + 1 + k)];
        const double inertia = c_[z(c)] * inertia_[z(3 * c + k)];
        if (exact)
          turn -= inertia * turned_twice(d, hat);
        else
          turn += inertia * (Mat3::Identity() - d * d.transpose());
        least += inertia;
      }
    }
    if (!(least > 0)) least = 1;
    matrix.add(turn_block_[z(c)], turn_block_[z(c)], free * turn * free + least * (Mat3::Identity() - free));
    if (!is_body(c)) continue;
    const int block = place_block_[z(c)];
    const double mass = c_[z(c)] * model_.bodies[z(c)].mass;
    const double held = stage_.still() ? hold * weight() / length_ : 0;
    matrix.add(block, block, (mass + held) * free + (mass > 0 ? mass : 1.0) * (Mat3::Identity() - free));
    if (mass == 0 && !taken_[z(block)]) matrix.put_last(block);
  }
}

void Joined::assemble_ties(const Coupled& coupled, FoldedLDLT& matrix, bool exact) const {
  for (std::size_t t = 0; t < ties_.size(); ++t) {
    const TieRow& tie = ties_[t];
    for (const int s : {0, 1}) {
      const Side& side = tie.side[s];
      const double sign = s == 0 ? 1 : -1;
      if (side.rod >= 0) {
        const int node = coupled.node_block(side.rod, side.node);
        if (node >= 0) matrix.add(tie.block, node, sign * Mat3::Identity());
        continue;
      }
      if (side.body < 0 || is_led(side.body)) continue;
      const Vec3 a = arm(side);
      const Mat3 free = mask(side.body);
      const int turn = turn_block_[z(side.body)];
      matrix.add(tie.block, place_block_[z(side.body)], sign * free);
      matrix.add(tie.block, turn, -sign * skew(a) * free);
      if (exact) {
        const Vec3 force = sign * Eigen::Map<const Vec3>(lambda_.data() + 3 * t);
        matrix.add(turn, turn, free * turned_twice(a, force) * free);
      }
    }
    if (tie.pair >= 0) {
      matrix.pair(tie.block, tie.pair);
    } else {
      matrix.add(tie.block, tie.block, -give_ * Mat3::Identity());
      matrix.put_last(tie.block);
    }
  }
}

void Joined::assemble_turns(FoldedLDLT& matrix, bool exact) const {
  for (std::size_t t = 0; t < turns_.size(); ++t) {
    const TurnRow& row = turns_[t];
    const int first = is_led(row.carrier[0]) ? -1 : turn_block_[z(row.carrier[0])];
    const int second = row.carrier[1] < 0 || is_led(row.carrier[1]) ? -1 : turn_block_[z(row.carrier[1])];
    const Mat3 free[2] = {mask(row.carrier[0]), row.carrier[1] < 0 ? Mat3(Mat3::Identity()) : mask(row.carrier[1])};
    Mat3 slopes = Mat3::Zero(), corner = Mat3::Zero(), own = Mat3::Zero(), between = Mat3::Zero();
    for (int i = 0; i < 3; ++i) {
      if (i >= row.count) {
        corner(i, i) = -1;
        continue;
      }
      const Vec3 u = turn_[z(row.carrier[0])] * row.axis[0][i];
      const Vec3 v = row.carrier[1] < 0 ? row.axis[1][i] : Vec3(turn_[z(row.carrier[1])] * row.axis[1][i]);
      slopes.row(i) = u.cross(v).transpose();
      corner(i, i) = -1e-9 * give_ * length_ * length_;
      const double moment = lambda_[3 * (ties_.size() + t) + z(i)];
      own += moment * turned_twice(u, v);
      between += moment * (u.dot(v) * Mat3::Identity() - v * u.transpose());
    }
    matrix.add(row.block, row.block, corner);
    matrix.put_last(row.block);
    if (first >= 0) matrix.add(row.block, first, slopes * free[0]);
    if (second >= 0) matrix.add(row.block, second, -slopes * free[1]);
    if (!exact) continue;
    if (first >= 0) matrix.add(first, first, free[0] * own * free[0]);
    if (second >= 0) matrix.add(second, second, free[1] * own * free[1]);
    if (first >= 0 && second >= 0) matrix.add(first, second, free[0] * between * free[1]);
  }
}

// With the gradient m on b and the Hessian H, the blocks are H, H and -(H + [m]/2) between b and a; that of the link is its own already.
void Joined::assemble_walls(const Coupled& coupled, FoldedLDLT& matrix, bool exact) const {
  for (const int rod : rods_) {
    const Part& part = *parts_[z(rod)];
    for (std::size_t w = 0; w < part.chain.walls.size(); ++w) {
      const Joint& wall = part.chain.walls[w];
      const int own = wall.clamp - static_cast<int>(model_.clamps.size());
      if (own < 0) continue;
      const int carrier = plan_.walls[z(own)].carrier;
      if (is_led(carrier)) continue;
      const Mat3 free = mask(carrier);
      const Mat3& h = part.problem.wall_hessian(static_cast<int>(w));
      Mat3 between = -h;
      if (exact) between -= 0.5 * skew(part.problem.wall_moment(static_cast<int>(w)));
      const int turn = turn_block_[z(carrier)], link = coupled.turn_block(rod, std::max(wall.a, wall.b));
      matrix.add(turn, turn, free * h * free);
      if (wall.a < 0)
        matrix.add(link, turn, between * free);
      else
        matrix.add(turn, link, free * between);
    }
  }
}

void Joined::assemble_grips(FoldedLDLT& matrix) const {
  for (const Grip& grip : drive_->grips) {
    if (grip.body < 0 || is_led(grip.body)) continue;
    const double k = grip.stiffness + stage_.gamma * grip.damping;
    const Vec3 lever = turn_[z(grip.body)] * grip.point, p = place_[z(grip.body)] + lever;
    const Vec3 v = stage_.still() ? Vec3(Vec3::Zero()) : velocity_of(grip.body, grip.point);
    const Mat3 free = mask(grip.body);
    const int place = place_block_[z(grip.body)], turn = turn_block_[z(grip.body)];
    matrix.add(place, place, k * free);
    matrix.add(place, turn, free * Mat3(-k * skew(lever)) * free);
    matrix.add(turn, turn, free * Mat3(-k * skew(lever) * skew(lever) - turned_twice(lever, grip_force(grip, p, v))) * free);
  }
}

void Joined::assemble(const Coupled& coupled, FoldedLDLT& matrix, bool exact, double shift, double hold) {
  assemble_bodies(matrix, exact, shift, hold);
  assemble_ties(coupled, matrix, exact);
  assemble_turns(matrix, exact);
  assemble_walls(coupled, matrix, exact);
  if (!drive_->grips.empty()) assemble_grips(matrix);
}

// ---- right-hand side and direction -------------------------------------------------------------------------------------------------
void Joined::put(std::span<double> right) const {
  const auto put_block = [&](int block, const Vec3& v) {
    for (int k = 0; k < 3; ++k) right[z(3 * block + k)] = -v[k];
  };
  for (std::size_t c = 0; c < turn_.size(); ++c) {
    if (turn_block_[c] < 0) continue;
    const Mat3 free = mask(static_cast<int>(c));
    put_block(turn_block_[c], free * turn_gradient_[c]);
    if (c < place_.size()) put_block(place_block_[c], free * place_gradient_[c]);
  }
  for (std::size_t t = 0; t < ties_.size() + turns_.size(); ++t)
    put_block(t < ties_.size() ? ties_[t].block : turns_[t - ties_.size()].block,
              Eigen::Map<const Vec3>(violations_.data() + 3 * t));
}

void Joined::get(std::span<const double> solution) {
  const auto block_of = [&](int block) { return Vec3(Eigen::Map<const Vec3>(solution.data() + 3 * block)); };
  for (std::size_t c = 0; c < turn_.size(); ++c) {
    if (turn_block_[c] < 0) continue;
    turn_direction_[c] = block_of(turn_block_[c]);
    if (c < place_.size()) place_direction_[c] = block_of(place_block_[c]);
  }
  for (std::size_t t = 0; t < ties_.size() + turns_.size(); ++t)
    Eigen::Map<Vec3>(row_direction_.data() + 3 * t) =
        block_of(t < ties_.size() ? ties_[t].block : turns_[t - ties_.size()].block);
}

double Joined::largest_turn() const {
  double largest = 0;
  for (const Vec3& d : turn_direction_) largest = std::max(largest, d.squaredNorm());
  return std::sqrt(largest);
}

double Joined::largest_move() const {
  double largest = 0;
  for (std::size_t b = 0; b < place_.size(); ++b)
    if (place_block_[b] >= 0) largest = std::max(largest, place_direction_[b].norm());
  return largest / length_;
}

void Joined::scale_direction(double factor) {
  for (auto* list : {&turn_direction_, &place_direction_})
    for (Vec3& d : *list) d *= factor;
  for (double& d : row_direction_) d *= factor;
}

// The gradient has the multipliers in it, the energy has not.
double Joined::slope() const {
  double sum = 0;
  for (std::size_t c = 0; c < turn_.size(); ++c) {
    if (turn_block_[c] < 0) continue;
    sum += turn_gradient_[c].dot(turn_direction_[c]);
    if (c < place_.size()) sum += place_gradient_[c].dot(place_direction_[c]);
  }
  for (std::size_t k = 0; k < lambda_.size(); ++k) sum += lambda_[k] * violations_[k];
  return sum;
}

void Joined::read_residual(double fraction, std::vector<double>& out) const {
  const auto push = [&](const Vec3& v) { out.insert(out.end(), {v.x(), v.y(), v.z()}); };
  for (std::size_t c = 0; c < turn_.size(); ++c) {
    if (turn_block_[c] < 0) continue;
    const Mat3 free = mask(static_cast<int>(c));
    const Vec3 turn = fraction * turn_direction_[c];
    push(free * ((Mat3::Identity() + 0.5 * skew(turn)).transpose() * turn_gradient_[c]) / (1 + 0.25 * turn.squaredNorm()));
    if (c < place_.size()) push(free * place_gradient_[c]);
  }
  out.insert(out.end(), violations_.begin(), violations_.end());
}

double Joined::largest_multiplier() const {
  double largest = 0;
  for (std::size_t k = 0; k < lambda_.size(); ++k) largest = std::max(largest, std::abs(lambda_[k] + row_direction_[k]));
  return largest;
}

}  // namespace tendril::compact
