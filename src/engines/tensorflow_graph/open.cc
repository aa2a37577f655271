// Opening a graph from a file or from bytes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "engines/loader.h"
#include "engines/tensorflow_graph/engine_error.h"
#include "engines/tensorflow_graph/model_state.h"
#include "engines/tensorflow_graph/saved_model_pieces.h"
#include "fermata/error.h"
#include "platform/file_content.h"
#include "platform/file_system.h"
#include "platform/paths.h"
#include "wire/saved_model.h"

namespace fermata::tensorflow {
namespace {

constexpr const char* kGraphFile = "saved_model.pb";
constexpr std::string_view kDefaultTag = "serve";

// What is being opened, for messages.
struct Source {
  std::string name;  // "'model.meta'"
  std::string kind;  // "MetaGraph"
};

[[noreturn]] void refuse(const Source& source, const wire::Malformed& malformed) {
  switch (malformed.fault()) {
    case wire::Fault::kEmpty:
      throw Error(Code::kInvalidArgument, fmt::format("{} should hold a {}, but it is empty; export it again",
                                                      source.name, source.kind));
    case wire::Fault::kTruncated:
      throw Error(Code::kDataLoss,
                  fmt::format("{} should hold a whole {}, but it is cut off: {}; copy or export it "
                              "again",
                              source.name, source.kind, malformed.what()));
    case wire::Fault::kForeign:
      break;
  }
  throw Error(
      Code::kInvalidArgument,
      fmt::format("{} should hold a {}, but it is something else: {}; give a .meta file or the folder of a "
                  "SavedModel",
                  source.name, source.kind, malformed.what()));
}

// The name in "Op type not registered 'X' in binary …".
std::string_view unknown_operation(std::string_view message) {
  constexpr std::string_view kStart = "Op type not registered '";
  const std::size_t at = message.find(kStart);
  if (at == std::string_view::npos) {
    return {};
  }
  message.remove_prefix(at + kStart.size());
  return message.substr(0, message.find('\''));
}

void import(Model::Impl& model, const Source& source) {
  try {
    model.graph->import(model.meta.graph_def);
  } catch (const Error& error) {
    if (const std::string_view operation = unknown_operation(error.what()); !operation.empty()) {
      throw Error(
          Code::kNotFound,
          fmt::format("{} uses the operation '{}', which TensorFlow {} does not have; export the graph "
                      "without it, or with operations of this version",
                      source.name, operation, model.version),
          ErrorSource::kEngine);
    }
    throw Error(error.code(),
                fmt::format("{} holds a graph that TensorFlow {} does not accept: {}; export it again",
                            source.name, model.version, error.what()),
                ErrorSource::kEngine);
  }
}

SaverDef to_saver(const wire::SaverDefinition& definition) {
  SaverDef saver;
  saver.filename_tensor_name = definition.filename_tensor_name;
  saver.save_tensor_name = definition.save_tensor_name;
  saver.restore_op_name = definition.restore_op_name;
  saver.sharded = definition.sharded;
  // TensorFlow 2 leaves these two out, which is no wish to keep everything.
  if (definition.max_to_keep != 0 || definition.keep_checkpoint_every_n_hours != 0) {
    saver.max_to_keep = definition.max_to_keep;
    saver.keep_checkpoint_every_n_hours = definition.keep_checkpoint_every_n_hours;
  }
  return saver;
}

TensorSpec to_spec(const wire::TensorDefinition& tensor) {
  return {static_cast<DType>(tensor.dtype), tensor.shape};
}

std::vector<Signature::Entry> to_entries(const std::map<std::string, wire::TensorDefinition>& tensors) {
  std::vector<Signature::Entry> entries;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.name.empty()) {
      entries.push_back({name, tensor.name, to_spec(tensor)});
    }
  }
  return entries;
}

// Without those that TensorFlow keeps its own pieces under.
std::vector<Signature> to_signatures(const std::map<std::string, wire::SignatureDefinition>& definitions) {
  std::vector<Signature> signatures;
  for (const auto& [key, definition] : definitions) {
    if (!key.starts_with("__saved_model_")) {
      signatures.push_back(
          {key, definition.method, to_entries(definition.inputs), to_entries(definition.outputs)});
    }
  }
  return signatures;
}

void find_variables(Model::Impl& model) {
  model.variables = listed_variables(*model.graph, model.collections);
  model.variables_are_listed = !model.variables.empty();
  if (!model.variables_are_listed) {
    model.variables = found_variables(GraphIndex(*model.graph));
  }
}

