#include "engines/native/variable_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "checkpoint/bundle_reader.h"
#include "checkpoint/bundle_writer.h"
#include "checkpoint/damage.h"
#include "checkpoint/object_keys.h"
#include "engines/native/text.h"
#include "fermata/error.h"

namespace fermata::native {
namespace {

bool fits_entry(const Variable& variable, const BundleEntry& entry) {
  // Only dtype and shape are looked at, so the view needs no data.
  return fits(variable.spec(), TensorView(entry.dtype, entry.shape, nullptr));
}

// What of the bundle cannot be taken, a clause for each variable.
struct Differences {
  std::vector<std::string> clauses;
  bool any_other = false;
};

Differences compare(const std::vector<Variable*>& variables, const std::vector<std::string>& keys,
                    const BundleReader& bundle) {
  Differences found;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Variable* variable = variables[i];
    const BundleEntry* entry = bundle.find(keys[i]);
    if (entry == nullptr) {
      found.clauses.push_back(fmt::format("'{}' is not in the checkpoint", keys[i]));
    } else if (!fits_entry(*variable, *entry)) {
      found.any_other = true;
      found.clauses.push_back(fmt::format("'{}' is {}{} in the checkpoint but {} in the graph", keys[i],
                                          dtype_name(entry->dtype), shape_text(entry->shape),
                                          spec_text(variable->spec())));
    }
  }
  return found;
}

void require_same(const Differences& found, const std::string& prefix) {
  if (!found.clauses.empty()) {
    throw Error(found.any_other ? Code::kInvalidArgument : Code::kNotFound,
                fmt::format("the checkpoint '{}' does not fit the graph, nothing was restored: {}", prefix,
                            list_text(found.clauses, "; ")),
                ErrorSource::kSystem);
  }
}

// All are looked through before the first one is loaded, so a damaged file changes nothing; they are read
// again then, since a second copy of all of them may be more than there is memory.
void load_all(const std::vector<Variable*>& variables, const std::vector<std::string>& keys,
              const BundleReader& bundle) {
  if (!ChecksumsCompared::of(bundle.prefix())) {
    bundle.verify(keys);
  }
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (void* const memory = variables[i]->memory()) {
      bundle.read_into(keys[i], memory);
    } else {
      variables[i]->load(bundle.read(keys[i]).view());
    }
  }
}

}  // namespace

std::vector<Variable*> variables_of_saver(const Graph::Impl& impl, const SaverDef& saver) {
  std::vector<Variable*> all = impl.variables_where(false);
  if (saver.variables.empty()) {
    return all;
  }
  std::vector<Variable*> chosen;
  for (const std::string& name : saver.variables) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Variable* v) { return v->name() == name; });
    if (found == all.end()) {
      throw Error(Code::kNotFound,
                  fmt::format("the saver names '{}', which is no saved variable of the graph", name));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

std::vector<std::string> keys_of(const std::vector<Variable*>& variables, const SaverDef& saver) {
  if (!saver.keys.empty()) {
    return saver.keys;
  }
  std::vector<std::string> names;
  for (const Variable* variable : variables) {
    names.push_back(variable->name());
  }
  return names;
}

void write_variables(const std::vector<Variable*>& variables, const std::vector<std::string>& keys,
                     const std::string& prefix) {
  BundleWriter writer(prefix);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (const std::optional<TensorView> memory = variables[i]->in_place()) {
      writer.add(keys[i], *memory);
    } else {
      Slot slot;
      variables[i]->read(slot);
      writer.add(keys[i], slot.view());
    }
  }
  writer.finish();
}

VariableCapture capture(const std::vector<Variable*>& variables, const std::vector<std::string>& keys,
                        std::uint64_t most_bytes, CaptureMemory& memory) {
  VariableCapture captured;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    Slot slot;
    std::optional<TensorView> value = variables[i]->in_place();
    if (!value) {
      variables[i]->read(slot);
      value = slot.view();
    }
    bytes += value->byte_size();
    if (bytes > most_bytes) {
      return {{},
              fmt::format("the variables take more than the {} bytes that a capture may take", most_bytes)};
    }
    captured.entries.push_back({keys[i], "", memory.copy(*value)});
  }
  // A variable that has changed its size will not ask for the old one again.
  memory.trim();
  return captured;
}

void read_variables(const std::vector<Variable*>& variables, const std::vector<std::string>& names,
                    const std::string& prefix) {
  const BundleReader bundle = BundleReader::open(prefix);
  const std::vector<std::string> keys = keys_of_names(bundle, names);
  require_same(compare(variables, keys, bundle), prefix);
  load_all(variables, keys, bundle);
}

std::vector<Variable*> read_available_variables(const std::vector<Variable*>& variables,
                                                const std::vector<std::string>& names,
                                                const std::string& prefix, std::vector<std::string>& absent) {
  const BundleReader bundle = BundleReader::open(prefix);
  const std::vector<std::string> keys = keys_of_names(bundle, names);
  std::vector<Variable*> present;
  std::vector<std::string> present_keys;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (bundle.find(keys[i]) != nullptr) {
      present.push_back(variables[i]);
      present_keys.push_back(keys[i]);
    } else {
      absent.push_back(keys[i]);
    }
  }
  require_same(compare(present, present_keys, bundle), prefix);
  load_all(present, present_keys, bundle);
  return present;
}

}  // namespace fermata::native
