#include "record/h5.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "record/files.h"
#include "tendril/record.h"

namespace tendril::h5 {
namespace {

// The system's own words ("No space left on device") stand somewhere in the error stack.
herr_t look_for_reason(unsigned, const H5E_error2_t* error, void* out) {
  auto& reason = *static_cast<std::string*>(out);
  const std::string text = error->desc != nullptr ? error->desc : "";
  const auto found = text.find("error message = '");
  if (found != std::string::npos) {
    const auto start = found + std::strlen("error message = '");
    reason = text.substr(start, text.find('\'', start) - start);
    return 1;  // stop here
  }
  if (reason.empty()) reason = text;
  return 0;
}

Handle text_type(std::size_t length, const std::string& file) {
  Handle type(checked(H5Tcopy(H5T_C_S1), file, "make a text type"), H5Tclose);
  checked(H5Tset_size(type.get(), std::max<std::size_t>(1, length)), file, "size a text type");
  checked(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), file, "pad a text type");
  checked(H5Tset_cset(type.get(), H5T_CSET_UTF8), file, "make a text type UTF-8");
  return type;
}

// A text, or texts of one length, and no more of it than memory can hold: a file may say anything.
std::size_t text_length(const Handle& type, std::size_t count, const std::string& file) {
  constexpr std::size_t most = std::size_t{1} << 30;
  const std::size_t length = H5Tget_size(type.get());
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0 || length == 0 || length > most ||
      count > most / length)
    throw RecordError(file + ": holds a text that is none");
  return length;
}
// Texts are small: each dataset has the hash of its bytes as an attribute.
constexpr const char* hash_attribute = "hash";
void write_hash(hid_t set, std::string_view bytes, const std::string& file) {
  write_number_attribute(set, hash_attribute, static_cast<std::int64_t>(hash_text(bytes)), file);
}
void check_hash(hid_t set, const char* name, std::string_view bytes, const std::string& file) {
  if (read_number_attribute(set, hash_attribute, file) != static_cast<std::int64_t>(hash_text(bytes)))
    throw RecordError(fmt::format("{}: `{}` is damaged: it is not what was written", file, name));
}
void require_one(hssize_t count, const std::string& file) {
  if (count != 1) throw RecordError(file + ": holds several values where one should be");
}

}  // namespace

std::size_t points_of(hid_t dataset, const std::string& file) {
  const Handle space(checked(H5Dget_space(dataset), file, "read a size"), H5Sclose);
  return static_cast<std::size_t>(checked(H5Sget_simple_extent_npoints(space.get()), file, "read a size"));
}

void set_up() {
  static const bool done = [] {
    H5dont_atexit();  // after a full disk, HDF5's clean-up at exit would try again, and print
    H5open();
    return true;
  }();
  static_cast<void>(done);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // per thread
}

void fail(const std::string& file, std::string_view what) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look_for_reason, &reason);
  throw RecordError(fmt::format("{}: could not {}: {}", file, what, reason.empty() ? "HDF5 gives no reason" : reason));
}

void fail(const std::string& file, std::string_view what, int system_error) {
  throw RecordError(fmt::format("{}: could not {}: {}", file, what, std::strerror(system_error)));
}

// A text that is there already stays until the new one is written: an error in between loses neither.
void write_text(hid_t at, const char* name, const std::string& text, const std::string& file) {
  const bool there = checked(H5Lexists(at, name, H5P_DEFAULT), file, "look for a text") > 0;
  if (there && read_text(at, name, file) == text) return;
  const std::string made = there ? std::string(name) + ".new" : std::string(name);
  if (there && checked(H5Lexists(at, made.c_str(), H5P_DEFAULT), file, "look for a text") > 0)
    checked(H5Ldelete(at, made.c_str(), H5P_DEFAULT), file, "replace a text");
  const Handle type = text_type(text.size(), file);
  const Handle space(checked(H5Screate(H5S_SCALAR), file, "make a space"), H5Sclose);
  Handle set(checked(H5Dcreate2(at, made.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), file,
                     "make a text"),
             H5Dclose);
  const std::string padded = text.empty() ? std::string(1, '\0') : text;
  checked(H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()), file, "write a text");
  write_hash(set.get(), padded, file);
  checked(set.close(), file, "write a text");
  if (!there) return;
  checked(H5Ldelete(at, name, H5P_DEFAULT), file, "replace a text");
  checked(H5Lmove(at, made.c_str(), at, name, H5P_DEFAULT, H5P_DEFAULT), file, "replace a text");
}

