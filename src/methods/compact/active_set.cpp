#include "methods/compact/active_set.h"

#include <algorithm>
#include <cmath>

namespace tendril::compact {
namespace {

constexpr double margin_of_radius = 1;       // the paper does not say how near a pair has to be
constexpr double most_turned_by_rows = 1.5;  // [rad] of a link in one iteration

}  // namespace

ActiveSet::ActiveSet(const Model& model, Parts& parts, const SolverSettings& settings, const Drive& drive)
    : model_(model), parts_(parts), settings_(settings), field_(model, parts), of_rod_(parts.size()) {
  for (const ObstacleNow& o : drive.obstacles) poses_.push_back(o.pose);
  for (int e = 0; e < field_.geometry().edges(); ++e)
    margin_ = std::max(margin_, margin_of_radius * field_.geometry().radius(e));
}

void ActiveSet::begin(const Drive& drive, const LoadsNow& loads, const Stage& stage) {
  for (auto& part : parts_) part->problem.begin(part->state, drive, loads, stage);
  base_key_.clear(), base_push_.clear(), new_push_.clear();
  fraction_ = 0, weight_ = 0, systems_ = 0;
}

// Every pair within the margin of where the rods are now. Pushes go with the pairs they belong to.
void ActiveSet::find_rows() {
  rows_.clear();
  field_.begin_boxes();
  for (const auto& part : parts_) {
    const auto places = part->problem.places();
    field_.include(*part, places, 0.5 * margin_);
    field_.take_places(*part, places, field_.x);
  }
  if (field_.list(poses_, poses_) != Found::fine) {
    violation_ = std::nan("");
    return;
  }
  std::size_t known = 0;
  PairGap at;
  for (const NearPair& pair : field_.pairs()) {
    if (pair.kind == NearPair::Kind::node_segment) continue;  // its segments say it
    while (known < base_key_.size() && base_key_[known] < pair.key) ++known;
    const bool was = known < base_key_.size() && base_key_[known] == pair.key;
    const double push = was ? base_push_[known] + fraction_ * (new_push_[known] - base_push_[known]) : 0;
    if (push == 0 && field_.near().gap(pair, field_.x, poses_) > margin_) continue;
    field_.near().evaluate(pair, field_.x, poses_, at);
    rows_.push_back({pair, at.at, push});
  }
}

NewtonPoint ActiveSet::evaluate() {
  violation_ = 0;
  for (auto& part : parts_) part->problem.take_place();
  find_rows();
  double missed = 0;  // of rows that are to be zero, or open
  for (const Row& row : rows_) {
    violation_ += std::max(0.0, -row.at.gap);
    const double miss = row.push > 0 ? row.at.gap : std::min(0.0, row.at.gap);
    missed += (miss / row.pair.radius_a) * (miss / row.pair.radius_a);
    for (std::size_t i = 0; i < 4 && row.push != 0; ++i) {
      if (row.pair.node[i] < 0) continue;
      const ContactField::NodeAt& at = field_.of_node(row.pair.node[i]);
      parts_[z(at.rod)]->problem.node_gradient(at.k) -= row.push * row.at.gradient.segment<3>(3 * static_cast<int>(i));
    }
  }
  NewtonPoint sum;
  double squares = missed;
  for (auto& part : parts_) {
    const NewtonPoint own = part->problem.sum_up();
    sum.energy += own.energy, sum.energy_scale += own.energy_scale;
    squares += own.residual * own.residual;
    for (const double v : part->problem.violations()) violation_ += std::abs(v);
  }
  energy_ = sum.energy;
  sum.residual = std::sqrt(squares);
  sum.energy += weight_ * violation_;
  return sum;
}

void ActiveSet::renew(NewtonPoint& here) const { here.energy = base_energy_ + weight_ * base_violation_; }

// Columns of the gaps by the unknowns of a rod: a node moves with the root and with every turn before it.
void ActiveSet::fill(int rod) {
  const Part& part = *parts_[z(rod)];
  const Chain& chain = part.chain;
  OfRod& of = of_rod_[z(rod)];
  const std::size_t columns = of.rows.size(), unknowns = part.problem.direction().size();
  of.u.assign(unknowns * columns, 0.0);
  node_slope_.resize(z(chain.nodes()));
  for (std::size_t c = 0; c < columns; ++c) {
    const Row& row = rows_[z(of.rows[c])];
    std::fill(node_slope_.begin(), node_slope_.end(), Vec3::Zero());
    for (std::size_t i = 0; i < 4; ++i) {
      if (row.pair.node[i] < 0) continue;
      const ContactField::NodeAt& at = field_.of_node(row.pair.node[i]);
      if (at.rod == rod) node_slope_[z(at.k)] += row.at.gradient.segment<3>(3 * static_cast<int>(i));
    }
    Vec3 beyond = Vec3::Zero();
    for (int i = chain.real() - 1; i >= 0; --i) {
      beyond += node_slope_[z(i + 1)];
      const Vec3 arm = (chain.sign() * chain.links[z(i)].length) * part.problem.link_frames()[z(i)].col(2);
      const Vec3 turn = arm.cross(beyond);
      for (std::size_t k = 0; k < 3; ++k) of.u[(z(3 + 3 * i) + k) * columns + c] = turn[static_cast<int>(k)];
    }
    beyond += node_slope_[0];
    for (std::size_t k = 0; k < 3 && !part.problem.root_is_held(); ++k) of.u[k * columns + c] = beyond[static_cast<int>(k)];
  }
}

double ActiveSet::slope_of_row(int row, int rod, std::span<const double> direction) const {
  const OfRod& of = of_rod_[z(rod)];
  const auto found = std::find(of.rows.begin(), of.rows.end(), row);
  if (found == of.rows.end()) return 0;
  double sum = 0;
  const auto c = static_cast<std::size_t>(found - of.rows.begin());
  for (std::size_t i = 0; i < direction.size(); ++i) sum += of.u[i * of.rows.size() + c] * direction[i];
  return sum;
}

// Rods' directions without contact, and what each row adds to them: the matrix is block-diagonal, so that rods are factored one by one.
bool ActiveSet::solve_quadratic() {
  const int count = static_cast<int>(rows_.size());
  quadratic_.resize(count);
  for (OfRod& of : of_rod_) of.rows.clear();
  for (int k = 0; k < count; ++k) {
    const NearPair& pair = rows_[z(k)].pair;
    const int a = field_.rod_of(pair.edge_a), b = pair.is_between_rods() ? field_.rod_of(pair.edge_b) : a;
    of_rod_[z(a)].rows.push_back(k);
    if (b != a) of_rod_[z(b)].rows.push_back(k);
    quadratic_.constant(k) = rows_[z(k)].at.gap;
  }
  for (std::size_t rod = 0; rod < parts_.size(); ++rod) {
    OfRod& of = of_rod_[rod];
    Problem& problem = parts_[rod]->problem;
    if (!problem.find_factored_direction()) return false;
    const std::size_t columns = of.rows.size();
    if (columns == 0) continue;
    fill(static_cast<int>(rod));
    of.w.assign(of.u.begin(), of.u.end());
    problem.solve_factored(of.w, static_cast<int>(columns));
    const auto d = problem.direction();
    for (std::size_t i = 0; i < d.size(); ++i) {
      const double *u = of.u.data() + i * columns, *w = of.w.data() + i * columns;
      for (std::size_t a = 0; a < columns; ++a) {
        if (u[a] == 0) continue;
        quadratic_.constant(of.rows[a]) += u[a] * d[i];
        for (std::size_t b = 0; b < columns; ++b) quadratic_.at(of.rows[a], of.rows[b]) += u[a] * w[b];
      }
    }
  }
  // The direction has the present pushes in it: without them.
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b) quadratic_.constant(a) -= quadratic_.at(a, b) * rows_[z(b)].push;
  start_.clear();
  for (const Row& row : rows_) start_.push_back(row.at.gap);
  const bool found = quadratic_.solve(start_);
  systems_ += quadratic_.systems();
  return found;
}

