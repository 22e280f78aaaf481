// Figs. 2 to 6: why angles between links hold heavy loads. Stretch phi_d and bend phi_a at the topmost particle of five links, steps of 1/60 s
// for 30 s, eps_d = 1e-6 m/N. Without resistance to bending, chain and load exchange fast transverse motion; with it, the cable
// swings slowly and as a whole (Fig. 6).
//   bend       signed by the side to which the cable bends in its plane: phi_a itself is never negative
//   peaks      of the histogram of 21 bins over plus and minus the largest bend, smoothed by (1, 2, 1)/4; a maximum counts when it rises by a
//              fifth of the tallest above what parts it from a taller one
//   power      of phi_d less its mean, share of all frequencies above 0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "math/elementary.h"
#include "validation/cable/particle_run.h"
#include "validation/experiment.h"

namespace tendril::experiments::cable_particle_spectra {
namespace {

using enum ParticleModel;
using Series = std::vector<double>;

struct Samples {
  Series stretch, bend;
  std::array<double, 4> waves{};  // root mean square of 1 to 4 half waves of the particles' offset from the chord [m]
};
Samples sample(const ParticleCase& which, double ratio) {
  ParticleCable cable = dropped_cable(which, 5, ratio);
  Samples motion;
  for (int k = 0; k < int(std::lround(particle_duration / particle_step)); ++k) {
    std::ignore = cable.step(particle_step);
    const auto x = cable.positions();
    const Vec3 side = (x[1] - x[0]).cross(x[2] - x[1]);
    motion.stretch.push_back(cable.stretch(0));
    motion.bend.push_back(side.y() < 0 ? -cable.bend(0) : cable.bend(0));
    const Vec3 chord = (x[5] - x[0]).normalized();
    for (int wave = 1; wave <= 4; ++wave) {
      double amplitude = 0;
      for (int i = 1; i <= 4; ++i)
        amplitude += 0.4 * math::sin(math::pi * wave * i / 5) * chord.cross(x[std::size_t(i)] - x[0]).y();
      motion.waves[std::size_t(wave - 1)] += amplitude * amplitude;
    }
  }
  for (double& wave : motion.waves) wave = std::sqrt(wave / double(motion.bend.size()));
  return motion;
}

double largest(const Series& values) {
  double size = 0;
  for (const double value : values) size = std::max(size, std::abs(value));
  return size;
}

constexpr int bins = 21;
using Histogram = std::array<double, bins>;
// Shares of the values in equal bins from `low` to `high`.
Histogram histogram(const Series& values, double low, double high) {
  Histogram shares{};
  for (const double value : values) {
    const int bin = std::clamp(int((value - low) / (high - low) * bins), 0, bins - 1);
    shares[std::size_t(bin)] += 1.0 / double(values.size());
  }
  return shares;
}

// Maxima that rise by `rise` of the tallest one above the valley that parts them from taller ones.
int peaks(const Histogram& raw, double rise) {
  Histogram h{};
  for (int i = 0; i < bins; ++i) {
    const auto at = [&](int k) { return k < 0 || k >= bins ? 0.0 : raw[std::size_t(k)]; };
    h[std::size_t(i)] = 0.25 * at(i - 1) + 0.5 * at(i) + 0.25 * at(i + 1);
  }
  const double tallest = *std::max_element(h.begin(), h.end());
  int count = 0;
  for (int i = 0; i < bins; ++i) {
    // The lowest point on the way to something taller on either side; equal neighbours count as taller on the left only.
    const double top = h[std::size_t(i)];
    double left = top, right = top;
    int l = i - 1, r = i + 1;
    for (; l >= 0 && h[std::size_t(l)] < top; --l) left = std::min(left, h[std::size_t(l)]);
    for (; r < bins && h[std::size_t(r)] <= top; ++r) right = std::min(right, h[std::size_t(r)]);
    if (l < 0) left = 0;
    if (r >= bins) right = 0;
    if (top - std::max(left, right) >= rise * tallest) ++count;
  }
  return count;
}

double mean(const Series& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / double(values.size());
}

// Of each value with the next: 1 for a slow motion, 0 where nothing follows from the last.
double lag_correlation(const Series& values) {
  const double middle = mean(values);
  double products = 0, squares = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    squares += (values[k] - middle) * (values[k] - middle);
    if (k > 0) products += (values[k] - middle) * (values[k - 1] - middle);
  }
  return products / squares;
}

// |Fourier coefficient|^2 of frequencies k/duration, k = 1 .. half of the samples.
Series power(const Series& values) {
  const double middle = mean(values);
  const std::size_t count = values.size();
  Series spectrum;
  for (std::size_t k = 1; k <= count / 2; ++k) {
    double re = 0, im = 0;
    for (std::size_t n = 0; n < count; ++n) {
      const double angle = math::two_pi * double(k * n % count) / double(count);
      re += (values[n] - middle) * math::cos(angle);
      im += (values[n] - middle) * math::sin(angle);
    }
    spectrum.push_back((re * re + im * im) / double(count));
  }
  return spectrum;
}

double share_above(const Series& spectrum, double frequency) {
  double all = 0, above = 0;
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    all += spectrum[k];
    if (double(k + 1) / particle_duration > frequency) above += spectrum[k];
  }
  return above / all;
}

