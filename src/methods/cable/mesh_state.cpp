// Meshes that change, saved and loaded: what each rod consists of. The rest follows from it.
#include <algorithm>
#include <cmath>

#include "methods/cable/mesh.h"

namespace tendril::cable {

// A checkpoint may hold anything: what a rod would consist of is judged before it is taken.
bool Mesh::is_sensible(int rod, const Chain& read) const {
  const Chain& now = chain(rod);
  const std::size_t count = read.segments.size();
  if (count == 0 || count > now.segments.capacity() || read.joints.size() + 1 != count || read.material.size() != count + 1)
    return false;
  const auto is_one_of = [](int i, const std::vector<char>& pool) { return i >= 0 && z(i) < pool.size() && pool[z(i)]; };
  for (const int e : read.segments)
    if (!is_one_of(e, in_pool_)) return false;
  double stored = 0;
  for (const WinchModel& winch : model_.winches)
    if (winch.rod == rod) stored = std::max(stored, winch.stored);
  const double most = model_.rods[z(rod)].length + stored;
  for (std::size_t i = 0; i <= count; ++i)
    if (!std::isfinite(read.material[i]) || std::abs(read.material[i]) > 2 * most ||
        (i > 0 && !(read.material[i] - read.material[i - 1] > 1e-9 * most)))
      return false;
  // Joints at whose node something holds stay where they are; others come and go.
  std::size_t pinned = 0;
  for (std::size_t i = 0; i < read.joints.size(); ++i) {
    const int j = read.joints[i];
    if (is_one_of(j, joint_in_pool_)) continue;
    const auto here = std::find(now.joints.begin(), now.joints.end(), j);
    if (here == now.joints.end() || !pinned_[z(j)]) return false;
    if (now.material[static_cast<std::size_t>(here - now.joints.begin()) + 1] != read.material[i + 1]) return false;
    ++pinned;
  }
  const auto wanted = std::count_if(now.joints.begin(), now.joints.end(), [&](int j) { return pinned_[z(j)] != 0; });
  return pinned == static_cast<std::size_t>(wanted);
}

void Mesh::visit_state(StateArchive& archive) {
  if (!varies_) return;
  std::vector<Chain> read;
  std::vector<Element> owed;  // of all segments, in order
  for (std::size_t r = 0; r < parts_.chains.size(); ++r) {
    if (!parts_.chains[r].varies) continue;
    Chain chain = parts_.chains[r];
    archive(chain.segments, chain.joints, chain.material);
    if (archive.reading() && !is_sensible(static_cast<int>(r), chain))
      StateArchive::fail("the state is damaged: a rod's mesh");
    for (const int i : chain.segments) {
      Element e;
      if (!archive.reading()) e = parts_.elements[z(i)];
      archive(e.owed[0], e.owed[1], e.owed_left);
      if (!(e.owed[0].allFinite() && e.owed[1].allFinite() && e.owed_left >= 0 && e.owed_left <= 1))
        StateArchive::fail("the state is damaged: a rod's mesh");
      owed.push_back(e);
    }
    read.push_back(std::move(chain));
  }
  if (archive.reading()) take(read, owed);
}

// Nothing is there twice; then all of it anew.
void Mesh::take(const std::vector<Chain>& read, const std::vector<Element>& owed) {
  std::vector<char> segment_seen(in_pool_.size(), 0), joint_seen(joint_in_pool_.size(), 0);
  for (const Chain& chain : read) {
    for (const int e : chain.segments)
      if (segment_seen[z(e)]++) StateArchive::fail("the state is damaged: a rod's mesh");
    for (const int j : chain.joints)
      if (joint_seen[z(j)]++) StateArchive::fail("the state is damaged: a rod's mesh");
  }
  for (std::size_t i = 0; i < in_pool_.size(); ++i)
    if (in_pool_[i]) parts_.elements[i] = {}, parts_.elements[i].kind = Element::Kind::spare;
  for (std::size_t j = 0; j < joint_in_pool_.size(); ++j) {
    Joint& joint = parts_.joints[j];
    if (!joint_in_pool_[j]) continue;
    joint = {};
    joint.a = joint.b = parts_.world, joint.holds_point = joint.holds_frame = false;
  }
  std::size_t next = 0, number = 0;
  for (std::size_t r = 0; r < parts_.chains.size(); ++r) {
    Chain& chain = parts_.chains[r];
    if (!chain.varies) continue;
    const Chain& from = read[next++];
    chain.segments.assign(from.segments.begin(), from.segments.end());
    chain.joints.assign(from.joints.begin(), from.joints.end());
    chain.material.assign(from.material.begin(), from.material.end());
    const int rod = static_cast<int>(r), count = static_cast<int>(chain.segments.size());
    for (int k = 0; k < count; ++k) {
      Element& e = parts_.elements[z(chain.segments[z(k)])];
      const Element& debt = owed[number++];
      e.owed[0] = debt.owed[0], e.owed[1] = debt.owed[1], e.owed_left = debt.owed_left;
      set_segment(rod, k);
    }
    attach(rod);
    for (int k = 0; k < count; ++k) touch(rod, k);
  }
  settle();
  changed_.clear();
}

}  // namespace tendril::cable
