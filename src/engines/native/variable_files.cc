#include "engines/native/variable_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "checkpoint/bundle_reader.h"
#include "checkpoint/bundle_writer.h"
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

Differences compare(const std::vector<Variable*>& variables, const BundleReader& bundle) {
  Differences found;
  for (const Variable* variable : variables) {
    const BundleEntry* entry = bundle.find(variable->name());
    if (entry == nullptr) {
      found.clauses.push_back(fmt::format("'{}' is not in the checkpoint", variable->name()));
    } else if (!fits_entry(*variable, *entry)) {
      found.any_other = true;
      found.clauses.push_back(fmt::format("'{}' is {}{} in the checkpoint but {} in the graph",
                                          variable->name(), dtype_name(entry->dtype),
                                          shape_text(entry->shape), spec_text(variable->spec())));
    }
  }
  return found;
}

void require_same(const Differences& found, const std::string& prefix) {
  if (!found.clauses.empty()) {
    throw Error(found.any_other ? Code::kInvalidArgument : Code::kNotFound,
                fmt::format("the checkpoint '{}' does not fit the graph, nothing was restored: {}", prefix,
                            list_text(found.clauses, "; ")));
  }
}

void load_all(const std::vector<Variable*>& variables, const BundleReader& bundle) {
  // All are read before the first one is loaded, so a damaged file changes nothing.
  std::vector<Tensor> values;
  for (const Variable* variable : variables) {
    values.push_back(bundle.read(variable->name()));
  }
  for (std::size_t i = 0; i < variables.size(); ++i) {
    variables[i]->load(values[i].view());
    values[i] = {};
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

void write_variables(const std::vector<Variable*>& variables, const std::string& prefix) {
  BundleWriter writer(prefix);
  for (const Variable* variable : variables) {
    if (const std::optional<TensorView> memory = variable->in_place()) {
      writer.add(variable->name(), *memory);
    } else {
      Slot slot;
      variable->read(slot);
      writer.add(variable->name(), slot.view());
    }
  }
  writer.finish();
}

VariableCapture capture(const std::vector<Variable*>& variables, std::uint64_t most_bytes) {
  VariableCapture captured;
  std::uint64_t bytes = 0;
  for (const Variable* variable : variables) {
    if (const std::optional<TensorView> memory = variable->in_place()) {
      bytes += memory->byte_size();
      captured.entries.push_back({variable->name(), "", bytes <= most_bytes ? memory->copy() : Tensor()});
    } else {
      Slot slot;
      variable->read(slot);
      bytes += slot.view().byte_size();
      captured.entries.push_back({variable->name(), "", bytes <= most_bytes ? slot.view().copy() : Tensor()});
    }
    if (bytes > most_bytes) {
      return {{},
              fmt::format("the variables take more than the {} bytes that a capture may take", most_bytes)};
    }
  }
  return captured;
}

void read_variables(const std::vector<Variable*>& variables, const std::string& prefix) {
  const BundleReader bundle = BundleReader::open(prefix);
  require_same(compare(variables, bundle), prefix);
  load_all(variables, bundle);
}

std::vector<Variable*> read_available_variables(const std::vector<Variable*>& variables,
                                                const std::string& prefix, std::vector<std::string>& absent) {
  const BundleReader bundle = BundleReader::open(prefix);
  std::vector<Variable*> present;
  for (Variable* variable : variables) {
    if (bundle.find(variable->name()) != nullptr) {
      present.push_back(variable);
    } else {
      absent.push_back(variable->name());
    }
  }
  require_same(compare(present, bundle), prefix);
  load_all(present, bundle);
  return present;
}

}  // namespace fermata::native
