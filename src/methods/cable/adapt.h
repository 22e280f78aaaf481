// Resolution that follows need [Servin 2008, Algorithm 1, line 18; ERRATA S21: the rule is ours].
//
// Two neighbours are merged where the rope is straight and quiet: where the joint between them neither bends nor twists, nor is about to, and
// the joints beside it would not bend much more. A segment is cut in two where one of its joints bends or is wound by more than an
// eighth of a right angle, down to the segments of the scene. What touches something is kept as fine as the scene has it.
#pragma once

#include "methods/cable/mesh.h"

namespace tendril::cable {

class Adapt {
 public:
  Adapt(const Model& model, Mesh& mesh);
  // `touched`: by element, it touches something; empty: nothing does.
  void remesh(std::span<const char> touched);

 private:
  void cut_bent(int rod, std::span<const char> touched);
  void merge_straight(int rod, std::span<const char> touched);
  void note_bends(int rod);
  bool may_merge(int rod, int k, std::span<const char> touched) const;
  double finest(int rod, double material) const;  // [m] the scene's segments there
  const Model& model_;
  Mesh& mesh_;
  std::vector<double> bend_;  // of the joints of a rod [rad]
};

}  // namespace tendril::cable
