// Any bytes as the index of a checkpoint, with some data beside it. Most inputs are whole tables with a
// record that was changed: what the table's own checksums let through.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "checkpoint/bundle_reader.h"
#include "checkpoint/damage.h"
#include "checkpoint/index_table.h"
#include "checkpoint/object_keys.h"
#include "fermata/error.h"
#include "fermata/log.h"
#include "tests/fuzz/mutation.h"
#include "tests/support/memory_file_system.h"
#include "wire/object_graph.h"

namespace {

using Records = std::map<std::string, std::string>;

constexpr const char* kIndex = "/d/m.index";

void put(fermata::MemoryFileSystem& files, std::string_view index) {
  files.create_directories("/d");
  files.create(kIndex)->write(index);
}

// Nothing where the bytes are no table.
Records records_of(std::string_view index) {
  fermata::MemoryFileSystem files;
  put(files, index);
  Records records;
  try {
    fermata::read_index_table(
        files, kIndex, [&](std::string_view key, std::string_view value) { records.emplace(key, value); });
  } catch (const fermata::Error&) {
    return {};
  }
  return records;
}

std::string table_of(const Records& records) {
  fermata::MemoryFileSystem files;
  files.create_directories("/d");
  fermata::write_index_table(*files.create(kIndex), records);
  const auto file = files.open(kIndex);
  std::string bytes(static_cast<std::size_t>(file->size()), '\0');
  bytes.resize(file->read_at(0, bytes.data(), bytes.size()));
  return bytes;
}

void read_all(const fermata::BundleReader& reader) {
  for (const fermata::BundleEntry& entry : reader.entries()) {
    try {
      static_cast<void>(reader.read(entry.name));
    } catch (const fermata::Error&) {
      continue;
    }
  }
  try {
    static_cast<void>(fermata::keys_of_names(reader, {"w", "global_step"}));
  } catch (const fermata::Error&) {
    return;
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  std::minstd_rand random(seed);
  Records records = random() % 4 == 0 ? Records() : records_of({reinterpret_cast<const char*>(data), size});
  if (records.empty()) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  const auto chosen = std::next(records.begin(), static_cast<std::ptrdiff_t>(random() % records.size()));
  if (random() % 4 == 0) {
    std::string value = chosen->second;
    records.insert_or_assign(fuzz::mutated(chosen->first), std::move(value));
  } else {
    chosen->second = fuzz::mutated(chosen->second);
  }
  return fuzz::hand_over(table_of(records), data, size, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fermata::set_log_level(fermata::LogLevel::kError);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(fermata::wire::decode_object_graph(bytes));
  fermata::MemoryFileSystem files;
  put(files, bytes);
  files.create("/d/m.data-00000-of-00001")->write(std::string(512, '\x01'));
  try {
    read_all(fermata::BundleReader::open("/d/m", files));
  } catch (const fermata::Error&) {
    // Refused in one sentence, as it should be.
    return 0;
  }
  static_cast<void>(fermata::find_damage(files, "/d/m"));
  return 0;
}
