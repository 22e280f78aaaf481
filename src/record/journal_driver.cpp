#include "record/journal_driver.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tendril/record.h"

namespace tendril::h5 {

struct File::Inside {
  Inside(const std::string& name, JournaledFile::Access access) : disk(name, access) {}
  JournaledFile disk;
  haddr_t end = 0;  // of what HDF5 has allocated
};

namespace {

using Inside = File::Inside;

struct Driver : H5FD_t {  // HDF5's own fields first
  explicit Driver(std::shared_ptr<Inside> file) : H5FD_t{}, inside(std::move(file)) {}
  std::shared_ptr<Inside> inside;
};
Inside& inside_of(const H5FD_t* file) { return *static_cast<const Driver*>(file)->inside; }

H5FD_t* open_driver(const char*, unsigned, hid_t how, haddr_t) {
  const auto* const file = static_cast<std::shared_ptr<Inside>* const*>(H5Pget_driver_info(how));
  return file != nullptr ? new Driver(**file) : nullptr;
}
herr_t close_driver(H5FD_t* file) {
  delete static_cast<Driver*>(file);
  return 0;
}
herr_t query(const H5FD_t*, unsigned long* flags) {  // as HDF5's own driver, but for its descriptor and SWMR
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}
haddr_t get_end(const H5FD_t* file, H5FD_mem_t) { return inside_of(file).end; }
herr_t set_end(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  inside_of(file).end = end;
  return 0;
}
haddr_t get_length(const H5FD_t* file, H5FD_mem_t) { return inside_of(file).disk.length(); }
herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, void* out) {
  if (inside_of(file).disk.read(at, {static_cast<std::byte*>(out), size})) return 0;
  H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_VFL, H5E_READERROR, "error message = '%s'",
           std::strerror(errno));
  return -1;
}
herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, const void* bytes) {
  inside_of(file).disk.write(at, {static_cast<const std::byte*>(bytes), size});
  return 0;
}

hid_t driver() {
  static const hid_t id = [] {
    H5FD_class_t c{};
    c.name = "tendril_journal";
    c.maxaddr = (haddr_t{1} << 63) - 1;
    c.fc_degree = H5F_CLOSE_WEAK;
    c.fapl_size = sizeof(void*);
    c.open = open_driver, c.close = close_driver, c.query = query;
    c.get_eoa = get_end, c.set_eoa = set_end, c.get_eof = get_length;
    c.read = read, c.write = write;
    const H5FD_mem_t lists[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(lists), std::end(lists), c.fl_map);
    return H5FDregister(&c);
  }();
  return id;
}

}  // namespace

File::File(const std::string& name, JournaledFile::Access access) : name_(name) {
  set_up();
  inside_ = std::make_shared<Inside>(name, access);
  const Handle how(checked(H5Pcreate(H5P_FILE_ACCESS), name, "open the file"), H5Pclose);
  std::shared_ptr<Inside>* const info = &inside_;
  checked(H5Pset_driver(how.get(), driver(), &info), name, "open the file");
  const hid_t file =
      access == JournaledFile::Access::create
          ? H5Fcreate(name.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, how.get())
          : H5Fopen(name.c_str(), access == JournaledFile::Access::read ? H5F_ACC_RDONLY : H5F_ACC_RDWR, how.get());
  handle_ = Handle(checked(file, name, "open the file"), H5Fclose);
}

void File::flush() {
  checked(H5Fflush(handle_.get(), H5F_SCOPE_GLOBAL), name_, "write to disk");
  inside_->disk.check();
}

void File::commit() { inside_->disk.commit(inside_->end); }

void File::close() {
  flush();
  checked(handle_.close(), name_, "close the file");
  commit();
  inside_.reset();  // with its lock
}

}  // namespace tendril::h5
