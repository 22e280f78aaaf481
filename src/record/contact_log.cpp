#include "record/contact_log.h"

#include <array>

#include "tendril/record.h"

namespace tendril {
namespace {
constexpr hsize_t contact_chunk_rows = 512;
}  // namespace

void put_contacts(const std::vector<ContactPoint>& contacts, std::vector<double>& out) {
  for (const ContactPoint& c : contacts) {
    for (const Vec3* v : {&c.position, &c.normal, &c.force}) out.insert(out.end(), {v->x(), v->y(), v->z()});
    out.insert(out.end(), {c.gap, static_cast<double>(c.edge_a), static_cast<double>(c.edge_b)});
  }
}

ContactPoint contact_from(const double* v) {
  return {Vec3(v[0], v[1], v[2]),  Vec3(v[3], v[4], v[5]), Vec3(v[6], v[7], v[8]), v[9],
          static_cast<int>(v[10]), static_cast<int>(v[11])};
}

ContactLog ContactLog::create(hid_t file, const std::string& name) {
  ContactLog log(name);
  const std::array<hsize_t, 2> size{0, contact_width}, most{H5S_UNLIMITED, contact_width},
      chunk{contact_chunk_rows, contact_width};
  const h5::Handle space(h5::checked(H5Screate_simple(2, size.data(), most.data()), name, "make a space"), H5Sclose);
  const h5::Handle how(h5::checked(H5Pcreate(H5P_DATASET_CREATE), name, "describe a dataset"), H5Pclose);
  h5::checked(H5Pset_chunk(how.get(), 2, chunk.data()), name, "describe a dataset");
  log.set_ = h5::Handle(
      h5::checked(H5Dcreate2(file, contact_points, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT), name,
                  "make the contacts"),
      H5Dclose);
  h5::write_text_attribute(log.set_.get(), "about",
                           "of all frames, one after another, contacts/count of each: position (m), normal from b to a, "
                           "force on a (N), gap (m; < 0: overlap), edge a, edge b (-1: an obstacle or a body)",
                           name);
  return log;
}

ContactLog ContactLog::open(hid_t file, const std::string& name) {
  ContactLog log(name);
  log.set_ = h5::Handle(h5::checked(H5Dopen2(file, contact_points, H5P_DEFAULT), name, "find the contacts"), H5Dclose);
  const h5::Handle space(h5::checked(H5Dget_space(log.set_.get()), name, "read a size"), H5Sclose);
  std::array<hsize_t, 2> size{};
  h5::checked(H5Sget_simple_extent_dims(space.get(), size.data(), nullptr), name, "read a size");
  log.rows_ = size[0];
  return log;
}

void ContactLog::cut(std::size_t rows) {
  if (rows > rows_) throw RecordError(name_ + ": contacts are missing: start again without --resume");
  rows_ = rows;
  const std::array<hsize_t, 2> size{rows_, contact_width};
  h5::checked(H5Dset_extent(set_.get(), size.data()), name_, "cut back to the checkpoint");
}

void ContactLog::write() {
  if (waiting.empty()) return;
  const std::array<hsize_t, 2> start{rows_, 0}, count{waiting.size() / contact_width, contact_width};
  const std::array<hsize_t, 2> size{start[0] + count[0], contact_width};
  h5::checked(H5Dset_extent(set_.get(), size.data()), name_, "make room for contacts");
  const h5::Handle memory(h5::checked(H5Screate_simple(2, count.data(), nullptr), name_, "make a space"), H5Sclose);
  const h5::Handle space(h5::checked(H5Dget_space(set_.get()), name_, "read a size"), H5Sclose);
  h5::checked(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), name_,
              "choose rows");
  h5::checked(H5Dwrite(set_.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, waiting.data()), name_,
              "write contacts");
  rows_ += count[0];
  waiting.clear();
}

void ContactLog::close() { h5::checked(set_.close(), name_, "close a dataset"); }

}  // namespace tendril
