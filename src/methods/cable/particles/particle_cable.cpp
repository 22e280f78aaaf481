#include "methods/cable/particles/particle_cable.h"

#include <algorithm>
#include <cmath>

#include "methods/cable/particles/particle_kernels.h"

namespace tendril::cable::particles {

namespace {

// Pivots of S are down to m/M of their rows: a load of 1e15 particles leaves 1e-15. Only what is no number is refused; how
// many pivots were not positive is in the report.
constexpr double smallest_pivot = 1e-30;

void check(const ParticleCableDescription& is) {
  using enum ParticleModel;
  const auto no_less_than_zero = [](double value) { return value >= 0 && std::isfinite(value); };
  TENDRIL_REQUIRE(!is.position.empty(), "a cable needs at least one particle");
  TENDRIL_REQUIRE(is.mass.size() == is.position.size(), "every particle needs a mass");
  for (const double mass : is.mass) TENDRIL_REQUIRE(mass > 0 && std::isfinite(mass), "masses must be > 0");
  TENDRIL_REQUIRE(is.link_length > 0 && std::isfinite(is.link_length), "the length of a link must be > 0");
  TENDRIL_REQUIRE(no_less_than_zero(is.stretch_compliance) && no_less_than_zero(is.extra_compliance),
                  "compliances must be >= 0");
  TENDRIL_REQUIRE(no_less_than_zero(is.damping), "damping must be >= 0");
  TENDRIL_REQUIRE(is.model != total_length || is.stretch_compliance > 0 || is.extra_compliance > 0,
                  "the total length repeats what the links say: one of the compliances must be > 0");
  // A straight joint has no direction to bend in: its row of S is eps alone.
  TENDRIL_REQUIRE((is.model != angles && is.model != bend_forces) || is.extra_compliance > 0,
                  "the compliance of bending must be > 0");
}

}  // namespace

ParticleCableDescription horizontal_cable(ParticleModel model, int links, double light_mass, double load_mass,
                                          double link_length) {
  ParticleCableDescription cable;
  cable.model = model;
  cable.link_length = link_length;
  for (int i = 1; i <= links; ++i) cable.position.push_back(Vec3(i * link_length, 0, 0));
  cable.mass.assign(std::size_t(links), light_mass);
  if (links > 0) cable.mass.back() = load_mass;
  return cable;
}

ParticleCable::ParticleCable(const ParticleCableDescription& description) : is_(description) {
  check(is_);
  const std::size_t particles = is_.position.size();
  inverse_mass_.push_back(0);
  for (const double mass : is_.mass) inverse_mass_.push_back(1 / mass);
  x_.push_back(is_.anchor);
  x_.insert(x_.end(), is_.position.begin(), is_.position.end());
  v_.assign(particles + 1, Vec3::Zero());
  free_ = acceleration_ = v_;
  lay_out_rows();
}

void ParticleCable::lay_out_rows() {
  using enum ParticleModel;
  const int n = links();
  const auto link_rows = is_.model == total_length_cut ? n - 1 : n;
  for (int i = 0; i < link_rows; ++i) {
    rows_.push_back({.first = i, .count = 2, .compliance = is_.stretch_compliance});
    if (is_.model == angles && i + 1 < n) rows_.push_back({.first = i, .count = 3, .compliance = is_.extra_compliance});
  }
  // The load's link also holds the anchor, which does not move.
  if (is_.model == load_link) rows_.push_back({.first = n, .count = 1, .compliance = is_.extra_compliance});
  has_border_ = is_.model == total_length || is_.model == total_length_cut;
  if (has_border_) border_gradient_.assign(x_.size(), Vec3::Zero());
  band_.resize(int(rows_.size()), is_.model == angles ? 4 : 1);
  border_.resize(int(rows_.size()), has_border_ ? 1 : 0);
  lambda_.assign(std::size_t(rows()), 0.0);
  missing_ = lambda_;
}

void ParticleCable::set_velocity(int particle, const Vec3& velocity) {
  TENDRIL_REQUIRE(particle >= 1 && particle <= links(), "there is no such particle, or it is the anchor");
  v_[std::size_t(particle)] = velocity;
}

void ParticleCable::evaluate() {
  for (Row& row : rows_) {
    const std::size_t i = std::size_t(row.first);
    if (row.count == 3) {
      const BendAngle bend = bend_angle(x_[i], x_[i + 1], x_[i + 2]);
      row.violation = bend.angle, row.gradient = bend.gradient;
    } else if (row.count == 2) {
      const Distance link = distance(x_[i], x_[i + 1]);
      row.violation = link.length - is_.link_length;
      row.gradient[0] = -link.direction, row.gradient[1] = link.direction;
    } else {
      const Distance whole = distance(x_.front(), x_.back());
      row.violation = whole.length - links() * is_.link_length;
      row.gradient[0] = whole.direction;
    }
  }
  if (has_border_) border_violation_ = cable_length(x_, border_gradient_) - links() * is_.link_length;
}

void ParticleCable::evaluate_forces() {
  for (std::size_t i = 1; i < free_.size(); ++i) free_[i] = is_.gravity;
  if (is_.model != ParticleModel::bend_forces) return;
  for (std::size_t i = 0; i + 2 < x_.size(); ++i) {  // eq. (4)
    const BendAngle bend = bend_angle(x_[i], x_[i + 1], x_[i + 2]);
    for (std::size_t k = 0; k < 3; ++k)
      free_[i + k] -= inverse_mass_[i + k] * bend.angle / is_.extra_compliance * bend.gradient[k];
  }
}

double ParticleCable::product(const Row& row, std::span<const Vec3> values) const {
  double sum = 0;
  for (int k = 0; k < row.count; ++k) sum += row.gradient[std::size_t(k)].dot(values[std::size_t(row.first + k)]);
  return sum;
}

double ParticleCable::coupling(const Row& a, const Row& b) const {
  double sum = 0;
  const int last = std::min(a.first + a.count, b.first + b.count);
  for (int i = std::max(a.first, b.first); i < last; ++i)
    sum += inverse_mass_[std::size_t(i)] * a.gradient[std::size_t(i - a.first)].dot(b.gradient[std::size_t(i - b.first)]);
  return sum;
}

// S, whose relaxation eps/dt^2 is `factor` eps.
void ParticleCable::assemble(double factor) {
  const int n = band_.size(), half = band_.half_bandwidth();
  for (int j = 0; j < n; ++j) {
    const Row& row = rows_[std::size_t(j)];
    for (int i = j; i <= std::min(j + half, n - 1); ++i) band_.entry(i, j) = coupling(row, rows_[std::size_t(i)]);
    band_.add(j, j, factor * row.compliance);
  }
  if (!has_border_) return;
  border_.set_zero();
  double corner = factor * is_.extra_compliance;
  for (std::size_t i = 0; i < x_.size(); ++i) corner += inverse_mass_[i] * border_gradient_[i].squaredNorm();
  border_.add_corner(0, 0, corner);
  for (int j = 0; j < n; ++j) {
    const Row& row = rows_[std::size_t(j)];
    double sum = 0;
    for (int k = 0; k < row.count; ++k) {
      const std::size_t i = std::size_t(row.first + k);
      sum += inverse_mass_[i] * row.gradient[std::size_t(k)].dot(border_gradient_[i]);
    }
    border_.column(j, 0) = sum;
  }
}

// M^-1 (f + J^T lambda), from what is free.
void ParticleCable::pull() {
  std::copy(free_.begin(), free_.end(), acceleration_.begin());
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    const Row& row = rows_[j];
    for (int k = 0; k < row.count; ++k) {
      const std::size_t i = std::size_t(row.first + k);
      acceleration_[i] += inverse_mass_[i] * lambda_[j] * row.gradient[std::size_t(k)];
    }
  }
  if (!has_border_) return;
  for (std::size_t i = 0; i < x_.size(); ++i) acceleration_[i] += inverse_mass_[i] * lambda_.back() * border_gradient_[i];
}

