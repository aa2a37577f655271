#include "cli/row_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "cli/feed_value.h"
#include "cli/text.h"
#include "cli/usage_error.h"

namespace fermata::cli {
namespace {

constexpr std::int64_t kUsualBatchSize = 32;

[[noreturn]] void refuse(const std::string& message) { throw Error(Code::kInvalidArgument, message); }

bool row_fits(std::span<const std::int64_t> found, std::span<const std::int64_t> wanted) {
  for (std::size_t i = 1; i < wanted.size(); ++i) {
    if (wanted[i] >= 0 && wanted[i] != found[i]) {
      return false;
    }
  }
  return true;
}

// A variable or a table is a tensor too, but what it holds is a handle.
void check_takes_values(const std::string& option, const TensorSpec& spec) {
  if (dtype_size(spec.dtype) == 0 && spec.dtype != DType::kString) {
    refuse(fmt::format("{}: it is a {}, which no value can be fed to; name a placeholder", option,
                       dtype_name(spec.dtype)));
  }
}

void check_dtype(const NamedFile& input, const TensorSpec& spec) {
  if (input.file.dtype() == spec.dtype) {
    return;
  }
  const std::string advice = spec.dtype == DType::kString
                                 ? std::string("save an array of texts")
                                 : fmt::format("save a.astype('{}')", dtype_name(spec.dtype));
  refuse(fmt::format("{}: the elements are {}, and '{}' takes {}; {}", input.file.path(),
                     dtype_name(input.file.dtype()), input.name, spec_text(spec), advice));
}

void check_shape(const NamedFile& input, const TensorSpec& spec, const std::string& feed_option) {
  if (!spec.shape) {
    return;
  }
  const Shape& found = input.file.shape();
  if (spec.shape->empty()) {
    refuse(fmt::format("{}: '{}' takes a single value, {}, and no rows; give {} {}=VALUE", input.file.path(),
                       input.name, spec_text(spec), feed_option, input.name));
  }
  if (found.size() != spec.shape->size()) {
    refuse(fmt::format("{}: the array has {} dimensions, {}, and '{}' takes {} with {}; save it reshaped",
                       input.file.path(), found.size(), shape_text(found), input.name, spec_text(spec),
                       spec.shape->size()));
  }
  if (!row_fits(found, *spec.shape)) {
    refuse(fmt::format("{}: a row has the shape {}, and '{}' takes rows of {}; save it reshaped",
                       input.file.path(), shape_text(std::span(found).subspan(1)), input.name,
                       shape_text(std::span(*spec.shape).subspan(1))));
  }
}

// The number of rows that a tensor takes, where its graph fixes it.
std::optional<std::int64_t> fixed_rows(const TensorSpec& spec) {
  const bool fixed = spec.shape && !spec.shape->empty() && spec.shape->front() >= 0;
  return fixed ? std::optional<std::int64_t>(spec.shape->front()) : std::nullopt;
}

// Also refuses a smaller batch at the end of an epoch where the graph cannot take one.
std::int64_t choose_batch_size(const InputRequest& request, const std::vector<TensorSpec>& specs) {
  const std::int64_t rows = request.files.front().file.rows();
  const auto fixed =
      std::find_if(specs.begin(), specs.end(), [](const TensorSpec& s) { return fixed_rows(s).has_value(); });
  if (fixed == specs.end()) {
    return request.batch_size.value_or(std::min(kUsualBatchSize, rows));
  }
  const NamedFile& input = request.files[static_cast<std::size_t>(fixed - specs.begin())];
  const std::int64_t wanted = *fixed_rows(*fixed);
  if (request.batch_size && *request.batch_size != wanted) {
    refuse(fmt::format("'{}' takes {} rows at a time, {}, and --batch-size says {}; give --batch-size {}",
                       input.name, wanted, spec_text(*fixed), *request.batch_size, wanted));
  }
  if (wanted > 0 && rows % wanted != 0 && rows > wanted && request.remainder == Remainder::kFeed) {
    refuse(
        fmt::format("{}: {} rows leave {} over in batches of {}, the only size that '{}' takes; give "
                    "--drop-remainder",
                    input.file.path(), rows, rows % wanted, wanted, input.name));
  }
  return wanted;
}

void check_fed_once(const std::vector<std::pair<std::string, Output>>& fed) {
  for (std::size_t i = 0; i < fed.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (fed[i].second == fed[j].second) {
        throw UsageError(fmt::format("{} and {} feed the same tensor, {}; give one of them", fed[j].first,
                                     fed[i].first, fed[i].second.name()));
      }
    }
  }
}

bool drops_remainder(Remainder remainder, const std::vector<TensorSpec>& specs) {
  const bool needed =
      std::any_of(specs.begin(), specs.end(), [](const TensorSpec& s) { return fixed_rows(s).has_value(); });
  return remainder == Remainder::kDrop || (remainder == Remainder::kDropWhereNeeded && needed);
}

Dataset make_dataset(const InputRequest& request, const std::vector<TensorSpec>& specs) {
  std::vector<NpyFile> files;
  for (const NamedFile& input : request.files) {
    files.push_back(input.file);
  }
  return {std::move(files),
          {.batch_size = choose_batch_size(request, specs),
           .shuffle_seed = request.shuffle_seed,
           .epochs = request.epochs,
           .drop_remainder = drops_remainder(request.remainder, specs)}};
}

}  // namespace

std::vector<NamedFile> open_files(const std::vector<Assignment>& inputs) {
  std::vector<NamedFile> files;
  for (const Assignment& input : inputs) {
    files.push_back({input.name, NpyFile(input.value)});
  }
  return files;
}

BoundInput bind_input(const InputRequest& request, const Graph& graph, const FindInput& find) {
  BoundInput bound;
  std::vector<std::pair<std::string, Output>> fed;
  std::vector<TensorSpec> specs;
  for (const NamedFile& input : request.files) {
    bound.tensors.push_back(find(input.name));
    fed.emplace_back(request.input_option + " " + input.name, bound.tensors.back());
    specs.push_back(graph.spec(bound.tensors.back()));
    check_takes_values(fed.back().first, specs.back());
    check_dtype(input, specs.back());
    check_shape(input, specs.back(), request.feed_option);
  }
  for (const Assignment& feed : request.feeds) {
    const std::string what = request.feed_option + " " + feed.name;
    const Output tensor = find(feed.name);
    const TensorSpec spec = graph.spec(tensor);
    check_takes_values(what, spec);
    fed.emplace_back(what, tensor);
    bound.feeds.emplace_back(tensor, parse_feed_value(what, feed.value, spec));
  }
  check_fed_once(fed);
  if (!request.files.empty()) {
    bound.data = make_dataset(request, specs);
  }
  return bound;
}

}  // namespace fermata::cli
