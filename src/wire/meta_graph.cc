#include "wire/meta_graph.h"

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <utility>

#include "wire/protobuf_fields.h"
#include "wire/top_level.h"

namespace fermata::wire {
namespace {

using protozero::pbf_reader;

// A message inside another: an exception of protozero there means that the whole is not what it should be.
template <typename Read>
auto guarded(const char* what, Read read) {
  try {
    return read();
  } catch (const protozero::exception&) {
    throw Malformed(Fault::kForeign, std::string("its ") + what + " cannot be read");
  }
}

std::optional<std::vector<std::int64_t>> read_shape(std::string_view bytes) {
  std::vector<std::int64_t> sizes;
  pbf_reader shape = fields_of(bytes);
  while (shape.next()) {
    if (shape.tag() == 2) {
      pbf_reader dimension = read_message(shape);
      std::int64_t size = 0;
      while (dimension.next()) {
        dimension.tag() == 1 ? void(size = read_int(dimension)) : dimension.skip();
      }
      sizes.push_back(size);
    } else if (shape.tag() == 3) {
      if (read_bool(shape)) {
        return std::nullopt;
      }
    } else {
      shape.skip();
    }
  }
  return sizes;
}

TensorDefinition read_tensor(std::string_view bytes) {
  TensorDefinition tensor;
  pbf_reader field = fields_of(bytes);
  while (field.next()) {
    switch (field.tag()) {
      case 1:
        tensor.name = read_string(field);
        break;
      case 2:
        tensor.dtype = read_int32(field);
        break;
      case 3:
        tensor.shape = read_shape(read_view(field));
        break;
      default:
        field.skip();
    }
  }
  return tensor;
}

// An entry of a map: key and value.
std::pair<std::string, std::string_view> read_entry(std::string_view bytes) {
  std::pair<std::string, std::string_view> entry;
  pbf_reader field = fields_of(bytes);
  while (field.next()) {
    switch (field.tag()) {
      case 1:
        entry.first = read_string(field);
        break;
      case 2:
        entry.second = read_view(field);
        break;
      default:
        field.skip();
    }
  }
  return entry;
}

SignatureDefinition read_signature(std::string_view bytes) {
  SignatureDefinition signature;
  pbf_reader field = fields_of(bytes);
  while (field.next()) {
    if (field.tag() == 1 || field.tag() == 2) {
      auto& into = field.tag() == 1 ? signature.inputs : signature.outputs;
      auto [name, tensor] = read_entry(read_view(field));
      into.insert_or_assign(name, read_tensor(tensor));
    } else if (field.tag() == 3) {
      signature.method = read_string(field);
    } else {
      field.skip();
    }
  }
  return signature;
}

std::vector<std::string> read_strings(std::string_view list) {
  std::vector<std::string> values;
  pbf_reader field = fields_of(list);
  while (field.next(1)) {
    values.push_back(read_string(field));
  }
  return values;
}

Collection read_collection(std::string_view bytes) {
  Collection collection;
  pbf_reader field = fields_of(bytes);
  while (field.next()) {
    switch (field.tag()) {
      case 1:
        collection.nodes = read_strings(read_view(field));
        break;
      case 2:
        collection.messages = read_strings(read_view(field));
        break;
      default:
        field.skip();
    }
  }
  return collection;
}

AssetDefinition read_asset(std::string_view bytes) {
  AssetDefinition asset;
  pbf_reader field = fields_of(bytes);
  while (field.next()) {
    switch (field.tag()) {
      case 1:
        asset.tensor = read_tensor(read_view(field)).name;
        break;
      case 2:
        asset.filename = read_string(field);
        break;
      default:
        field.skip();
    }
  }
  return asset;
}

void read_meta_info(std::string_view bytes, MetaGraph& meta) {
  pbf_reader field = fields_of(bytes);
  while (field.next()) {
    switch (field.tag()) {
      case 4:
        meta.tags.push_back(read_string(field));
        break;
      case 5:
        meta.tensorflow_version = read_string(field);
        break;
      default:
        field.skip();
    }
  }
}

void read_field(std::uint32_t number, std::string_view value, MetaGraph& meta) {
  switch (number) {
    case 1:
      return guarded("meta information", [&] { read_meta_info(value, meta); });
    case 2:
      meta.graph_def = value;
      return;
    case 3:
      meta.saver = read_saver_definition(value);
      return;
    case 4:
      return guarded("collections", [&] {
        auto [key, collection] = read_entry(value);
        meta.collections.insert_or_assign(key, read_collection(collection));
      });
    case 5:
      return guarded("signatures", [&] {
        auto [key, signature] = read_entry(value);
        meta.signatures.insert_or_assign(key, read_signature(signature));
      });
    case 6:
      return guarded("assets", [&] { meta.assets.push_back(read_asset(value)); });
    default:
      meta.object_graph = value;
  }
}

SliceDefinition read_slice(std::string_view bytes) {
  SliceDefinition slice;
  pbf_reader field = fields_of(bytes);
  while (field.next()) {
    switch (field.tag()) {
      case 1:
        slice.full_name = read_string(field);
        break;
      case 2:
        read_repeated(field, slice.full_shape);
        break;
      case 3:
        read_repeated(field, slice.offset);
        break;
      case 4:
        read_repeated(field, slice.shape);
        break;
      default:
        field.skip();
    }
  }
  return slice;
}

}  // namespace

MetaGraph read_meta_graph(std::string_view bytes) {
  MetaGraph meta;
  for_each_message(bytes, 7,
                   [&](std::uint32_t number, std::string_view value) { read_field(number, value, meta); });
  if (meta.graph_def.empty()) {
    throw Malformed(Fault::kForeign, "it holds no graph");
  }
  return meta;
}

SaverDefinition read_saver_definition(std::string_view bytes) {
  return guarded("saver", [&] {
    SaverDefinition saver;
    pbf_reader field = fields_of(bytes);
    while (field.next()) {
      switch (field.tag()) {
        case 1:
          saver.filename_tensor_name = read_string(field);
          break;
        case 2:
          saver.save_tensor_name = read_string(field);
          break;
        case 3:
          saver.restore_op_name = read_string(field);
          break;
        case 4:
          saver.max_to_keep = read_int32(field);
          break;
        case 5:
          saver.sharded = read_bool(field);
          break;
        case 6:
          saver.keep_checkpoint_every_n_hours = read_float(field);
          break;
        default:
          field.skip();
      }
    }
    return saver;
  });
}

VariableDefinition read_variable_definition(std::string_view bytes) {
  return guarded("variables", [&] {
    VariableDefinition variable;
    // Absent means false in this message; files of before the field had no such variables in their way.
    variable.trainable = false;
    pbf_reader field = fields_of(bytes);
    while (field.next()) {
      switch (field.tag()) {
        case 1:
          variable.name = read_string(field);
          break;
        case 2:
          variable.initializer = read_string(field);
          break;
        case 3:
          variable.snapshot = read_string(field);
          break;
        case 4:
          variable.slice = read_slice(read_view(field));
          break;
        case 5:
          variable.is_resource = read_bool(field);
          break;
        case 6:
          variable.initial_value = read_string(field);
          break;
        case 7:
          variable.trainable = read_bool(field);
          break;
        default:
          field.skip();
      }
    }
    return variable;
  });
}

QueueRunnerDefinition read_queue_runner_definition(std::string_view bytes) {
  return guarded("queue runners", [&] {
    QueueRunnerDefinition runner;
    pbf_reader field = fields_of(bytes);
    while (field.next()) {
      switch (field.tag()) {
        case 1:
          runner.queue = read_string(field);
          break;
        case 2:
          runner.enqueue_ops.push_back(read_string(field));
          break;
        case 3:
          runner.close_op = read_string(field);
          break;
        case 4:
          runner.cancel_op = read_string(field);
          break;
        case 5:
          read_repeated(field, runner.closed_codes);
          break;
        default:
          field.skip();
      }
    }
    if (runner.closed_codes.empty()) {
      runner.closed_codes.push_back(11);  // OUT_OF_RANGE, as the reference has it by default
    }
    return runner;
  });
}

}  // namespace fermata::wire
