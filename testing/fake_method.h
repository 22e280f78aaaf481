// A method for the tests of this room: independent springs that pull each node to where it started, in exact arithmetic
// steps that are cheap and deterministic, and that fail when told to. Not physics of a rod.
#pragma once

#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "methods/method.h"
#include "model/drive.h"
#include "model/model.h"
#include "model/rest_curve.h"
#include "run/open.h"
#include "tendril/simulate.h"

namespace tendril {

class FakeMethod final : public Method {
 public:
  // What goes wrong. Static, because methods are made behind a function pointer; tests reset it.
  struct Trouble {
    double largest_step = forever;            // larger steps fail
    double from = -forever, until = forever;  // but only between these times
    bool silent = false;                      // fail by NaN instead of by report
    double largest_increment = forever;       // of the load factor, or of time in quasistatics
    double throws_from = forever;             // [s]
    double seconds = 0;                       // of wall clock that each step takes
    bool contacts = false;                    // frames have some
    bool varies = false;                      // every tenth step a node of the first rod, an open one, comes or goes
    int steps = 0, relaxes = 0;               // counted
    std::vector<double> sizes;                // of the steps asked for
  };
  static Trouble& trouble() {
    static Trouble t;
    return t;
  }

  explicit FakeMethod(std::shared_ptr<const Model> model) : model_(std::move(model)) {
    for (const Vec3& p : model_->initial.position)
      for (int i = 0; i < 3; ++i) offset_.push_back(0.01 * p[i]), speed_.push_back(0);
    evaluate(*model_, Live{}, 0, 0, drive_);
  }
  StepReport step(double time, double dt, const Live& live) override {
    Trouble& t = trouble();
    ++t.steps;
    if (time >= t.throws_from) throw Misuse("the fake method throws");
    if (t.seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(t.seconds));
    if (t.sizes.size() < t.sizes.capacity()) t.sizes.push_back(dt);
    evaluate(*model_, live, time + dt, 1, drive_);
    StepReport report;
    report.step_taken = dt;
    report.iterations = 1;
    if (dt > t.largest_step * (1 + 1e-12) && time >= t.from && time < t.until) {
      if (t.silent)
        offset_[0] = std::nan("");
      else
        report.outcome = Outcome::diverged, report.cause = Cause::step_too_large;
    }
    for (std::size_t i = 0; i < offset_.size(); ++i) {
      speed_[i] += dt * (-100 * offset_[i] + live.gravity_scale * model_->gravity[static_cast<int>(i % 3)]);
      offset_[i] += dt * speed_[i];
    }
    ++steps_;
    if (t.varies && steps_ % 10 == 0) change_nodes();
    return report;
  }
  StepReport relax(double time, double load_factor, const Live& live) override {
    Trouble& t = trouble();
    ++t.relaxes;
    evaluate(*model_, live, time, load_factor, drive_);
    stand_still(drive_);
    StepReport report;
    report.iterations = 3;
    const double increment = std::max(std::abs(load_factor - load_factor_), std::abs(time - time_) * (time_ < 0 ? 0 : 1));
    if (increment > t.largest_increment * (1 + 1e-12))
      report.outcome = Outcome::not_converged, report.cause = Cause::no_equilibrium;
    load_factor_ = load_factor;
    time_ = time;
    for (std::size_t i = 0; i < offset_.size(); ++i)
      offset_[i] = 0.01 * drive_.gravity[static_cast<int>(i % 3)], speed_[i] = 0;
    return report;
  }
  void write(Frame& frame) const override {
    frame = model_->initial;
    if (extra_) insert_node(frame);
    for (int i = 0; i < frame.position.size(); ++i)
      for (int k = 0; k < 3; ++k) {
        frame.position[NodeIndex(i)][k] += offset_[static_cast<std::size_t>(3 * i + k)];
        frame.velocity[NodeIndex(i)][k] = speed_[static_cast<std::size_t>(3 * i + k)];
      }
    if (trouble().contacts) add_contacts(frame);
    for (Wrench& w : frame.reactions) w = Wrench{Vec3(1, 2, 3), Vec3(4, 5, 6)};
    write_drive(*model_, drive_, frame);
  }
  // As many as there are whole centimetres between where the end is and where it was, modulo 4.
  void add_contacts(Frame& frame) const {
    const int count = static_cast<int>(std::abs(100 * offset_.back())) % 4;
    for (int i = 0; i < count; ++i)
      frame.contacts.push_back(
          {Vec3(i, offset_[1], 1), Vec3::UnitZ(), Vec3(0, 0, 1 + offset_[2]), 0.01 * i, i, i - 1, -1, -1});
  }
  void visit_state(StateArchive& archive) override {
    archive(offset_, speed_, steps_, extra_, where_, load_factor_, time_, drive_);
    const std::size_t nodes = static_cast<std::size_t>(model_->material.size()) + (extra_ ? 1 : 0);
    TENDRIL_REQUIRE(
        offset_.size() == 3 * nodes && speed_.size() == 3 * nodes && where_ >= 0 && where_ < model_->rods[0].span.edges,
        "the state is damaged");
  }

