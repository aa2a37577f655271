// EventWriter by itself.
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <protozero/pbf_writer.hpp>

#include "conformance/kinds.h"
#include "conformance/leftovers.h"
#include "conformance/watched_graph.h"
#include "fermata/error.h"
#include "fermata/event_writer.h"
#include "fermata/testkit/log_capture.h"

namespace fermata::conformance {
namespace {

// tensorflow.Summary, Summary.Value, SummaryMetadata and its PluginData; tensorflow.RunMetadata.
std::string summary_of(const Json& step) {
  std::string summary;
  protozero::pbf_writer message(summary);
  protozero::pbf_writer value(message, 1);
  value.add_string(1, step["tag"].get<std::string>());
  value.add_float(2, step["value"].get<float>());
  if (has(step, "plugin")) {
    protozero::pbf_writer metadata(value, 9);
    protozero::pbf_writer plugin(metadata, 1);
    plugin.add_string(1, step["plugin"].get<std::string>());
  }
  value.commit();
  return summary;
}

std::string some_run_metadata() {
  std::string metadata;
  protozero::pbf_writer message(metadata);
  protozero::pbf_writer stats(message, 1);
  protozero::pbf_writer device(stats, 1);
  device.add_string(1, "device");
  device.commit();
  stats.commit();
  return metadata;
}

// While it lives, no file of this process can grow.
class FilesCannotGrow {
 public:
  FilesCannotGrow() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  ~FilesCannotGrow() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FilesCannotGrow(const FilesCannotGrow&) = delete;
  FilesCannotGrow& operator=(const FilesCannotGrow&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

class WriterPlay {
 public:
  explicit WriterPlay(Play& play)
      : play_(play),
        world_(play.world),
        args_(play.scenario["writer"]),
        graph_(play.engine.counter(has(play.scenario, "graph") ? play.scenario["graph"] : Json::object()),
               play.world) {}

  Outcome all() {
    if (args_.value("graph_def", false) && has(args_, "graph")) {
      throw NotExpressible("a writer that is given its graph twice");
    }
    open();
    if (args_.value("graph_def", false) || has(args_, "graph")) {
      add_graph_of_constructor();
    }
    note_calls(play_, [this](const Json& step) { return act(step); });
    broken_.reset();
    try {
      writer_->close();
    } catch (const Error&) {
      // What could not be written has been said by the steps.
    }
    cached_.clear();
    return {};
  }

 private:
  void open() {
    writer_ = std::make_unique<EventWriter>(
        world_.path(args_.value("dir", std::string("logs"))),
        EventWriter::Options{.filename_suffix = args_.value("filename_suffix", std::string())});
  }

  void add_graph_of_constructor() {
    if (member(args_, "graph") == "text") {
      throw NotExpressible("a writer that is given something else than a graph");
    }
    // As the hooks do: what has no definition is not written.
    if (const std::string definition = graph_.graph_def(); !definition.empty()) {
      writer_->add_graph_def(definition);
      writer_->add_meta_graph_def(graph_.meta_graph_def());
    }
  }

  // "dropped" if a warning says so.
  Json add(const Json& step) {
    const testkit::LogCapture log;
    const Step at = step.value("step", Step{0});
    const auto what = step["do"].get<std::string>();
    if (what == "add_summary") {
      writer_->add_summary(summary_of(step), at);
    } else if (what == "add_session_log") {
      writer_->add_session_start(at);
    } else if (what == "add_graph") {
      writer_->add_graph_def(graph_.graph_def(), at);
    } else {
      writer_->add_run_metadata(some_run_metadata(), step["tag"].get<std::string>(), at);
    }
    const std::vector<std::string> lines = log.lines();
    const bool dropped = std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
      return line.find("it is dropped") != std::string::npos;
    });
    return dropped ? Json("dropped") : Json();
  }

  Json cached(const Json& step) {
    const std::shared_ptr<EventWriter> found = shared_event_writer(world_.path(step["dir"]));
    const auto known =
        std::find_if(cached_.begin(), cached_.end(), [&](const auto& entry) { return entry.first == found; });
    if (known != cached_.end()) {
      return known->second;
    }
    cached_.emplace_back(found, "W" + std::to_string(++labels_));
    return cached_.back().second;
  }

  Json count_files(const std::string& ending) const {
    std::int64_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(world_.folder())) {
      const std::string name = entry.path().filename().string();
      count += name.size() >= ending.size() &&
                       name.compare(name.size() - ending.size(), ending.size(), ending) == 0
                   ? 1
                   : 0;
    }
    return count;
  }

  Json act(const Json& step) {
    const auto what = step["do"].get<std::string>();
    if (what.rfind("add_", 0) == 0) {
      return add(step);
    }
    if (what == "cache_get") {
      return cached(step);
    }
    if (what == "count_files") {
      return count_files(step["ending"].get<std::string>());
    }
    if (what == "look") {
      return events_in(world_);
    }
    change(what, step);
    return nullptr;
  }

  void change(const std::string& what, const Json& step) {
    if (what == "flush") {
      writer_->flush();
    } else if (what == "close") {
      writer_->close();
    } else if (what == "reopen") {
      open();
    } else if (what == "scope") {
      static_cast<void>(act(step["inside"]));
      writer_->close();
    } else if (what == "break") {
      writer_->flush();
      broken_ = std::make_unique<FilesCannotGrow>();
    } else if (what == "cache_clear") {
      cached_.clear();
    } else if (what != "wait_for_worker") {
      throw NotExpressible("writer steps of the kind " + what);
    }
  }

  Play& play_;
  World& world_;
  const Json& args_;
  WatchedGraph graph_;
  std::unique_ptr<EventWriter> writer_;
  std::unique_ptr<FilesCannotGrow> broken_;
  std::vector<std::pair<std::shared_ptr<EventWriter>, std::string>> cached_;
  int labels_ = 0;
};

}  // namespace

Outcome play_writer(Play& play) { return WriterPlay(play).all(); }

}  // namespace fermata::conformance