// No link turns by more than most_turned_by_rows, and no node goes further than gaps are looked at.
double ActiveSet::limit_direction() {
  double turn = 0, far = 0;
  for (const auto& part : parts_) {
    const double* d = std::as_const(part->problem).direction().data();
    Vec3 move = Eigen::Map<const Vec3>(d);
    far = std::max(far, move.norm());
    for (int i = 0; i < part->chain.real(); ++i) {
      const Vec3 t = Eigen::Map<const Vec3>(d + 3 + 3 * i);
      move += t.cross((part->chain.sign() * part->chain.links[z(i)].length) * part->problem.link_frames()[z(i)].col(2));
      turn = std::max(turn, t.norm()), far = std::max(far, move.norm());
    }
  }
  const double factor = 1 / std::max({1.0, turn / most_turned_by_rows, far / margin_});
  for (auto& part : parts_)
    for (double& d : part->problem.direction()) d *= factor;
  return factor;
}

double ActiveSet::direction() {
  base_energy_ = energy_, base_violation_ = violation_;
  if (!solve_quadratic()) return std::nan("");
  base_key_.clear(), base_push_.clear(), new_push_.clear();
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    base_key_.push_back(rows_[k].pair.key);
    base_push_.push_back(rows_[k].push), new_push_.push_back(quadratic_.pushes()[k]);
    weight_ = std::max(weight_, 1.1 * new_push_.back());
  }
  for (std::size_t rod = 0; rod < parts_.size(); ++rod) {
    const OfRod& of = of_rod_[rod];
    const auto d = parts_[rod]->problem.direction();
    for (std::size_t i = 0; i < d.size() && !of.rows.empty(); ++i)
      for (std::size_t c = 0; c < of.rows.size(); ++c)
        d[i] += of.w[i * of.rows.size() + c] * (new_push_[z(of.rows[c])] - base_push_[z(of.rows[c])]);
  }
  const double factor = limit_direction();
  for (std::size_t k = 0; k < rows_.size(); ++k) new_push_[k] = base_push_[k] + factor * (new_push_[k] - base_push_[k]);
  // The gradient has the pushes and the multipliers of rows in it, the energy has not.
  double slope = 0;
  for (auto& part : parts_) {
    const Problem& problem = part->problem;
    const std::span<const double> d = part->problem.direction(), g = problem.gradient(), rows = d.subspan(g.size());
    for (std::size_t i = 0; i < g.size(); ++i) slope += g[i] * d[i];
    for (std::size_t k = 0; k < rows.size(); ++k) {
      slope += problem.multipliers()[k] * problem.violations()[k] * factor;
      weight_ = std::max(weight_, 1.1 * std::abs(problem.multipliers()[k] + rows[k]));
    }
  }
  for (std::size_t k = 0; k < rows_.size(); ++k)
    slope += rows_[k].push * factor * (quadratic_.values()[k] - rows_[k].at.gap);
  return slope - weight_ * factor * base_violation_;
}

