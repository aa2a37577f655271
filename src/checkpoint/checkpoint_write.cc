#include "checkpoint/checkpoint_write.h"

#include <fmt/format.h>

#include <utility>

#include "checkpoint/bundle_files.h"
#include "checkpoint/bundle_writer.h"
#include "checkpoint/checkpoint_draft.h"
#include "checkpoint/pins.h"
#include "checkpoint/state_file.h"
#include "checkpoint/tensor_slice.h"
#include "fermata/error.h"
#include "fermata/log.h"
#include "platform/paths.h"

namespace fermata {
namespace {

void write_files(const CheckpointWrite& work) {
  CheckpointDraft draft(*work.files, work.prefix);
  work.write_values(draft.aside_prefix());
  if (!work.meta_graph_def.empty()) {
    draft.write_meta(work.meta_graph_def, work.meta_graph_suffix);
  }
  draft.commit(work.manifest);
}

void write_state(const CheckpointWrite& work) {
  if (!work.write_state) {
    return;
  }
  CheckpointState state;
  state.model_checkpoint_path = work.prefix;
  state.all_model_checkpoint_paths = work.retention.prefixes();
  write_state_file(*work.files, folder_of(work.prefix), work.latest_filename, std::move(state),
                   work.save_relative_paths);
}

bool is_named_by_state(const CheckpointWrite& work) {
  if (!work.write_state) {
    return false;
  }
  const std::optional<CheckpointState> state =
      read_state_file(*work.files, folder_of(work.prefix), work.latest_filename);
  // The state file has the path in one of several forms; the name is the same in all.
  return state && name_of(state->model_checkpoint_path) == name_of(work.prefix);
}

// A failure is only logged.
void remove(const CheckpointWrite& work, const std::string& prefix) noexcept {
  try {
    if (!is_pinned(*work.files, prefix)) {
      delete_checkpoint(*work.files, prefix, work.meta_graph_suffix);
    }
  } catch (const std::exception& error) {
    log(LogLevel::kWarning, error.what());
  }
}

bool is_there(const CheckpointWrite& work) noexcept {
  try {
    return work.files->info(index_path(work.prefix)).has_value();
  } catch (...) {
    // Not known: then it is not removed either.
    return true;
  }
}

void add_entry(BundleWriter& writer, const VariableCapture::Entry& entry) {
  if (entry.slice.empty()) {
    writer.add(entry.key, entry.value.view());
    return;
  }
  const std::optional<ShapeAndSlice> part = parse_shape_and_slice(entry.slice);
  if (!part) {
    throw Error(Code::kInvalidArgument,
                fmt::format("'{}' cannot be saved: '{}' is not the place of a part", entry.key, entry.slice));
  }
  writer.add_slice(entry.key, part->full_shape, part->slice, entry.value.view());
}

}  // namespace

WriteResult write_checkpoint(const CheckpointWrite& work) noexcept {
  const bool replaces = is_there(work);
  try {
    write_files(work);
    write_state(work);
  } catch (...) {
    WriteResult result{false, std::current_exception()};
    try {
      // Then only its sync has failed.
      result.committed = is_named_by_state(work);
    } catch (...) {
      result.committed = false;
    }
    if (!result.committed && !replaces) {
      // Nobody would ever remove a checkpoint that is not listed.
      remove(work, work.prefix);
    }
    return result;
  }
  if (work.obsolete) {
    remove(work, *work.obsolete);
  }
  return {true, nullptr};
}

void write_capture(FileSystem& files, VariableCapture& capture, const std::string& prefix) {
  BundleWriter writer(prefix, files);
  for (VariableCapture::Entry& entry : capture.entries) {
    add_entry(writer, entry);
    entry.value = {};
  }
  writer.finish();
}

}  // namespace fermata
