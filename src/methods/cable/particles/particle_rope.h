// A scene's rod as one of the paper's particle cables, to compare with segments: a particle at each node, the first is the anchor, the
// last the load.  [Servin 2008, sec. III]
#pragma once

#include <memory>

#include "methods/cable/particles/particle_cable.h"
#include "methods/method.h"
#include "model/drive.h"
#include "model/model.h"

namespace tendril::cable::particles {

// Of a word of the option `model`; nothing: segments.
std::optional<ParticleModel> particle_model(std::string_view word);
// What particles cannot do in this scene, by name.
Problems check_particles(const Model& model, const std::string& word);

class ParticleRope final : public Method {
 public:
  ParticleRope(std::shared_ptr<const Model> model, ParticleModel which);
  StepReport step(double time, double dt, const Live& live) override;
  StepReport relax(double time, double load_factor, const Live& live) override;
  void write(Frame& frame) const override;
  void visit_state(StateArchive& archive) override;

 private:
  static ParticleCableDescription describe(const Model& model, ParticleModel which);
  void follow_tangents();  // frames of the edges, without turning about them
  double load_mass() const { return model_->bodies.empty() ? 0 : model_->bodies[0].mass; }

  std::shared_ptr<const Model> model_;
  ParticleCable cable_;
  Drive drive_;
  std::vector<Quat> frame_;
  std::vector<Vec3> before_;  // velocities
  Vec3 reaction_ = Vec3::Zero();
  EnergyFlow flow_;
  StepReport report_;
  std::vector<double> mass_;  // of particles, the anchor's first
};

}  // namespace tendril::cable::particles
