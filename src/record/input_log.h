// The group `inputs` of run.h5: live inputs with the step before which each was taken. One row per input:
//   step   as LoggedInput::step
//   name   fixed-length text
//   kind   0: a number, 1: a vector, 2: a hand, 3: a number and its rate, 4: a vector and its rate
//   value  InputNumbers
// The attribute `missing` counts inputs that were taken before and are not there: a run whose recording began after a load.
#pragma once

#include <span>

#include "record/h5.h"
#include "tendril/simulate.h"

namespace tendril {

void create_input_log(hid_t file, std::int64_t missing, const std::string& name);
void cut_input_log(hid_t file, std::int64_t taken, const std::string& name);  // back to as many inputs in all
std::int64_t inputs_in_log(hid_t file, const std::string& name);              // in all, the missing ones counted
void append_to_input_log(hid_t file, std::span<const LoggedInput> inputs, const std::string& name);
std::vector<LoggedInput> read_input_log(hid_t file, const std::string& name);

}  // namespace tendril