// Adds to lambda what is missing from eq. (11): -J v/dt - J M^-1 (f + J^T lambda) - (phi + eps lambda)/dt^2 on the right, where
// `factor` is 1/dt^2, less with damping [ERRATA S3].
void ParticleCable::improve(double dt, double factor) {
  pull();
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    const Row& row = rows_[j];
    missing_[j] =
        -product(row, v_) / dt - product(row, acceleration_) - factor * (row.violation + row.compliance * lambda_[j]);
  }
  if (has_border_) {
    double sum = factor * (border_violation_ + is_.extra_compliance * lambda_.back());
    for (std::size_t i = 0; i < x_.size(); ++i) sum += border_gradient_[i].dot(v_[i] / dt + acceleration_[i]);
    missing_.back() = -sum;
  }
  border_.solve(band_, missing_);
  for (std::size_t j = 0; j < lambda_.size(); ++j) lambda_[j] += missing_[j];
}

PivotReport ParticleCable::step(double dt) {
  TENDRIL_REQUIRE(dt > 0 && std::isfinite(dt), "the step must be > 0");
  const double factor = 1 / (dt * (dt + is_.damping));  // 1/dt^2 without damping
  evaluate();
  evaluate_forces();
  assemble(factor);
  PivotReport report = band_.factor(0, {}, smallest_pivot);
  if (has_border_) report.add(border_.factor(band_, smallest_pivot), band_.size());
  // Twice (iterative refinement): below a load of 1e15 particles eps/dt^2 is 4e-15 and loses digits when it is added to 2/m; the cable's
  // compliance is then wrong by 6 %. What is missing after the first solve is computed with eps and J apart: 0.6 % are left, 3e-5 at 1e14.
  std::fill(lambda_.begin(), lambda_.end(), 0.0);
  improve(dt, factor);
  improve(dt, factor);
  pull();
  for (std::size_t i = 1; i < x_.size(); ++i) {
    v_[i] += dt * acceleration_[i];  // the first line of eq. (9)
    x_[i] += dt * v_[i];             // eq. (8)
  }
  return report;
}

double ParticleCable::stretch(int link) const {
  const std::size_t i = std::size_t(link);
  return (x_[i + 1] - x_[i]).norm() - is_.link_length;
}

double ParticleCable::largest_stretch() const {
  double largest = 0;
  for (int i = 0; i < links(); ++i) {
    const double size = std::abs(stretch(i));
    if (!(size <= largest)) largest = size;  // also true for NaN, which stays
    if (std::isnan(largest)) break;
  }
  return largest;
}

double ParticleCable::bend(int joint) const {
  const std::size_t i = std::size_t(joint);
  return bend_angle(x_[i], x_[i + 1], x_[i + 2]).angle;
}

}  // namespace tendril::cable::particles
