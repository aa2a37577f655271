// For the tests of hooks: a native graph that counts, and what an event file says.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "fermata/error.h"
#include "fermata/native.h"
#include "fermata/session.h"
#include "fermata/session_run_args.h"
#include "wire/event_proto.h"
#include "wire/record_framing.h"

namespace fermata {

using Lines = std::vector<std::string>;

// `train` adds to the step, and 1 to `w`; its output `loss` is what `next_loss` says, 1 by default.
class CounterGraph {
 public:
  explicit CounterGraph(Step increment = 1, native::Graph::Options options = {}) : graph(std::move(options)) {
    graph.variable("w", native::view(w));
    graph.constant("c", 1.5F);
    graph.constant("vec", Tensor::of<float>({3}, {1, 2, 3}));
    train =
        graph.step("train", {.outputs = {"loss"}, .increment = increment}, [this](native::StepOutputs& out) {
          ++runs;
          w += 1;
          out.set("loss", next_loss ? next_loss(runs) : 1.0F);
        });
    args = SessionRunArgs({train});
  }

  // An initialised session at `step`, as a creator makes it.
  std::unique_ptr<Session> session(Step step = 0) {
    const Operation init = graph.default_init_op();
    graph.finalize();
    std::unique_ptr<Session> made = graph.create_session({});
    static_cast<void>(made->run(init));
    graph.set_global_step(step);
    return made;
  }

  native::Graph graph;
  float w = 0;
  int runs = 0;
  std::function<float(int run)> next_loss;
  Operation train;
  SessionRunArgs args;
};

// What `body` throws, as text; "" if it throws nothing.
inline std::string thrown_by(const std::function<void()>& body) {
  try {
    body();
  } catch (...) {
    return describe(std::current_exception());
  }
  return {};
}

// The code of the Error that `body` throws; kOk if it throws nothing.
inline Code code_thrown_by(const std::function<void()>& body) {
  try {
    body();
  } catch (...) {
    return code_of(std::current_exception()).value_or(Code::kUnknown);
  }
  return Code::kOk;
}

inline std::string event_line(const wire::Event& event) {
  switch (event.kind) {
    case wire::Event::Kind::kVersion:
      return "version " + event.content;
    case wire::Event::Kind::kGraph:
      return "graph";
    case wire::Event::Kind::kMetaGraph:
      return "meta_graph";
    case wire::Event::Kind::kSessionLog:
      return event.status == wire::SessionStatus::kStart
                 ? fmt::format("START step={}", event.step)
                 : fmt::format("CHECKPOINT step={} path={}", event.step, event.checkpoint_path);
    case wire::Event::Kind::kSummary: {
      std::string line = fmt::format("summary step={}", event.step);
      for (const wire::SummaryValue& value : event.values) {
        line += fmt::format(" {}={:g}", value.tag, value.simple_value);
      }
      return line;
    }
    case wire::Event::Kind::kRunMetadata:
      return event.step == 0 ? "run_metadata tag=" + event.tag
                             : fmt::format("run_metadata tag={} step={}", event.tag, event.step);
    default:
      return "other";
  }
}

// All records of the event files in `dir`, one line each.
inline Lines event_lines(const std::string& dir) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    if (entry.path().filename().string().starts_with("events.out.tfevents.")) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  Lines lines;
  for (const std::filesystem::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    wire::RecordScanner scanner(
        [&bytes](std::uint64_t offset, void* to, std::size_t size) {
          return bytes.copy(static_cast<char*>(to), size, static_cast<std::size_t>(offset));
        },
        bytes.size());
    while (scanner.next() == wire::RecordScanner::Status::kRecord) {
      const std::optional<wire::Event> event = wire::decode_event(scanner.content());
      lines.push_back(event ? event_line(*event) : "damaged");
    }
  }
  return lines;
}

}  // namespace fermata
