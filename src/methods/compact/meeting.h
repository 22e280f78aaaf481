// All rods of a step, alone or in islands.
//
// Rods whose boxes touch nothing are solved alone, by the chain solver; the others in islands (coupled.h). Side by side; the same bits
// for any number of threads. Where a rod leaves the box in which contacts were looked for, boxes grow, islands are found anew, and it
// goes on from where it is. Obstacles and held roots that move go as far as is free, rods give way, and so on in rounds.
#pragma once

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
  int touching() const { return static_cast<int>(points_.size()); }
  void visit_state(StateArchive& archive);

 private:
  struct Island {
    std::vector<int> rods, pairs;
    Coupled coupled;
    Touching touching;
    double progress = 0;  // of what is driven
    bool goes_on = false;
    std::vector<Pose> target_poses;
    std::vector<Vec3> shift;
    Solved solved;
    Island(const Model& model, Parts& parts, const SolverSettings& settings, ContactField& field)
        : coupled(model, parts, settings), touching(field, parts) {}
  };
  void begin(const Drive& drive, const LoadsNow& loads, const Stage& stage);
  void begin_rod(int rod);
  void find_islands();
  bool reach_back();
  void grow(Island& island);
  void open_overlaps();
  void solve_alone(int rod);
  void solve_island(Island& island);
  void start_island(Island& island);
  bool drive_on(Island& island);
  Joined* joined_to(const Island& island) const;
  Pose pose_between(std::size_t obstacle, double progress) const;
  bool solve_stage(const Drive& drive, const LoadsNow& loads, const Stage& stage, Workers& workers);
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
  Stage stage_;
  std::vector<Pose> poses_, target_;             // of obstacles: at the last level, at the new one
  std::vector<Vec3> root_target_;                // by rod
  std::vector<std::unique_ptr<Island>> island_;  // as many as there ever were
  int islands_ = 0;                              // now
  std::vector<int> group_, alone_;               // by rod; rods
  std::vector<char> is_done_, is_started_;       // by rod
  std::vector<double> progress_;                 // by rod
  std::vector<int> spent_;                       // iterations of this step, by rod
  std::vector<char> is_moved_;                   // by rod: its boxes are around where it has come to
  std::vector<Vec3> places_;
  std::vector<int> island_of_;
  std::vector<ContactPoint> points_;
  std::vector<KeptContact> next_kept_;
  ContactWork work_;
  bool hit_ = false, books_impacts_ = false;  // in the last step; in this one
  double energy_ = 0, least_gap_ = 1, pad_ = 0, most_pad_ = 0;
};

}  // namespace tendril::compact
