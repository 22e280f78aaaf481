#include "model/build/sections.h"

#include <cmath>

#include "math/number.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

using math::pi;

const Material rubber{"rubber", 1100, 2e7, 0.3, std::nullopt};

SENTENCE("model", "torsion constants: 0.140577 for the square, 0.312323 for the strip of ten, one third for the thin one") {
  EXPECT_NEAR(rectangle_torsion_constant(1, 1), 0.1405770149, 1e-9);
  EXPECT_NEAR(rectangle_torsion_constant(2, 2), 16 * 0.1405770149, 1e-8);
  EXPECT_NEAR(rectangle_torsion_constant(2, 1) / 2, 0.2286816, 1e-6);  // Timoshenko & Goodier, table for k1
  EXPECT_NEAR(rectangle_torsion_constant(1, 10) / 10, 0.312325, 2e-6);
  EXPECT_NEAR(rectangle_torsion_constant(1e-3, 1) * 1e9, 1.0 / 3, 3e-4);
  EXPECT_EQ(rectangle_torsion_constant(1, 3), rectangle_torsion_constant(3, 1));
}

SENTENCE("model", "shear stiffness: of shapes by Cowper's coefficients, of given sections as given") {
  const double G = 2e7 / 2.6;
  const Section round = make_section(CircleSection{0.03}, &rubber), box = make_section(RectangleSection{0.1, 0.2}, &rubber);
  EXPECT_NEAR(round.GA1 / (G * pi * 0.03 * 0.03), 6 * 1.3 / (7 + 6 * 0.3), 1e-12);
  EXPECT_NEAR(round.GA2, round.GA1, 1e-9);
  EXPECT_NEAR(box.GA1 / (G * 0.02), 13 / 15.3, 1e-12);
  EXPECT_EQ(box.GA1, box.GA2);
  const Section flat = make_section(EllipseSection{0.03, 0.01}, &rubber);  // along its long axis as in a slender rectangle
  EXPECT_GT(flat.GA1, flat.GA2);
  StiffnessSection given{1e4, 1, 1, 1, 2, 0.1};
  EXPECT_EQ(make_section(given, nullptr).GA1, 0);
  EXPECT_NEAR(make_section(given, nullptr).rotary1, 2 * 0.1 * 0.1 / 4, 1e-15);
  given.GA1 = 30, given.GA2 = 40, given.rotary1 = 5, given.rotary2 = 6;
  const Section s = make_section(given, nullptr);
  EXPECT_EQ(s.GA1, 30);
  EXPECT_EQ(s.GA2, 40);
  EXPECT_EQ(s.rotary1, 5);
  EXPECT_EQ(s.rotary2, 6);
}

SENTENCE("model", "a square cable of 0.1 m is as stiff as REFERENCES case 7 says") {
  const Section s = make_section(RectangleSection{0.1, 0.1}, &rubber);
  EXPECT_NEAR(s.EA, 200000, 1e-6);
  EXPECT_NEAR(s.EI1, 166.6666667, 1e-6);
  EXPECT_NEAR(s.GJ / 10, 10.81361654, 1e-6);
  EXPECT_NEAR(s.line_mass, 11, 1e-12);
}

SENTENCE("model", "a circle: EI = E pi r^4 / 4, GJ = G pi r^4 / 2, and an ellipse with equal axes is a circle") {
  const double r = 0.03, r4 = r * r * r * r;
  const Section s = make_section(CircleSection{r}, &rubber);
  EXPECT_NEAR(s.EI1, 2e7 * pi * r4 / 4, 1e-12);
  EXPECT_NEAR(s.EI2, s.EI1, 1e-15);
  EXPECT_NEAR(s.GJ, 2e7 / 2.6 * pi * r4 / 2, 1e-12);
  EXPECT_NEAR(s.rotary1, 1100 * pi * r4 / 4, 1e-15);
  EXPECT_NEAR(make_section(EllipseSection{r, r}, &rubber).GJ, s.GJ, 1e-12);
  Material plain = rubber;
  plain.poisson_ratio.reset();
  EXPECT_NEAR(make_section(CircleSection{r}, &plain).GJ, 2e7 / 3 * pi * r4 / 2, 1e-12);  // incompressible
  plain.shear_modulus = 1e6;
  EXPECT_NEAR(make_section(CircleSection{r}, &plain).GJ, 1e6 * pi * r4 / 2, 1e-12);
}

