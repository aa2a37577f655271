#include "conformance/world.h"

#include <chrono>
#include <cmath>

#include "conformance/errors.h"
#include "conformance/values.h"
#include "conformance/watched_session.h"

namespace fermata::conformance {
namespace {

const Json kNothing;

// Where the clock of the recordings starts: 2033, later than the time of any file, while a manual clock
// starts in 2020. Savers compare the two (contract SAVER-22).
constexpr double kRecordedStart = 2000000000.0;

}  // namespace

World::World(const Json& scenario, std::string folder)
    : clock(std::make_shared<testkit::ManualClock>()), scenario_(scenario), folder_(std::move(folder)) {
  clock->advance_seconds(kRecordedStart -
                         std::chrono::duration<double>(clock->wall_now().time_since_epoch()).count());
  const Json& start = member(member(scenario_, "clock"), "start");
  if (!start.is_null()) {
    advance(start.get<double>());
  }
  clock->on_pause([this](std::chrono::nanoseconds time) { note_pause(time); });
}

World::~World() = default;

void World::close_unseen() {
  hidden = true;
  kept_.clear();
}

std::string World::shown(std::string text) const {
  for (std::size_t at = text.find(folder_); at != std::string::npos; at = text.find(folder_, at)) {
    text.replace(at, folder_.size(), "$DIR");
  }
  return text;
}

void World::say(const std::string& line) {
  coordinators.look([this](const std::string& seen) { trace.push_back(seen); });
  trace.push_back(shown(line));
}

void World::advance(double seconds) {
  const double before = now_;
  now_ += seconds;
  clock->advance_seconds(now_ - before);
}

void World::tick() {
  const Json& per_run = member(member(scenario_, "clock"), "per_run");
  if (per_run.is_array()) {
    const auto index = static_cast<std::size_t>(runs - 1);
    advance(index < per_run.size() ? per_run[index].get<double>() : 0.0);
  } else {
    advance(per_run.is_null() ? 1.0 : per_run.get<double>());
  }
}

const Json& World::per_create() const { return member(member(scenario_, "clock"), "per_create"); }

const Json& World::fault(const char* kind, std::int64_t count) const {
  for (const Json& fault : member(scenario_, "faults")) {
    if (has(fault, kind) && !fault[kind].is_string() && fault[kind].get<std::int64_t>() == count) {
      return fault;
    }
  }
  return kNothing;
}

const Json& World::raw_fault(const std::string& what, std::int64_t count) const {
  for (const Json& fault : member(scenario_, "faults")) {
    if (has(fault, "raw") && fault["raw"] == what && fault.value("n", std::int64_t{1}) == count) {
      return fault;
    }
  }
  return kNothing;
}

const Json& World::override_of(const std::string& what, const std::string& label) const {
  for (const Json& given : member(scenario_, "overrides")) {
    for (const Json& session_label : given["in"]) {
      if (given["raw"] == what && session_label == label) {
        return given;
      }
    }
  }
  return kNothing;
}

std::optional<Tensor> World::scripted_loss(std::int64_t run) const {
  const Json& losses = member(scenario_, "loss");
  const auto index = static_cast<std::size_t>(run - 1);
  if (!losses.is_array() || index >= losses.size()) {
    return std::nullopt;
  }
  return tensor_of(losses[index], DType::kFloat);
}

void World::note_pause(std::chrono::nanoseconds time) {
  if (time.count() == 0) {
    return;
  }
  now_ += std::chrono::duration<double>(time).count();
  say("sleep " + text_of(number(std::chrono::duration<double>(time).count())));
  const Json& sleeps = member(scenario_, "sleeps");
  if (sleeps.is_array() && pauses_ < sleeps.size()) {
    const Json& change = sleeps[pauses_++];
    if (has(change, "set_step") && session != nullptr) {
      session->set_step(change["set_step"].get<Step>());
    }
  }
}

void World::report_error(const Json& kind) {
  if (coordinators.newest() == nullptr) {
    throw NotExpressible("a request to a coordinator that is gone with its session");
  }
  say(coordinators.label() + " request_stop" + (kind.is_null() ? "" : " " + kind.get<std::string>()));
  coordinators.newest()->request_stop(kind.is_null() ? nullptr : make_error(kind.get<std::string>()));
}

bool World::wants_run_traces() const {
  const std::string text = scenario_.dump();
  return text.find("trace_level") != std::string::npos || text.find("\"profiler\"") != std::string::npos ||
         text.find("show_metadata") != std::string::npos;
}

std::string World::path(const Json& name) const {
  const auto text = name.get<std::string>();
  return text.empty() ? text : folder_ + "/" + text;
}

}  // namespace fermata::conformance
