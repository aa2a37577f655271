#include "fermata/event_writer.h"

#include <exception>
#include <map>
#include <mutex>
#include <utility>

#include "core/log_made.h"
#include "event_log/event_log.h"
#include "event_log/summary_values.h"
#include "fermata/error.h"
#include "platform/file_system.h"
#include "platform/paths.h"

namespace fermata {

struct EventWriter::Impl {
  Impl(const std::string& dir, Options options)
      : log(FileSystem::system(), dir, std::move(options), EventLog::Writing::kByThread) {}
  EventLog log;
};

EventWriter::EventWriter(const std::string& dir) : EventWriter(dir, Options()) {}

EventWriter::EventWriter(const std::string& dir, Options options)
    : impl_(std::make_unique<Impl>(dir, std::move(options))) {}

EventWriter::~EventWriter() {
  try {
    impl_->log.close();
  } catch (...) {
    log_made(LogLevel::kError, [] { return describe(std::current_exception()); });
  }
}

// Doubles beyond float become infinite, as the reference's conversion makes them.
void EventWriter::add_scalar(std::string_view tag, double value, Step step) {
  impl_->log.add_scalar(tag, static_cast<float>(value), step);
}

void EventWriter::add_histogram(std::string_view tag, const TensorView& values, Step step) {
  impl_->log.add_summary(histogram_of(tag, values), step);
}

void EventWriter::add_image(std::string_view tag, const TensorView& pixels, Step step) {
  impl_->log.add_summary(image_of(tag, pixels), step);
}

void EventWriter::add_text(std::string_view tag, std::string_view text, Step step) {
  impl_->log.add_summary(text_of(tag, text), step);
}

void EventWriter::add_tensor(std::string_view tag, const TensorView& value, Step step) {
  impl_->log.add_summary(tensor_of(tag, value), step);
}

void EventWriter::add_summary(std::string_view serialized, Step step) {
  impl_->log.add_summary(serialized, step);
}

void EventWriter::add_session_start(Step step) {
  impl_->log.add_session_log(wire::SessionStatus::kStart, {}, step);
}

void EventWriter::add_session_checkpoint(Step step, std::string_view path) {
  impl_->log.add_session_log(wire::SessionStatus::kCheckpoint, path, step);
}

void EventWriter::add_graph_def(std::string_view serialized, Step step) {
  impl_->log.add_graph_def(serialized, step);
}

void EventWriter::add_meta_graph_def(std::string_view serialized) {
  impl_->log.add_meta_graph_def(serialized);
}

void EventWriter::add_run_metadata(std::string_view serialized, std::string_view tag, Step step) {
  impl_->log.add_run_metadata(serialized, tag, step);
}

void EventWriter::flush() { impl_->log.flush(); }

void EventWriter::close() { impl_->log.close(); }

const std::string& EventWriter::path() const noexcept { return impl_->log.path(); }

std::shared_ptr<EventWriter> shared_event_writer(const std::string& dir) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<EventWriter>> writers;
  const std::lock_guard lock(mutex);
  std::erase_if(writers, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<EventWriter>& kept = writers[canonical_path(dir)];
  std::shared_ptr<EventWriter> writer = kept.lock();
  if (writer == nullptr) {
    writer = std::make_shared<EventWriter>(dir);
    kept = writer;
  }
  return writer;
}

}  // namespace fermata
