// Small oscillations about an equilibrium, in minimal coordinates:  K u = omega^2 M u,  u: places of roots, turns of links, bodies.
// K is the exact second derivative of the energy, with the rows of held points, rings and joints; M = J^T m J of the points that carry mass.
// The matrix of a step of length 1/sqrt(shift) from rest is K + shift M: its solver gives the columns of the compliance, rows obeyed, and a
// shift makes it regular where a motion costs nothing or the equilibrium is none to stay in. Rods that nothing joins swing each by itself.
#include <algorithm>
#include <cmath>
#include <string>

#include "linear/lowest_pairs.h"
#include "math/rotation.h"
#include "methods/compact/compact.h"

namespace tendril::compact {
namespace {

constexpr int most_unknowns = 2100;  // dense matrices: 700 segments, some ten seconds

Stage stage_at_rest(double shift) {
  Stage stage;
  stage.h = 1 / std::sqrt(shift), stage.c = shift;
  stage.gamma = 1e-200;  // not still, but nothing is damped
  stage.hat.y = stage.bar.y = 1;
  return stage;
}

// Of nodes x_k = root + sum of t_i x a_i, and of directors t_i x d.
void add_mass_of_rod(const Part& part, Eigen::Index first, Eigen::MatrixXd& mass) {
  const Chain& chain = part.chain;
  const int n = chain.real();
  std::vector<Mat3> arm(z(n));
  std::vector<double> beyond(z(n));  // mass of the nodes that turn i moves
  double sum = 0;
  for (int i = n - 1; i >= 0; --i) {
    sum += chain.mass[z(i + 1)];
    beyond[z(i)] = sum;
    arm[z(i)] = -skew(Vec3((chain.sign() * chain.links[z(i)].length) * part.problem.link_frames()[z(i)].col(2)));
  }
  mass.block<3, 3>(first, first) += (sum + chain.mass[0]) * Mat3::Identity();
  for (int i = 0; i < n; ++i) {
    const Eigen::Index at = first + 3 + 3 * i;
    mass.block<3, 3>(first, at) += beyond[z(i)] * arm[z(i)];
    mass.block<3, 3>(at, first) += beyond[z(i)] * arm[z(i)].transpose();
    for (int j = 0; j < n; ++j)
      mass.block<3, 3>(at, first + 3 + 3 * j) += beyond[z(std::max(i, j))] * (arm[z(i)].transpose() * arm[z(j)]);
    for (int k = 0; k < 2; ++k) {
      const Vec3 d = part.problem.link_frames()[z(i)].col(k);
      mass.block<3, 3>(at, at) += chain.mass[z(chain.d1(i) + k)] * (Mat3::Identity() - d * d.transpose());
    }
  }
}

Problems refused(const std::string& field, const std::string& what, const std::string& remedy) {
  return {{Severity::error, "", field, what, "", remedy}};
}

}  // namespace

struct Compact::Swinging {  // a rod alone, or all that is joined
  std::vector<int> rods;
  bool together = false;
  Eigen::Index rod_unknowns = 0, unknowns = 0;
  double shift = 0;
  Eigen::MatrixXd compliance, mass;
};

// Column by column; false: with this shift it is not positive definite.
bool Compact::find_compliance(Swinging& swinging, double shift) {
  const Stage stage = stage_at_rest(shift);
  const Eigen::Index size = swinging.unknowns;
  swinging.compliance.setZero(size, size);
  swinging.shift = shift;
  if (!swinging.together) {
    Part& part = *parts_[z(swinging.rods.front())];
    part.problem.begin(part.state, drive_, loads_, stage);
    part.problem.start_at_rest();
    std::ignore = part.problem.evaluate();
    std::vector<double> gradient(z(part.problem.size()), 0.0), violation(z(part.chain.rows()), 0.0);
    for (Eigen::Index j = 0; j < size; ++j) {
      std::fill(gradient.begin(), gradient.end(), 0.0);
      gradient[z(static_cast<int>(j))] = -1;
      if (!part.problem.respond(gradient, violation)) return false;
      for (Eigen::Index i = 0; i < size; ++i) swinging.compliance(i, j) = part.problem.direction()[z(static_cast<int>(i))];
    }
    return true;
  }
  std::ignore = begin_joined(stage);
  for (const int r : swinging.rods) parts_[z(r)]->problem.start_at_rest();
  joined_->start_at_rest();
  coupled_.take(swinging.rods, nullptr, joined_.get());
  std::ignore = coupled_.evaluate();
  // Where unknowns stand in a residual: after each rod its rows.
  std::vector<double> residual = coupled_.read_residual();
  std::vector<std::size_t> at;
  std::size_t next = 0;
  for (const int r : swinging.rods) {
    for (int i = 0; i < parts_[z(r)]->problem.size(); ++i) at.push_back(next++);
    next += z(parts_[z(r)]->chain.rows());
  }
  while (static_cast<Eigen::Index>(at.size()) < size) at.push_back(next++);
  for (Eigen::Index j = 0; j < size; ++j) {
    std::fill(residual.begin(), residual.end(), 0.0);
    residual[at[z(static_cast<int>(j))]] = -1;
    if (!coupled_.respond(residual)) return false;
    Eigen::Index row = 0;
    for (const int r : swinging.rods)
      for (int i = 0; i < parts_[z(r)]->problem.size(); ++i)
        swinging.compliance(row++, j) = parts_[z(r)]->problem.direction()[z(i)];
    const Joined::Change change = joined_->direction();
    for (const auto* list : {&change.place, &change.turn})
      for (const Vec3& v : *list) swinging.compliance.block<3, 1>(row, j) = v, row += 3;
  }
  return true;
}

void Compact::add_modes(const Swinging& swinging, std::vector<NaturalMode>& out) const {
  const LowestPairs pairs = lowest_pairs(swinging.compliance, swinging.mass, swinging.shift, max_modes);
  for (Eigen::Index p = 0; p < pairs.value.size(); ++p) {
    NaturalMode mode;
    mode.omega_squared = pairs.value[p];
    // Less than this is rounding: a motion that costs nothing.
    if (std::abs(mode.omega_squared) < 1e-3 * swinging.shift) mode.omega_squared = 0;
    mode.move = OnNodes<Vec3>(model_->material.size(), Vec3::Zero());
    mode.turn = OnEdges<Vec3>(model_->section.size(), Vec3::Zero());
    mode.body_move.assign(model_->bodies.size(), Vec3::Zero()), mode.body_turn = mode.body_move;
    const auto u = [&](Eigen::Index i) { return Vec3(pairs.vector.block<3, 1>(i, p)); };
    Eigen::Index at = 0;
    for (const int r : swinging.rods) {
      const Part& part = *parts_[z(r)];
      Vec3 place = u(at);
      mode.move[NodeIndex(part.chain.root_node)] = place;
      for (int i = 0; i < part.chain.real(); ++i) {
        const Link& link = part.chain.links[z(i)];
        const Vec3 turn = u(at + 3 + 3 * i);
        place += turn.cross(Vec3((part.chain.sign() * link.length) * part.problem.link_frames()[z(i)].col(2)));
        if (!part.chain.ring || i + 1 < part.chain.real()) mode.move[NodeIndex(link.far)] = place;
        mode.turn[EdgeIndex(link.edge)] = turn;
      }
      at += part.problem.size();
    }
    for (std::size_t b = 0; b < model_->bodies.size() && swinging.together; ++b) {
      const auto bodies = static_cast<Eigen::Index>(model_->bodies.size()), k = static_cast<Eigen::Index>(b);
      mode.body_move[b] = u(at + 3 * k), mode.body_turn[b] = u(at + 3 * (bodies + k));
    }
    out.push_back(std::move(mode));
  }
}

auto Compact::what_swings() const -> std::vector<Swinging> {
  std::vector<Swinging> all;
  const auto add = [&](std::vector<int> rods, bool together) {
    Swinging swinging;
    swinging.rods = std::move(rods), swinging.together = together;
    for (const int r : swinging.rods) swinging.rod_unknowns += parts_[z(r)]->problem.size();
    swinging.unknowns = swinging.rod_unknowns;
    const Joined::Change change = together ? joined_->direction() : Joined::Change{};
    swinging.unknowns += static_cast<Eigen::Index>(3 * (change.place.size() + change.turn.size()));
    all.push_back(std::move(swinging));
  };
  if (joined_) add({joined_->rods().begin(), joined_->rods().end()}, true);
  for (int r = 0; r < static_cast<int>(parts_.size()); ++r)
    if (!joined_ || !joined_->is_joined(r)) add({r}, false);
  return all;
}

Problems Compact::refuse_modes(const Swinging& swinging) const {
  for (const int r : swinging.rods)
    if (!parts_[z(r)]->problem.has_potential())
      return refused("load",
                     "on rod `" + model_->rods[z(r)].name +
                         "` acts a moment, a load in material axes, drag or wind: a load without a potential",
                     "remove it; forces in world axes, weight and couplings are fine");
  if (swinging.unknowns > most_unknowns)
    return refused("rod",
                   std::to_string(swinging.unknowns) + " unknowns swing together, at most " + std::to_string(most_unknowns) +
                       " are allowed",
                   "take fewer segments, " + std::to_string(most_unknowns / 3 - 1) + " in all");
  return {};
}

void Compact::find_mass(Swinging& swinging) const {
  swinging.mass.setZero(swinging.unknowns, swinging.unknowns);
  Eigen::Index first = 0;
  for (const int r : swinging.rods) {
    add_mass_of_rod(*parts_[z(r)], first, swinging.mass);
    first += parts_[z(r)]->problem.size();
  }
  const auto bodies = static_cast<Eigen::Index>(model_->bodies.size());
  for (Eigen::Index b = 0; b < bodies && swinging.together; ++b) {
    const BodyModel& body = model_->bodies[z(static_cast<int>(b))];
    if (!body.moves_freely()) continue;
    const Mat3 axes = joined_->state_of(static_cast<int>(b)).pose.orientation.toRotationMatrix();
    swinging.mass.block<3, 3>(first + 3 * b, first + 3 * b) = body.mass * Mat3::Identity();
    swinging.mass.block<3, 3>(first + 3 * (bodies + b), first + 3 * (bodies + b)) =
        axes * body.inertia.asDiagonal() * axes.transpose();
  }
}

// From far below what bending, weight and loads let swing; an equilibrium that is none to stay in needs more.
bool Compact::find_compliance(Swinging& swinging) {
  double mass = 0, stiffness = 0;
  for (const int r : swinging.rods) {
    const Chain& chain = parts_[z(r)]->chain;
    const double force = chain.EI / (chain.length * chain.length) + parts_[z(r)]->problem.scale();
    mass += chain.total, stiffness = std::max(stiffness, force / chain.length);
  }
  for (const BodyModel& body : model_->bodies) mass += swinging.together && body.moves_freely() ? body.mass : 0;
  double shift = stiffness > 0 && mass > 0 ? 1e-2 * stiffness / mass : 1e-4;
  bool positive = find_compliance(swinging, shift);
  for (int tries = 0; tries < 8 && !positive; ++tries) positive = find_compliance(swinging, shift *= 100);
  return positive;
}

Checked<std::vector<NaturalMode>> Compact::modes(double time, double load_factor, int count) {
  if (meeting_ || active_set_)
    return refused("contact.enabled", "natural frequencies are those of what does not touch", "set contact.enabled = false");
  StateWriter saved;
  visit_state(saved);
  drive_to(time, load_factor, {}, true);
  std::vector<NaturalMode> found;
  Problems problems;
  std::vector<Swinging> all = what_swings();
  for (Swinging& swinging : all) {
    problems = refuse_modes(swinging);
    if (problems.empty() && !find_compliance(swinging))
      problems = refused("", "the second derivative of the energy could not be factored",
                         "look whether joints repeat what clamps hold");
    if (!problems.empty()) break;
    find_mass(swinging);
    add_modes(swinging, found);
  }
  StateReader reader(saved.buffer());  // as if nothing had been asked
  visit_state(reader);
  if (!problems.empty()) return problems;
  std::stable_sort(found.begin(), found.end(),
                   [](const NaturalMode& a, const NaturalMode& b) { return a.omega_squared < b.omega_squared; });
  if (found.size() > static_cast<std::size_t>(count)) found.resize(static_cast<std::size_t>(count));
  return found;
}

}  // namespace tendril::compact