std::string read_text(hid_t at, const char* name, const std::string& file) {
  const Handle set(checked(H5Dopen2(at, name, H5P_DEFAULT), file, fmt::format("find `{}`", name)), H5Dclose);
  const Handle type(checked(H5Dget_type(set.get()), file, "read a text"), H5Tclose);
  require_one(static_cast<hssize_t>(points_of(set.get(), file)), file);
  std::string text(text_length(type, 1, file), '\0');
  checked(H5Dread(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), file, fmt::format("read `{}`", name));
  check_hash(set.get(), name, text, file);
  text.resize(std::strlen(text.c_str()));
  return text;
}

void write_texts(hid_t at, const char* name, const std::vector<std::string>& texts, const std::string& file) {
  // Texts of one length, padded with zeros: readable without variable-length types.
  std::size_t longest = 1;
  for (const std::string& t : texts) longest = std::max(longest, t.size());
  std::string flat(longest * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(flat.data() + i * longest, longest);
  const Handle type = text_type(longest, file);
  const hsize_t count = texts.size();
  const Handle space(checked(H5Screate_simple(1, &count, nullptr), file, "make a space"), H5Sclose);
  Handle set(
      checked(H5Dcreate2(at, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), file, "make texts"),
      H5Dclose);
  if (count > 0) checked(H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, flat.data()), file, "write texts");
  write_hash(set.get(), flat, file);
  checked(set.close(), file, "write texts");
}

std::vector<std::string> read_texts(hid_t at, const char* name, const std::string& file) {
  const Handle set(checked(H5Dopen2(at, name, H5P_DEFAULT), file, fmt::format("find `{}`", name)), H5Dclose);
  const Handle type(checked(H5Dget_type(set.get()), file, "read texts"), H5Tclose);
  const std::size_t count = points_of(set.get(), file), length = text_length(type, count, file);
  std::string flat(length * count, '\0');
  if (count > 0) checked(H5Dread(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, flat.data()), file, "read texts");
  check_hash(set.get(), name, flat, file);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) texts.emplace_back(std::string(flat, i * length, length).c_str());
  return texts;
}

void write_number_attribute(hid_t at, const char* name, std::int64_t value, const std::string& file) {
  Handle attribute;
  if (checked(H5Aexists(at, name), file, "look for an attribute") > 0) {
    attribute = Handle(checked(H5Aopen(at, name, H5P_DEFAULT), file, "open an attribute"), H5Aclose);
  } else {
    const Handle space(checked(H5Screate(H5S_SCALAR), file, "make a space"), H5Sclose);
    attribute = Handle(
        checked(H5Acreate2(at, name, H5T_STD_I64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT), file, "make an attribute"),
        H5Aclose);
  }
  checked(H5Awrite(attribute.get(), H5T_NATIVE_INT64, &value), file, "write an attribute");
  checked(attribute.close(), file, "write an attribute");
}

std::int64_t read_number_attribute(hid_t at, const char* name, const std::string& file) {
  const Handle attribute(checked(H5Aopen(at, name, H5P_DEFAULT), file, fmt::format("find the attribute `{}`", name)),
                         H5Aclose);
  const Handle space(checked(H5Aget_space(attribute.get()), file, "read an attribute"), H5Sclose);
  require_one(H5Sget_simple_extent_npoints(space.get()), file);
  std::int64_t value = 0;
  checked(H5Aread(attribute.get(), H5T_NATIVE_INT64, &value), file, fmt::format("read the attribute `{}`", name));
  return value;
}

void write_text_attribute(hid_t at, const char* name, const std::string& text, const std::string& file) {
  const Handle type = text_type(text.size(), file);
  const Handle space(checked(H5Screate(H5S_SCALAR), file, "make a space"), H5Sclose);
  Handle attribute(
      checked(H5Acreate2(at, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), file, "make an attribute"), H5Aclose);
  const std::string padded = text.empty() ? std::string(1, '\0') : text;
  checked(H5Awrite(attribute.get(), type.get(), padded.data()), file, "write an attribute");
  checked(attribute.close(), file, "write an attribute");
}

std::string read_text_attribute(hid_t at, const char* name, const std::string& file) {
  const Handle attribute(checked(H5Aopen(at, name, H5P_DEFAULT), file, fmt::format("find the attribute `{}`", name)),
                         H5Aclose);
  const Handle type(checked(H5Aget_type(attribute.get()), file, "read an attribute"), H5Tclose);
  const Handle space(checked(H5Aget_space(attribute.get()), file, "read an attribute"), H5Sclose);
  require_one(H5Sget_simple_extent_npoints(space.get()), file);
  std::string text(text_length(type, 1, file), '\0');
  checked(H5Aread(attribute.get(), type.get(), text.data()), file, fmt::format("read the attribute `{}`", name));
  text.resize(std::strlen(text.c_str()));
  return text;
}

}  // namespace tendril::h5
