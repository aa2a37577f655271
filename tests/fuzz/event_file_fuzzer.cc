// Any bytes as an event file. Most inputs are whole files with a record that was changed: what the checksums
// of the records let through.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "event_log/event_reader.h"
#include "tests/fuzz/mutation.h"
#include "tests/support/memory_file_system.h"
#include "wire/record_framing.h"
#include "wire/summary_proto.h"
#include "wire/tensor_proto.h"

namespace {

namespace wire = fermata::wire;

void look_at(const wire::Event& event) {
  for (const wire::SummaryValue& value : event.values) {
    static_cast<void>(wire::glance_at_tensor(value.data));
    static_cast<void>(wire::histogram_words(value.data));
    static_cast<void>(wire::image_words(value.data));
  }
}

// The contents of the records up to the first that is not whole.
std::vector<std::string> records_of(std::string_view file) {
  wire::RecordScanner scanner(
      [file](std::uint64_t offset, void* to, std::size_t size) {
        const std::string_view piece = file.substr(std::min<std::size_t>(offset, file.size()), size);
        std::copy(piece.begin(), piece.end(), static_cast<char*>(to));
        return piece.size();
      },
      file.size());
  std::vector<std::string> records;
  while (scanner.next() == wire::RecordScanner::Status::kRecord) {
    records.emplace_back(scanner.content());
  }
  return records;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<std::string> records;
  if (random() % 4 != 0) {
    records = records_of({reinterpret_cast<const char*>(data), size});
  }
  if (records.empty()) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  std::string& chosen = records[random() % records.size()];
  chosen = fuzz::mutated(chosen);
  std::string file;
  for (const std::string& record : records) {
    wire::append_record(file, record);
  }
  return fuzz::hand_over(file, data, size, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto event = wire::decode_event(bytes)) {
    look_at(*event);
  }
  static_cast<void>(wire::glance_at_tensor(bytes));
  static_cast<void>(wire::strip_summary_metadata(bytes, [](std::string_view) { return false; }));
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
