// Any bytes as a MetaGraph, as a SavedModel, as what stands in them, and as the record of a run.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/attr_value.h"
#include "wire/graph_def.h"
#include "wire/malformed.h"
#include "wire/meta_graph.h"
#include "wire/saved_model.h"
#include "wire/step_stats.h"

namespace {

template <typename Read>
void refused_or_read(const Read& read) {
  try {
    read();
  } catch (const fermata::wire::Malformed&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace wire = fermata::wire;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  refused_or_read([&] { static_cast<void>(wire::read_meta_graph(bytes)); });
  refused_or_read([&] { static_cast<void>(wire::read_saver_definition(bytes)); });
  refused_or_read([&] { static_cast<void>(wire::read_variable_definition(bytes)); });
  refused_or_read([&] { static_cast<void>(wire::read_queue_runner_definition(bytes)); });
  refused_or_read([&] { static_cast<void>(wire::read_saved_model(bytes)); });
  refused_or_read([&] { static_cast<void>(wire::read_saved_variables(bytes)); });
  refused_or_read([&] { static_cast<void>(wire::FunctionLibrary(bytes)); });
  refused_or_read([&] { static_cast<void>(wire::read_step_stats(bytes)); });
  static_cast<void>(wire::strings_in_attr(bytes));
  static_cast<void>(wire::types_in_attr(bytes));
  static_cast<void>(wire::shape_in_attr(bytes));
  return 0;
}
