// Contacts in run.h5. Their number changes from frame to frame: contacts/count has one row per frame, contacts/points one
// row per contact, those of all frames one after another.
#pragma once

#include <vector>

#include "record/h5.h"
#include "tendril/frame.h"

namespace tendril {

inline constexpr const char* contacts_group = "contacts";
inline constexpr const char* contact_points = "contacts/points";
inline constexpr std::size_t contact_width = 12;

void put_contacts(const std::vector<ContactPoint>& contacts, std::vector<double>& out);  // contact_width numbers each
ContactPoint contact_from(const double* numbers);

class ContactLog {
 public:
  static ContactLog create(hid_t file, const std::string& name);
  static ContactLog open(hid_t file, const std::string& name);
  std::size_t rows() const { return rows_; }
  void cut(std::size_t rows);
  std::vector<double> waiting;  // appended by `write`
  void write();
  void close();

 private:
  explicit ContactLog(const std::string& name) : name_(name) {}
  std::string name_;
  h5::Handle set_;
  std::size_t rows_ = 0;
};

}  // namespace tendril
