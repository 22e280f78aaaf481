// HDF5's virtual file driver over a JournaledFile. The file that it makes is an ordinary one.
#pragma once

#include <memory>

#include "record/h5.h"
#include "record/journaled_file.h"

namespace tendril::h5 {

// What HDF5 writes, also when it closes, comes into force with the next commit.
class File {
 public:
  struct Inside;
  File() = default;
  File(const std::string& name, JournaledFile::Access access);  // throws RecordError

  hid_t get() const { return handle_.get(); }
  void flush();   // out of HDF5's buffers; throws when anything could not be written since the last commit
  void commit();  // what was flushed
  void close();   // and commits

 private:
  std::string name_;
  std::shared_ptr<Inside> inside_;
  Handle handle_;
};

}  // namespace tendril::h5