 private:
  // A node in the middle of one edge, another one each time, half way between its neighbours; or that node goes.
  void change_nodes() {
    extra_ = !extra_;
    if (extra_) where_ = static_cast<int>(steps_ / 10) % model_->rods[0].span.edges;
    for (std::vector<double>* values : {&offset_, &speed_}) {
      const auto at = values->begin() + 3 * (where_ + 1);
      if (!extra_) {
        values->erase(at, at + 3);
        continue;
      }
      double middle[3];
      for (int k = 0; k < 3; ++k) middle[k] = 0.5 * (*(at + k - 3) + *(at + k));
      values->insert(at, middle, middle + 3);
    }
  }
  void insert_node(Frame& frame) const {
    const auto insert = [](auto& array, auto at, const auto& value) {
      array.push_back(value);
      for (int i = array.size() - 1; i > at.value; --i) array[decltype(at)(i)] = array[decltype(at)(i - 1)];
      array[at] = value;
    };
    const NodeIndex node(where_ + 1);
    const EdgeIndex edge(where_ + 1);
    const double s = 0.5 * (frame.material[node - 1] + frame.material[node]);
    insert(frame.material, node, s);
    insert(frame.position, node, model_->rods[0].rest_curve->at(s).position);
    insert(frame.velocity, node, Vec3(Vec3::Zero())), insert(frame.moment, node, Vec3(Vec3::Zero()));
    insert(frame.orientation, edge, Quat(frame.orientation[edge - 1]));
    insert(frame.spin, edge, Vec3(Vec3::Zero())), insert(frame.force, edge, Vec3(Vec3::Zero()));
    insert(frame.twist, InnerNodeIndex(where_), 0.0);
    for (std::size_t r = 0; r < frame.rods.size(); ++r) {
      RodSpan& rod = frame.rods[r];
      if (r == 0)
        ++rod.nodes, ++rod.edges, ++rod.inner;
      else
        ++rod.first_node, ++rod.first_edge, ++rod.first_inner;
    }
  }

  std::shared_ptr<const Model> model_;
  std::vector<double> offset_, speed_;
  double load_factor_ = 0, time_ = -1;
  std::int64_t steps_ = 0;
  bool extra_ = false;  // a node in the middle of edge `where_`
  int where_ = 0;
  Drive drive_;
};

inline const MethodEntry& fake_method() {
  static const MethodEntry entry = [] {
    MethodEntry e;
    e.info.name = "fake";
    constexpr FeatureSet both{
        Feature::anisotropic,    Feature::rest_curvature,    Feature::ring,        Feature::hold_position,
        Feature::hold_direction, Feature::hold_twist,        Feature::hold_inside, Feature::varying_nodes,
        Feature::couplings,      Feature::turning_couplings, Feature::contact,     Feature::bodies,
        Feature::joints,         Feature::switched_joints};
    e.info.can.motion = both.with({Feature::inertia});
    e.info.can.equilibrium = both.with({Feature::equilibria});
    e.check = [](const Model&, const Options&) { return Problems{}; };
    e.advise = [](const Model&, const Options&) { return StepAdvice{0.01, 0.004, "the springs"}; };
    e.make = [](std::shared_ptr<const Model> model, const Options&, const Resources&) -> std::unique_ptr<Method> {
      return std::make_unique<FakeMethod>(std::move(model));
    };
    return e;
  }();
  return entry;
}

// A rod of four segments, clamped at its start, under gravity, with two probes.
inline Scene fake_scene() {
  Scene scene;
  scene.title = "A fake";
  scene.method = "fake";
  scene.time.duration = 0.5;
  scene.time.frames_per_second = 40;
  Rod rod;
  rod.name = "rod";
  rod.section = StiffnessSection{std::nullopt, 1, 1, 0.8, 1, 0.01};
  rod.rest = StraightCurve{Vec3::Zero(), Vec3::UnitX()};
  rod.segments = 4;
  scene.rods.push_back(rod);
  Clamp clamp;
  clamp.name = "wall";
  clamp.rod = "rod";
  clamp.at = 0;
  scene.clamps.push_back(clamp);
  scene.loads.push_back(GravityLoad{});
  scene.probes.push_back({"tip", "rod", 1, "", Quantity::position});
  scene.probes.push_back({"pull", "", 0, "wall", Quantity::reaction_force});
  return scene;
}
inline Simulation open_fake(const Scene& scene) {
  Checked<Simulation> simulation = open_with(scene, fake_method());
  return std::move(*simulation);
}

}  // namespace tendril
