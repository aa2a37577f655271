// Any bytes as an event file, and each content of a record as an event by itself: a random content rarely has
// the checksum that would let it through.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "event_log/event_reader.h"
#include "tests/support/memory_file_system.h"
#include "wire/summary_proto.h"
#include "wire/tensor_proto.h"

namespace {

void look_at(const fermata::wire::Event& event) {
  for (const fermata::wire::SummaryValue& value : event.values) {
    static_cast<void>(fermata::wire::glance_at_tensor(value.data));
    static_cast<void>(fermata::wire::histogram_words(value.data));
    static_cast<void>(fermata::wire::image_words(value.data));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto event = fermata::wire::decode_event(bytes)) {
    look_at(*event);
  }
  static_cast<void>(fermata::wire::glance_at_tensor(bytes));
  static_cast<void>(fermata::wire::strip_summary_metadata(bytes, [](std::string_view) { return false; }));
  fermata::MemoryFileSystem files;
  files.create_directories("/d");
  files.create("/d/events")->write(bytes);
  fermata::EventReader reader("/d/events", files);
  while (const auto record = reader.next()) {
    if (record->event) {
      look_at(*record->event);
    }
  }
  return 0;
}