void ActiveSet::move(double fraction) {
  fraction_ = fraction;
  for (auto& part : parts_) part->problem.move(fraction);
}

void ActiveSet::accept() {
  for (auto& part : parts_) part->problem.accept();
  base_key_.clear(), base_push_.clear(), new_push_.clear();
  for (const Row& row : rows_) {
    base_key_.push_back(row.pair.key);
    base_push_.push_back(row.push), new_push_.push_back(row.push);
  }
}

Solved ActiveSet::iterate() {
  NewtonOptions options;
  options.max_iterations = settings_.iterations;
  options.tolerance = 0;
  for (const auto& part : parts_) {
    if (part->problem.stretch() > 1 + 1e-9) return {false, Cause::clamp_out_of_reach};
    const Problem::Accuracy asked = part->problem.accuracy();
    options.tolerance = std::max(options.tolerance, asked.tolerance);
    options.acceptable = std::max(options.acceptable, asked.acceptable);
  }
  const NewtonReport report = newton_minimise(*this, options);
  const bool jams = report.end == NewtonEnd::stalled || report.end == NewtonEnd::iteration_limit;
  const bool fine = report.converged || (jams && (settings_.accept_unfinished || report.residual <= options.acceptable));
  Solved solved{fine, Cause::none, report.iterations, 0, report.residual};
  solved.solves = systems_;
  if (!fine) solved.cause = report.end == NewtonEnd::not_finite ? Cause::not_finite : Cause::contact;
  return solved;
}

bool ActiveSet::solve(const Drive& drive, const LoadsNow& loads, const Stage& stage) {
  begin(drive, loads, stage);
  const Solved solved = iterate();
  for (auto& part : parts_) {
    part->solved = solved;
    if (!solved.fine) part->problem.take_back();
  }
  if (solved.fine) finish();
  return solved.fine;
}

void ActiveSet::finish() {
  points_.clear();
  touching_ = 0, deepest_ = 0;
  for (const Row& row : rows_) {
    if (!(row.push > 0) && row.at.gap > 0) continue;
    const NearPair& p = row.pair;
    const Vec3& a0 = field_.x[z(p.node[0])];
    const Vec3 centre = p.node[1] < 0 ? a0 : Vec3((1 - row.at.s) * a0 + row.at.s * field_.x[z(p.node[1])]);
    points_.push_back({centre - p.radius_a * row.at.normal, row.at.normal, row.push * row.at.normal, row.at.gap, p.edge_a,
                       p.edge_b, p.obstacle, -1});
    touching_ += row.push > 0 ? 1 : 0;
    deepest_ = std::max(deepest_, -row.at.gap / p.radius_a);
  }
  for (auto& part : parts_) {
    part->solved.folded = part->problem.is_folded_now();
    part->problem.finish();
  }
}

void ActiveSet::visit_state(StateArchive& archive) {
  archive(points_, touching_, deepest_);
  if (archive.reading()) check_loaded_points(points_, model_, field_.geometry().edges());
}

}  // namespace tendril::compact
