// Variables to and from tensor bundles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engines/native/capture_memory.h"
#include "engines/native/graph_impl.h"
#include "fermata/session.h"

namespace fermata::native {

// Those the saver names; all that are saved if it names none. Throws: Error kNotFound for a name that is no
// variable of the graph.
[[nodiscard]] std::vector<Variable*> variables_of_saver(const Graph::Impl& impl, const SaverDef& saver);

// What each of these variables is called in a checkpoint: the saver's names, else their own.
[[nodiscard]] std::vector<std::string> keys_of(const std::vector<Variable*>& variables,
                                               const SaverDef& saver);

// `keys` are the names in the bundle, one for each variable. Throws: Error of the file system, of an
// accessor.
void write_variables(const std::vector<Variable*>& variables, const std::vector<std::string>& keys,
                     const std::string& prefix);

// Copies of their values in memory of `memory`; nothing if they take more than `most_bytes`.
[[nodiscard]] VariableCapture capture(const std::vector<Variable*>& variables,
                                      const std::vector<std::string>& keys, std::uint64_t most_bytes,
                                      CaptureMemory& memory);

// All or none: all checksums are compared before the first value changes (only a file that changes or a disk
// that fails in between leaves some changed). One value is held at a time. Throws: Error kNotFound if
// variables are not in the bundle, kInvalidArgument if some have another dtype or shape there, kDataLoss.
// In a bundle of objects the variables are found by `names` as well.
void read_variables(const std::vector<Variable*>& variables, const std::vector<std::string>& names,
                    const std::string& prefix);

// As read_variables, but takes those that the bundle has, and returns them; the names of the others go to
// `absent`.
[[nodiscard]] std::vector<Variable*> read_available_variables(const std::vector<Variable*>& variables,
                                                              const std::vector<std::string>& names,
                                                              const std::string& prefix,
                                                              std::vector<std::string>& absent);

}  // namespace fermata::native
