#include "checkpoint/saver_checks.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "checkpoint/bundle_files.h"
#include "checkpoint/pins.h"
#include "fermata/error.h"
#include "platform/paths.h"

namespace fermata::saver {
namespace {

void check_latest_filename(const std::string& name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
    refuse(
        fmt::format("Saver: latest_filename must be the name of a file without a folder, found '{}'", name));
  }
}

// Whether the checkpoint has another file of this name.
bool is_file_of_checkpoint(const std::string& file, const std::string& name) {
  const std::optional<BundleFile> known = parse_bundle_file(file, name);
  return (known && known->kind != BundleFile::Kind::kMeta) || file == pin_path(name);
}

std::optional<SaverDef> made_by(Graph& graph, const Saver::Options& options) {
  if (!options.var_list) {
    return graph.default_saver();
  }
  return options.var_list->empty() ? std::nullopt : std::optional(graph.add_saver(*options.var_list));
}

}  // namespace

void refuse(const std::string& text) { throw Error(Code::kInvalidArgument, text); }

Saver::Options checked(Saver::Options options) {
  if (options.max_to_keep < 0) {
    refuse(fmt::format("Saver: max_to_keep must be 0 or more, found {}", options.max_to_keep));
  }
  if (std::isnan(options.keep_checkpoint_every_n_hours) || options.keep_checkpoint_every_n_hours < 0) {
    refuse(fmt::format("Saver: keep_checkpoint_every_n_hours must be 0 or more, found {}",
                       options.keep_checkpoint_every_n_hours));
  }
  if (options.keep_best < 0) {
    refuse(fmt::format("Saver: keep_best must be 0 or more, found {}", options.keep_best));
  }
  check_latest_filename(options.latest_filename);
  return options;
}

void check_names(const std::string& prefix, const std::string& latest_filename,
                 const std::string& meta_graph_suffix, bool same_name_clashes) {
  check_latest_filename(latest_filename);
  const std::string name = name_of(prefix);
  if (name.empty()) {
    refuse(fmt::format("Saver: a name for the checkpoint was expected behind the folder in '{}'", prefix));
  }
  const std::string meta = meta_path(name, meta_graph_suffix);
  if (meta_graph_suffix.find('/') != std::string::npos || is_file_of_checkpoint(meta, name)) {
    refuse(fmt::format("Saver: meta_graph_suffix must be an ending that no other file of {} has, found '{}'",
                       prefix, meta_graph_suffix));
  }
  const bool same_name = same_name_clashes && name == latest_filename;
  if (same_name || latest_filename == meta || latest_filename == pin_path(name) ||
      parse_bundle_file(latest_filename, name)) {
    refuse(
        fmt::format("Saver: the checkpoint {} collides with the state file {} beside it; choose another name",
                    prefix, latest_filename));
  }
}

std::optional<SaverDef> define(Graph& graph, const Saver::Options& options) {
  std::optional<SaverDef> def = made_by(graph, options);
  if (!def) {
    if (!options.allow_empty) {
      refuse(
          "Saver: there are no variables to save; name some, or say with allow_empty that there need not be "
          "any");
    }
    return std::nullopt;
  }
  def->max_to_keep = options.max_to_keep;
  def->keep_checkpoint_every_n_hours = options.keep_checkpoint_every_n_hours;
  def->sharded = options.sharded;
  return def;
}

}  // namespace fermata::saver