// Figs. 2, 3 and 6, ratio 100.
void distributions(ExperimentContext& context, std::vector<Check>& checks) {
  const Samples loose = sample({chain, 1e-6, 0}, 100), stiff = sample({angles, 1e-6, 1e-4}, 100);
  std::vector<std::vector<double>> rows;
  const auto over = [](const Series& values, bool both_sides) {
    const double high = *std::max_element(values.begin(), values.end());
    return both_sides ? std::pair{-largest(values), largest(values)}
                      : std::pair{*std::min_element(values.begin(), values.end()), high};
  };
  std::array<Histogram, 4> shares;
  std::array<std::pair<double, double>, 4> range = {over(loose.stretch, false), over(loose.bend, true),
                                                    over(stiff.stretch, false), over(stiff.bend, true)};
  const std::array<const Series*, 4> series = {&loose.stretch, &loose.bend, &stiff.stretch, &stiff.bend};
  for (std::size_t s = 0; s < 4; ++s) shares[s] = histogram(*series[s], range[s].first, range[s].second);
  for (int i = 0; i < bins; ++i) {
    std::vector<double> row;
    for (std::size_t s = 0; s < 4; ++s) {
      row.push_back(range[s].first + (range[s].second - range[s].first) * (i + 0.5) / bins);
      row.push_back(shares[s][std::size_t(i)]);
    }
    rows.push_back(row);
  }
  context.write_csv(
      "figures_2_3",
      {"(a) phi_d [m]", "share", "(a) bend [rad]", "share", "(e) phi_d [m]", "share", "(e) bend [rad]", "share"}, rows);
  checks.push_back(absolute_check("ratio 100, (a): peaks of the bend's distribution", 1, peaks(shares[1], 0.2), 0));
  checks.push_back(absolute_check("ratio 100, (e): peaks of the bend's distribution", 2, peaks(shares[3], 0.2), 0));
  checks.push_back(
      at_least("ratio 100: largest bend of (a) over that of (e)", 20, largest(loose.bend) / largest(stiff.bend)));
  std::vector<std::vector<double>> waves;
  for (std::size_t k = 0; k < 4; ++k) waves.push_back({double(k + 1), loose.waves[k], stiff.waves[k]});
  context.write_csv("figure_6", {"half waves", "(a) offset [m]", "(e) offset [m]"}, waves);
}

// Figs. 4 and 5, ratio 150.
void return_maps_and_spectra(ExperimentContext& context, std::vector<Check>& checks) {
  const Series loose = sample({chain, 1e-6, 0}, 150).stretch;
  constexpr std::array<double, 3> compliance = {1e-1, 5e-3, 1e-4};
  std::array<Series, 3> stiff, spectrum;
  for (std::size_t k = 0; k < 3; ++k) {
    stiff[k] = sample({angles, 1e-6, compliance[k]}, 150).stretch;
    spectrum[k] = power(stiff[k]);
  }
  checks.push_back(at_most("ratio 150, (a): correlation of phi_d with the next", 0.6, lag_correlation(loose)));
  checks.push_back(at_least("ratio 150, (e): correlation of phi_d with the next", 0.99, lag_correlation(stiff[2])));
  checks.push_back(at_least("ratio 150, eps_a 1e-1: power above 5 Hz", 0.2, share_above(spectrum[0], 5)));
  checks.push_back(at_most("ratio 150, eps_a 5e-3: power above 5 Hz", 0.05, share_above(spectrum[1], 5)));
  checks.push_back(at_most("ratio 150, eps_a 1e-4: power above 5 Hz", 0.005, share_above(spectrum[2], 5)));
  std::vector<std::vector<double>> maps, lines;
  for (std::size_t k = 0; k + 1 < loose.size(); ++k) maps.push_back({loose[k], loose[k + 1], stiff[2][k], stiff[2][k + 1]});
  for (std::size_t k = 0; k < spectrum[0].size(); ++k)
    lines.push_back({double(k + 1) / particle_duration, spectrum[0][k], spectrum[1][k], spectrum[2][k]});
  context.write_csv("figure_4", {"(a) phi_d [m]", "(a) next [m]", "(e) phi_d [m]", "(e) next [m]"}, maps);
  context.write_csv("figure_5", {"frequency [Hz]", "power at eps_a 1e-1 [m^2]", "at 5e-3 [m^2]", "at 1e-4 [m^2]"}, lines);
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  distributions(context, checks);
  return_maps_and_spectra(context, checks);
  return checks;
}

}  // namespace tendril::experiments::cable_particle_spectra