SENTENCE("model", "EI1 resists bending about d1: a strip wide along d1 is soft about d1") {
  const Section strip = make_section(RectangleSection{0.2, 0.01}, &rubber);
  EXPECT_NEAR(strip.EI1, 2e7 * 0.2 * 1e-6 / 12, 1e-9);
  EXPECT_NEAR(strip.EI2, 2e7 * 0.01 * 0.008 / 12, 1e-6);
  const Section ellipse = make_section(EllipseSection{0.2, 0.01}, &rubber);
  EXPECT_LT(ellipse.EI1, ellipse.EI2);
  EXPECT_EQ(ellipse.extent1, 0.2);
}

// The trap [ERRATA D4]: Discrete Elastic Rods measures curvature TOWARDS d1, which is bending ABOUT d2. A strip that is soft
// about d1 must have its small number in the SECOND place, towards d2.
SENTENCE("model", "bending towards d1 is bending about d2: the matrix of Discrete Elastic Rods is diag(EI2, EI1)") {
  const Section strip =
      make_section(RectangleSection{0.2, 0.01}, &rubber);  // flat in the plane of d1: bends easily towards d2
  const Mat2 B = bending_matrix_towards(strip);
  EXPECT_EQ(B(0, 0), strip.EI2);
  EXPECT_EQ(B(1, 1), strip.EI1);
  EXPECT_EQ(B(0, 1), 0);
  EXPECT_GT(B(0, 0), 100 * B(1, 1));
}

SENTENCE("model", "a section given directly keeps its numbers; EA may be missing") {
  const Section s = make_section(StiffnessSection{std::nullopt, 1, 0.2, 0.25, 3, 0.1}, nullptr);
  EXPECT_EQ(s.EA, 0);
  EXPECT_EQ(s.EI1, 1);
  EXPECT_EQ(s.EI2, 0.2);
  EXPECT_EQ(s.GJ, 0.25);
  EXPECT_EQ(s.line_mass, 3);
  EXPECT_EQ(s.radius(), 0.1);
  EXPECT_THROW(make_section(CircleSection{1}, nullptr), Misuse);
}

SENTENCE("model", "between stations of one kind sizes are interpolated, between kinds stiffnesses") {
  const std::vector<Station> taper = {{0.2, CircleSection{0.02}}, {1.0, CircleSection{0.01}}};
  EXPECT_NEAR(section_at(taper, 0.6, &rubber).EI1, make_section(CircleSection{0.015}, &rubber).EI1, 1e-12);
  EXPECT_EQ(section_at(taper, 0.1, &rubber).EI1, make_section(CircleSection{0.02}, &rubber).EI1);
  EXPECT_EQ(section_at(taper, 1.0, &rubber).EI1, make_section(CircleSection{0.01}, &rubber).EI1);
  const std::vector<Station> mixed = {{0, CircleSection{0.02}}, {1, RectangleSection{0.01, 0.03}}};
  const Section a = make_section(mixed[0].section, &rubber), b = make_section(mixed[1].section, &rubber);
  EXPECT_NEAR(section_at(mixed, 0.25, &rubber).EI2, 0.75 * a.EI2 + 0.25 * b.EI2, 1e-12);
  EXPECT_NEAR(section_at(mixed, 0.25, &rubber).line_mass, 0.75 * a.line_mass + 0.25 * b.line_mass, 1e-12);
  // A step: two stations at the same place.
  const std::vector<Station> step = {
      {0, CircleSection{1}}, {0.5, CircleSection{1}}, {0.5, CircleSection{2}}, {1, CircleSection{2}}};
  EXPECT_EQ(section_at(step, 0.49, &rubber).extent1, 1);
  EXPECT_EQ(section_at(step, 0.51, &rubber).extent1, 2);
}

}  // namespace
}  // namespace tendril
