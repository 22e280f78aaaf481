// Rows, warm start and sweeps, with a method made of loose particles.
#include "contact/contact_rows.h"

#include "contact/contact_sweeps.h"
#include "contact/contact_testing.h"
#include "contact/contact_watch.h"
#include "contact/gap_derivatives.h"
#include "contact/warm_start.h"
#include "math/rotation.h"
#include "testing/allocation_count.h"
#include "testing/finite_difference.h"

namespace tendril {
namespace {
using namespace contact_testing;

// Nodes are particles: all that a method has to bring along.
struct Particles {
  const Model& model;
  ContactWatch watch;
  std::vector<Vec3> x;
  std::vector<double> w;  // inverse masses
  std::vector<ContactRows> rows;

  explicit Particles(const Model& m) : model(m), watch(m) {
    x.assign(m.initial.position.begin(), m.initial.position.end());
    w.assign(x.size(), 1);
  }
  auto node_at() const {
    return [this](int i) { return to_small(x[static_cast<std::size_t>(i)]); };
  }
  void begin() {
    std::vector<ObstacleNow> still;
    for (const ObstacleModel& o : model.obstacles) still.push_back({o.start, {}});
    watch.begin_step(node_at(), {});
    watch.set_obstacles(still);
  }
  void look() {
    watch.set_after(node_at(), {});
    ASSERT_EQ(watch.find(), Found::fine);
    rows.resize(watch.touches().size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Touch& touch = watch.touches()[k];
      watch.set_nodes(touch, rows[k]);
      for (int i = 0; i < 4; ++i)
        rows[k].w[i] = i < 2 || touch.is_between_rods() ? w[static_cast<std::size_t>(rows[k].node[i])] : 0;
      const auto& [p, q] = watch.geometry().ends(touch.edge_a);
      set_basis(touch, node_at()(q) - node_at()(p), rows[k]);
      set_rows(touch, watch.motion_of(touch, rows[k]), nullptr, Quat::Identity(), rows[k]);
    }
  }
  double value(const ContactRows& r, int k) const {
    return row_value(
        r, k, [&](int i) { return node_at()(r.node[i]); }, nullptr);
  }
  void push(ContactRows& r, int k, double impulse) {
    r.row[k].impulse += impulse;
    for (int i = 0; i < 4; ++i) x[static_cast<std::size_t>(r.node[i])] += r.w[i] * impulse * to_eigen(r.row[k].h[i]);
  }
};

// Rods that lie across each other in layers on the floor.
Model layers(double friction) {
  std::vector<Line> lines;
  for (int k = 0; k < 4; ++k) {
    const Vec3 along = k % 2 ? Vec3::UnitY() : Vec3::UnitX(), aside = k % 2 ? Vec3::UnitX() : Vec3::UnitY();
    for (const double shift : {-0.11, 0.13}) {
      const Vec3 middle = shift * aside + Vec3(0, 0, 0.0101 + 0.0201 * k);
      lines.push_back({straight(middle - 0.3 * along, middle + 0.3 * along, 5), 0.01, false});
    }
  }
  Model model = model_of(lines, 0.002);
  add_obstacle(model, shape::HalfSpace{});
  model.contact.friction = friction;
  model.obstacles[0].friction = friction;
  return model;
}

SENTENCE("contact",
         "rows: the gap's value and gradient are the true ones, the slip is zero at the start, and both derivatives agree "
         "with differences") {
  const Model model = layers(0.5);
  Particles particles(model);
  Random random(61);
  for (Vec3& p : particles.x) p += random.vector(2e-4);
  const std::vector<Vec3> start = particles.x;
  particles.begin();
  for (Vec3& p : particles.x) p += random.vector(2e-4);
  particles.look();
  int between = 0, on_floor = 0;
  for (std::size_t k = 0; k < particles.rows.size(); ++k) {
    const ContactRows& rows = particles.rows[k];
    const Touch& touch = particles.watch.touches()[k];
    ++(touch.is_between_rods() ? between : on_floor);
    Vec3 x[4];
    for (int i = 0; i < 4; ++i) x[i] = particles.x[static_cast<std::size_t>(rows.node[i])];
    const GapDerivatives gap = gap_derivatives(particles.watch.geometry(), touch, x, model.obstacles[0].start);
    EXPECT_NEAR(gap.gap, touch.gap, 1e-15);
    const Vector12 at = (Vector12() << x[0], x[1], x[2], x[3]).finished();
    for (int r = 0; r < 3; ++r) {
      Vector12 g;
      for (int i = 0; i < 4; ++i) g.segment<3>(3 * i) = to_eigen(rows.row[r].g[i]);
      const auto value = [&](const Vector12& y) {
        return row_value(
            rows, r, [&](int i) { return to_small(Vec3(y.segment<3>(3 * i))); }, nullptr);
      };
      const auto result = compare_with_differences(value, g, at);
      EXPECT_TRUE(result.ok) << result.message;
      Vector12 before;
      for (int i = 0; i < 4; ++i) before.segment<3>(3 * i) = start[static_cast<std::size_t>(rows.node[i])];
      if (r == 0) {
        EXPECT_NEAR(value(at), gap.gap, 1e-14);
        EXPECT_LT((g - gap.gradient).norm(), 1e-12);
      } else {
        EXPECT_NEAR(value(before), 0, 1e-15) << "nothing has slid yet";
      }
      // Between rods nothing is pushed as a whole.
      const Vec3 sum = g.segment<3>(0) + g.segment<3>(3) + g.segment<3>(6) + g.segment<3>(9);
      EXPECT_NEAR(sum.norm(), touch.is_between_rods() ? 0 : 1, 1e-14);
    }
  }
  EXPECT_GT(between, 10);
  EXPECT_GT(on_floor, 10);
}

SENTENCE("contact", "rows: the inverse effective mass is what an impulse changes, also where a body gives way and turns") {
  Random random(62);
  for (int k = 0; k < 50; ++k) {
    BodyModel body;
    body.mass = 2, body.inertia = Vec3(0.1, 0.2, 0.3);
    if (k % 2) body.kind = BodyKind::guided, body.axis = random.unit_vector();
    Touch touch;
    touch.s = random.uniform(), touch.normal = random.unit_vector(), touch.obstacle = 0, touch.radius_a = 0.1;
    touch.local = random.vector();
    ContactRows rows;
    rows.w[0] = 0.3, rows.w[1] = 0.7, rows.body = 0, rows.local = touch.local;
    const Quat q = random.rotation();
    set_basis(touch, to_small(random.vector()), rows);
    set_rows(touch, {}, &body, q, rows);
    const Vec3 centre = random.vector(), x[2] = {random.vector(), random.vector()};
    for (int r = 0; r < 3; ++r) {
      const Vec3 d = to_eigen(rows.direction(r)), lever = q * touch.local;
      const auto value = [&](double p) {
        const Pose pose{centre - p * (inverse_mass(body) * d),
                        exp_quat(Vec3(-p * (inverse_inertia(body, q) * lever.cross(d)))) * q};
        return row_value(
            rows, r,
            [&](int i) {
              return i < 2 ? to_small(Vec3(x[i] + rows.w[i] * p * to_eigen(rows.row[r].h[i]))) : V3<double>{0, 0, 0};
            },
            &pose);
      };
      const auto result = compare_with_differences(value, rows.row[r].inverse_effective_mass, 0.0, {.step = 1e-2});
      EXPECT_TRUE(result.ok) << result.message;
    }
  }
}

// Worst violation of the conditions of contact_sweeps.h, as lengths.
double violation(const Particles& particles) {
  double worst = 0;
  for (const ContactRows& r : particles.rows) {
    const ContactRow& normal = r.row[0];
    const double over = particles.value(r, 0) - normal.lower_bound;
    const double push = normal.impulse * normal.inverse_effective_mass;
    worst = std::max({worst, -over, -push, std::min(std::abs(over), std::abs(push))});
    const double p[2] = {r.row[1].impulse, r.row[2].impulse}, limit = r.friction * normal.impulse;
    const double size = std::hypot(p[0], p[1]), D = r.row[1].inverse_effective_mass;
    worst = std::max(worst, D * (size - limit));
    // Inside the cone nothing slides; on it, the slip is against the impulse.
    const Vec2 slip(particles.value(r, 1), particles.value(r, 2)), impulse(p[0], p[1]);
    if (size < 0.999 * limit)
      worst = std::max(worst, slip.norm());
    else if (size > 0)
      worst = std::max({worst, std::abs(slip.x() * p[1] - slip.y() * p[0]) / size, slip.dot(impulse) / size});
  }
  return worst;
}

SENTENCE("contact",
         "sweeps: a pile of particles is solved to rounding, conjugate directions and a warm start need fewer of them") {
  const Model model = layers(0.4);
  Random random(63);
  std::vector<Vec3> fall;
  for (int i = 0; i < model.initial.position.size(); ++i) fall.push_back(Vec3(0, 0, -8e-4) + random.vector(1e-4));
  const auto sweeps_needed = [&](bool fast, bool warm) {
    Particles particles(model);
    ContactMemory memory;
    int count = 0;
    for (int step = 0; step < (warm ? 2 : 1); ++step) {  // warm: the same step once more, from what the first one found
      particles.x.assign(model.initial.position.begin(), model.initial.position.end());
      particles.begin();
      for (std::size_t i = 0; i < particles.x.size(); ++i) particles.x[i] += fall[i];
      particles.look();
      memory.begin(particles.watch.geometry(), particles.watch.touches());
      for (std::size_t i = 0; i < particles.rows.size(); ++i) take_impulses(memory.now(i), 1e-2, particles.rows[i]);
      push_warm_start(particles.rows, particles);
      double change2 = 0;
      for (count = 1; count < 2000; ++count) {
        if (sweep(particles.rows, count % 2 == 1, particles) < 1e-10) break;
        if (fast) accelerate(particles.rows, count == 1, change2, particles);
      }
      for (std::size_t i = 0; i < particles.rows.size(); ++i) keep_impulses(particles.rows[i], 1, 1e-2, memory.now(i));
      memory.commit();
    }
    EXPECT_LT(violation(particles), 1e-10);
    EXPECT_GT(mean_push(particles.rows), 1e-3);
    int sliding = 0, sticking = 0;
    for (const ContactRows& r : particles.rows) {
      if (!(r.row[0].impulse > 0)) continue;
      const double size = std::hypot(r.row[1].impulse, r.row[2].impulse);
      ++(size < 0.999 * r.friction * r.row[0].impulse ? sticking : sliding);
    }
    EXPECT_GT(sliding, 0);
    EXPECT_GT(sticking, 0);
    return count;
  };
  const int plain = sweeps_needed(false, false), fast = sweeps_needed(true, false), warm = sweeps_needed(true, true);
  EXPECT_LT(fast, plain);
  EXPECT_LT(warm, fast);
}

SENTENCE("contact",
         "looking again within a step: who is still there keeps its impulses along the new tangents, who is new has none") {
  const Model model = layers(0.4);
  Particles particles(model);
  particles.begin();
  for (Vec3& p : particles.x) p.z() -= 5e-4;
  particles.look();
  for (ContactRows& r : particles.rows) r.row[0].impulse = 3, r.row[1].impulse = 0.3, r.row[2].impulse = -0.4;
  const std::vector<ContactRows> old = particles.rows;
  const std::vector<Touch> touches(particles.watch.touches().begin(), particles.watch.touches().end());
  EarlierRows<ContactRows> earlier;
  earlier.remember(std::span(touches).first(touches.size() - 1), particles.rows);
  EXPECT_FALSE(particles.watch.is_outdated(particles.node_at(), {}));
  particles.x[0].x() += 0.0011;  // half of the margin is 0.001
  EXPECT_TRUE(particles.watch.is_outdated(particles.node_at(), {}));
  particles.look();
  ASSERT_EQ(particles.rows.size(), old.size());
  for (std::size_t k = 0; k < old.size(); ++k) {
    ContactRows& r = particles.rows[k];
    earlier.give_back(particles.watch.touches()[k].key, r);
    const bool known = k + 1 < old.size();
    EXPECT_EQ(r.row[0].impulse, known ? 3 : 0);
    const Vec3 kept = to_eigen(old[k].tangential_impulse()), now = to_eigen(r.tangential_impulse());
    EXPECT_LT((now - (known ? kept : Vec3(Vec3::Zero()))).norm(), 1e-3);
  }
}

SENTENCE(
    "contact",
    "the watch: what turns far near a rod is noticed, far from it is not; a step allocates nothing once it has been taken") {
  for (const double distance : {0.0, 3.0}) {
    Model model = model_of({{straight(Vec3(-0.5, 0, 0.3), Vec3(0.5, 0, 0.3), 4), 0.01, false}});
    add_obstacle(model, shape::Box{Vec3(0.2, 0.2, 0.2)}, {Vec3(0, 0, distance), Quat::Identity()});
    Particles particles(model);
    for (const double turn : {0.4, 0.6}) {
      particles.begin();
      const ObstacleNow now{{Vec3(0, 0, distance), exp_quat(Vec3(0, turn, 0))}, {}};
      particles.watch.set_obstacles({&now, 1});
      particles.look();
      EXPECT_EQ(particles.watch.turns_too_far(), distance == 0 && turn > 0.5);
      particles.watch.set_obstacles(std::vector<ObstacleNow>{{model.obstacles[0].start, {}}});
    }
  }
  const Model model = layers(0.4);
  Particles particles(model);
  const auto step = [&] {
    particles.watch.begin_step(particles.node_at(), {});
    particles.watch.set_after(particles.node_at(), {});
    (void)particles.watch.find();
  };
  for (int k = 0; k < 3; ++k) step();
  const AllocationCount allocations;
  for (int k = 0; k < 10; ++k) step();
  const long count = allocations.count();
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace tendril
