#include "checkpoint/index_table.h"

#include <fmt/format.h>
#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>
#include <leveldb/table_builder.h>

#include <exception>
#include <memory>
#include <new>
#include <optional>

#include "fermata/error.h"
#include "wire/little_endian.h"

namespace fermata {
namespace {

// Two handles of at most 20 bytes, then a magic number.
constexpr std::size_t kFooterBytes = 48;
constexpr std::uint64_t kMagic = 0xdb4775248b80fb57U;
// What follows each block: its type and its checksum.
constexpr std::uint64_t kBlockTrailerBytes = 5;
// The size of blocks in the reference's files.
constexpr std::size_t kBlockBytes = 256 * 1024;

[[noreturn]] void throw_damaged(const std::string& path, std::string_view found) {
  throw Error(
      Code::kDataLoss,
      fmt::format("{}: the index of a checkpoint was expected, {}; use another checkpoint", path, found),
      ErrorSource::kSystem);
}

// LevelDB knows no exceptions: what our files throw is kept here until it has returned.
class KeptError {
 public:
  template <typename Call>
  leveldb::Status run(const Call& call) {
    try {
      call();
      return leveldb::Status::OK();
    } catch (...) {
      error_ = std::current_exception();
      return leveldb::Status::IOError("see the kept error");
    }
  }
  void rethrow() const {
    if (error_) {
      std::rethrow_exception(error_);
    }
  }

 private:
  std::exception_ptr error_;
};

class TableSource final : public leveldb::RandomAccessFile {
 public:
  TableSource(const ReadableFile& file, KeptError& error) : file_(file), error_(error) {}

  leveldb::Status Read(std::uint64_t offset, std::size_t size, leveldb::Slice* result,
                       char* scratch) const override {
    // The table reader asks for a block and its trailer. A smaller size is the sum of a damaged size and the
    // trailer run over, for which it has set aside as little memory.
    if (size <= kBlockTrailerBytes) {
      return leveldb::Status::Corruption("a block of an impossible size");
    }
    std::size_t count = 0;
    leveldb::Status status = error_.run([&] { count = file_.read_at(offset, scratch, size); });
    if (status.ok()) {
      *result = leveldb::Slice(scratch, count);
    }
    return status;
  }

 private:
  const ReadableFile& file_;
  KeptError& error_;
};

class TableSink final : public leveldb::WritableFile {
 public:
  TableSink(fermata::WritableFile& file, KeptError& error) : file_(file), error_(error) {}

  leveldb::Status Append(const leveldb::Slice& bytes) override {
    return error_.run([&] { file_.write({bytes.data(), bytes.size()}); });
  }
  // Who owns the file syncs and closes it.
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }

 private:
  fermata::WritableFile& file_;
  KeptError& error_;
};

std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) {
      return value;
    }
  }
  return std::nullopt;
}

// No checksum protects the footer, and the table reader sets memory aside for whatever it says.
void check_footer(const ReadableFile& file, const std::string& path) {
  const std::uint64_t size = file.size();
  if (size < kFooterBytes) {
    throw_damaged(path, fmt::format("found {} bytes, which is too short", size));
  }
  std::string footer(kFooterBytes, '\0');
  if (file.read_at(size - kFooterBytes, footer.data(), kFooterBytes) != kFooterBytes) {
    throw_damaged(path, "found a file that became shorter while it was read");
  }
  if (wire::load_little_endian<std::uint64_t>(footer.data() + kFooterBytes - sizeof(kMagic)) != kMagic) {
    throw_damaged(path,
                  fmt::format("found {} bytes without the mark at their end, torn or something else", size));
  }
  std::string_view handles(footer);
  for (int block = 0; block < 2; ++block) {
    const std::optional<std::uint64_t> offset = take_varint(handles);
    const std::optional<std::uint64_t> length = offset ? take_varint(handles) : std::nullopt;
    const std::uint64_t most = size - kFooterBytes;
    if (!length || *offset > most || *length > most - *offset ||
        kBlockTrailerBytes > most - *offset - *length) {
      throw_damaged(path, "found a damaged end");
    }
  }
}

void visit_all(leveldb::Iterator& records, const IndexVisitor& visit, KeptError& error) {
  for (records.SeekToFirst(); records.Valid(); records.Next()) {
    const leveldb::Slice key = records.key();
    const leveldb::Slice value = records.value();
    // No call of LevelDB is under way here, so `visit` may throw.
    visit({key.data(), key.size()}, {value.data(), value.size()});
  }
  error.rethrow();
}

// The builder wants to be told that it is not to be finished.
class AbandonedUnlessFinished {
 public:
  explicit AbandonedUnlessFinished(leveldb::TableBuilder& table) : table_(table) {}
  ~AbandonedUnlessFinished() {
    if (!finished_) {
      table_.Abandon();
    }
  }
  AbandonedUnlessFinished(const AbandonedUnlessFinished&) = delete;
  AbandonedUnlessFinished& operator=(const AbandonedUnlessFinished&) = delete;
  // The builder takes itself for finished from the first line of Finish on.
  leveldb::Status finish() {
    finished_ = true;
    return table_.Finish();
  }

 private:
  leveldb::TableBuilder& table_;
  bool finished_ = false;
};

// Throws std::bad_alloc for a block of an impossible size, and where memory is short.
void read_all(FileSystem& files, const std::string& path, const IndexVisitor& visit) {
  const std::unique_ptr<ReadableFile> file = files.open(path);
  check_footer(*file, path);
  KeptError error;
  TableSource source(*file, error);
  leveldb::Options options;
  options.paranoid_checks = true;
  leveldb::ReadOptions read_options;
  read_options.verify_checksums = true;
  read_options.fill_cache = false;
  leveldb::Table* opened = nullptr;
  leveldb::Status status = leveldb::Table::Open(options, &source, file->size(), &opened);
  const std::unique_ptr<leveldb::Table> table(opened);
  error.rethrow();
  if (status.ok()) {
    const std::unique_ptr<leveldb::Iterator> records(table->NewIterator(read_options));
    visit_all(*records, visit, error);
    status = records->status();
  }
  if (!status.ok()) {
    throw_damaged(path, fmt::format("found a damaged block ({})", status.ToString()));
  }
}

// A damaged size asks for too much each time.
bool asks_for_too_much_again(FileSystem& files, const std::string& path) {
  try {
    read_all(files, path, [](std::string_view, std::string_view) {});
    return false;
  } catch (const std::bad_alloc&) {
    return true;
  }
}

}  // namespace

void read_index_table(FileSystem& files, const std::string& path, const IndexVisitor& visit) {
  try {
    read_all(files, path, visit);
  } catch (const std::bad_alloc&) {
    if (asks_for_too_much_again(files, path)) {
      throw_damaged(path, "found a block of an impossible size");
    }
    throw;  // A shortage of memory is no damage: another checkpoint would not be better.
  }
}

void write_index_table(WritableFile& file, const std::map<std::string, std::string>& records) {
  KeptError error;
  TableSink sink(file, error);
  leveldb::Options options;
  options.block_size = kBlockBytes;
  options.compression = leveldb::kNoCompression;
  leveldb::TableBuilder table(options, &sink);
  AbandonedUnlessFinished ending(table);
  for (const auto& [key, value] : records) {
    table.Add(key, value);
  }
  const leveldb::Status status = ending.finish();
  error.rethrow();
  if (!status.ok()) {
    throw Error(Code::kInternal, "writing the index of a checkpoint failed: " + status.ToString(),
                ErrorSource::kSystem);
  }
}

}  // namespace fermata
