// All rods of a step, alone or in islands.
//
// Rods whose boxes touch nothing are solved alone, by the chain solver; the others in islands (coupled.h). Side by side; the same bits
// for any number of threads. Where a rod leaves the box in which contacts were looked for, boxes grow, islands are found anew, and it
// goes on from where it is. Obstacles and held roots that move go as far as is free, rods give way, and so on in rounds.
// Equilibria go the same way; rods that nothing holds move on until something carries them.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "methods/compact/contacts.h"
#include "methods/compact/coupled.h"
#include "methods/compact/joined.h"
#include "parallel/workers.h"

namespace tendril::compact {

class Meeting {
 public:
  Meeting(const Model& model, Parts& parts, const SolverSettings& settings, const Drive& drive, Joined* joined);

  // Solves for the next level of all rods and puts it into their states; false: one of them failed (Part::solved), none is changed.
  bool solve(const Drive& drive, const LoadsNow& loads, const Stage& stage, Workers& workers);
  bool touches_now() const { return least_gap_ < 1; }  // at the last level
  double energy() const { return energy_; }            // of the barriers, at the last level
  std::span<const ContactPoint> points() const { return points_; }
  const ContactWork& work() const { return work_; }  // of the last step
  bool any_impact() const {
    return std::any_of(impact_.begin(), impact_.end(), [](char i) { return i != 0; });
  }
  int touching() const { return static_cast<int>(points_.size()); }
  Verdict judge();  // of the equilibrium just found
  // ---- how it changes with its model (nearby.cpp) ----
  // Islands and what pushes where all stand; false: something is closed, or rubs, so that no derivative is known.
  bool stand_there(const Drive& drive, const LoadsNow& loads);
  int islands() const { return islands_; }
  Coupled& island(int k) { return island_[z(k)]->coupled; }
  std::span<const int> rods_of(int k) const { return island_[z(k)]->rods; }
  std::span<const int> rods_alone() const { return alone_; }
  void finish_there() { finish(); }
  bool takes_joined() const { return joined_ != nullptr && (!joined_->rods().empty() || !field_.free_bodies().empty()); }
  const Solved& joined_solved() const { return joined_solved_; }
  void visit_state(StateArchive& archive);

 private:
  struct Island {
    std::vector<int> rods, pairs;
    bool joined = false;  // with all bodies and joints
    Coupled coupled;
    Touching touching;
    double progress = 0;  // of what is driven
    std::vector<Pose> target_poses;
    std::vector<Vec3> shift;
    Solved solved;
    bool done = false;
    bool extrapolated = false;  // it begins where it would go on
    Island(const Model& model, Parts& parts, const SolverSettings& settings, ContactField& field)
        : coupled(model, parts, settings), touching(field, parts) {}
  };
  void begin(const Drive& drive, const LoadsNow& loads);
  void begin_rod(int rod);
  void find_islands();
  const Stage& stage_of(int rod) const { return impact_[z(rod)] ? first_order_ : stage_; }
  int joined_number() const { return static_cast<int>(parts_.size()); }
  bool is_impact(const Island& island) const;
  void start_lower(Island& island);
  void start_where_it_is(Island& island);
  void strengthen_barriers();
  bool bend_straight(Island& island);
  Cause not_apart() const { return stage_.still() ? not_apart_at_rest : Cause::contact; }
  bool is_under_way(const Island& island) const;
  void put_bodies(std::vector<Pose>& poses, const Drive& drive) const;
  bool take_impacts();
  void include_start(int rod);
  bool reach_back();
  void grow_box(Island& island);
  void open_overlaps();
  void solve_alone(int rod);
  void solve_island(Island& island);
  bool start_island(Island& island);
  void begin_island(Island& island);
  bool drive_on(Island& island);
  Joined* joined_to(const Island& island) const { return island.joined ? joined_ : nullptr; }
  Pose pose_between(std::size_t obstacle, double progress) const;
  bool solve_rounds(bool listed, Workers& workers);
  double lost_by_euler() const;
  bool check_alone(int rod);
  void finish();

  const Model& model_;
  Parts& parts_;
  Joined* joined_;  // bodies and joints, or nullptr: rods that are joined are one island
  SolverSettings settings_;
  ContactField field_;
  const Drive* drive_ = nullptr;
  const LoadsNow* loads_ = nullptr;
  Stage stage_, first_order_;
  std::vector<Pose> poses_, target_;             // of obstacles: at the last level, at the new one
  std::vector<Vec3> root_target_;                // by rod
  std::vector<std::unique_ptr<Island>> island_;  // as many as there ever were
  int islands_ = 0;                              // now
  std::vector<int> group_, alone_;               // by rod; rods
  std::vector<char> is_done_, is_started_;       // by rod, then of all that is joined
  std::vector<double> progress_;                 // likewise
  std::vector<int> spent_;                       // iterations of this step, by rod
  std::vector<char> is_moved_;                   // by rod: its boxes are around where it has come to
  std::vector<char> is_touched_;                 // by rod: at the last level
  std::vector<Vec3> places_;
  std::vector<int> island_of_;
  std::vector<ContactPoint> points_;
  std::vector<KeptContact> next_kept_;
  ContactWork work_;
  std::vector<char> hit_,
      impact_;  // by rod, then all that is joined: was hit in the last step; takes backward Euler in this one
  Solved joined_solved_;
  double energy_ = 0, least_gap_ = 1, pad_ = 0, most_pad_ = 0;
  double opening_ = 0;  // [J] work of radii that grow back, in this step
};

}  // namespace tendril::compact