// Loads the library, which takes a while, only once the bytes are known to be a graph.
std::unique_ptr<Model::Impl> open_bytes(std::string bytes, const Source& source, OpenOptions options) {
  try {
    static_cast<void>(wire::read_meta_graph(bytes));
    const Runtime& runtime = load_runtime({.library_dir = options.library_dir, .verbose = options.verbose});
    auto model = std::make_unique<Model::Impl>(runtime, std::move(options));
    model->bytes = std::move(bytes);
    model->meta = wire::read_meta_graph(model->bytes);
    model->functions = wire::FunctionLibrary(model->meta.graph_def);
    model->collections = model->meta.collections;
    if (model->meta.saver) {
      model->saver = to_saver(*model->meta.saver);
    }
    model->signatures = to_signatures(model->meta.signatures);
    import(*model, source);
    find_variables(*model);
    return model;
  } catch (const wire::Malformed& malformed) {
    refuse(source, malformed);
  }
}

std::string tags_text(const std::vector<std::string>& tags) {
  return fmt::format("[{}]", fmt::join(tags, ","));
}

bool same_tags(std::vector<std::string> a, std::vector<std::string> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

// The MetaGraph that is meant.
std::string_view choose(const std::vector<std::string_view>& graphs, const OpenOptions& options,
                        const Source& source) {
  std::vector<std::string> choices;
  for (const std::string_view graph : graphs) {
    const std::vector<std::string> tags = wire::read_meta_graph(graph).tags;
    const bool is_meant =
        options.tags.empty() ? same_tags(tags, {std::string(kDefaultTag)}) : same_tags(tags, options.tags);
    if (is_meant) {
      return graph;
    }
    choices.push_back(tags_text(tags));
  }
  if (options.tags.empty() && graphs.size() == 1) {
    return graphs.front();
  }
  throw Error(
      Code::kNotFound,
      fmt::format("{} holds no graph with the tags {}; it holds {}: choose one of them by its tags",
                  source.name,
                  tags_text(options.tags.empty() ? std::vector{std::string(kDefaultTag)} : options.tags),
                  fmt::join(choices, ", ")));
}

std::unique_ptr<Model::Impl> open_saved_model(const std::string& folder, OpenOptions options) {
  FileSystem& files = FileSystem::system();
  const std::string path = folder + "/" + kGraphFile;
  if (!files.info(path)) {
    throw Error(
        Code::kInvalidArgument,
        fmt::format(
            "'{}' is a folder without {}, so it is no SavedModel; give a .meta file or the folder of a "
            "SavedModel",
            folder, kGraphFile));
  }
  const Source source{fmt::format("'{}'", path), "SavedModel"};
  const std::string bytes = read_whole_file(files, path);
  std::string chosen;
  try {
    chosen = choose(wire::read_saved_model(bytes), options, source);
  } catch (const wire::Malformed& malformed) {
    refuse(source, malformed);
  }
  std::unique_ptr<Model::Impl> model = open_bytes(std::move(chosen), source, std::move(options));
  model->is_saved_model = true;
  // Its files are read when a session starts, from wherever the process is then.
  find_saved_model_pieces(*model, std::filesystem::absolute(folder).string());
  return model;
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  return path;
}

std::unique_ptr<Model::Impl> open_path(const std::string& path, OpenOptions options) {
  FileSystem& files = FileSystem::system();
  const std::optional<FileInfo> info = files.info(path);
  if (!info) {
    throw Error(
        Code::kNotFound,
        fmt::format("'{}': there is no such file; give a .meta file or the folder of a SavedModel", path));
  }
  if (info->is_directory) {
    return open_saved_model(without_slash(path), std::move(options));
  }
  if (name_of(path) == kGraphFile) {
    return open_saved_model(folder_of(path), std::move(options));
  }
  return open_bytes(read_whole_file(files, path), {fmt::format("'{}'", path), "MetaGraph"},
                    std::move(options));
}

}  // namespace

Model open(const std::string& path, OpenOptions options) {
  std::unique_ptr<Model::Impl> impl = open_path(path, std::move(options));
  impl->source = path;
  return Model(std::move(impl));
}

Model open_meta_graph(std::string_view serialized, OpenOptions options) {
  return Model(open_bytes(std::string(serialized), {"the given bytes", "MetaGraph"}, std::move(options)));
}

}  // namespace fermata::tensorflow
