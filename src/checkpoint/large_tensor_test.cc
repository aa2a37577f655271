// Sizes and places that 31 and 32 bits do not hold, in files that are mostly holes and in memory that is
// never written.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/bundle_files.h"
#include "checkpoint/bundle_reader.h"
#include "checkpoint/bundle_writer.h"
#include "fermata/error.h"
#include "tests/support/memory_file_system.h"

namespace fermata {
namespace {

// 5 GiB: more than 32 bits hold.
constexpr std::int64_t kLarge = std::int64_t{5} << 30U;

bool is_zero(std::string_view bytes) {
  return bytes.empty() ||
         (bytes.front() == '\0' && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

// A file of which only what is not zero is kept.
struct Holes {
  std::uint64_t size = 0;
  std::map<std::uint64_t, std::string> pieces;
};

class HoleWriter final : public WritableFile {
 public:
  explicit HoleWriter(std::shared_ptr<Holes> holes) : holes_(std::move(holes)) {}
  void write(std::string_view bytes) override {
    if (!is_zero(bytes)) {
      holes_->pieces.emplace(holes_->size, bytes);
    }
    holes_->size += bytes.size();
  }
  void sync() override {}
  void close() override {}

 private:
  std::shared_ptr<Holes> holes_;
};

class HoleReader final : public ReadableFile {
 public:
  explicit HoleReader(std::shared_ptr<Holes> holes) : holes_(std::move(holes)) {}
  [[nodiscard]] std::uint64_t size() const override { return holes_->size; }
  [[nodiscard]] std::size_t read_at(std::uint64_t offset, void* to, std::size_t size) const override {
    size = static_cast<std::size_t>(
        std::min<std::uint64_t>(size, holes_->size - std::min(offset, holes_->size)));
    std::memset(to, 0, size);
    for (const auto& [begin, bytes] : holes_->pieces) {
      const std::uint64_t from = std::max(begin, offset);
      const std::uint64_t until = std::min(begin + bytes.size(), offset + size);
      if (from < until) {
        std::memcpy(static_cast<char*>(to) + (from - offset), bytes.data() + (from - begin), until - from);
      }
    }
    return size;
  }

 private:
  std::shared_ptr<Holes> holes_;
};

// Data files are holes, all others are as usual.
class HoleFileSystem final : public MemoryFileSystem {
 public:
  std::unique_ptr<WritableFile> create(const std::string& path) override {
    if (path.find(".data-") == std::string::npos) {
      return MemoryFileSystem::create(path);
    }
    return std::make_unique<HoleWriter>(data_[path] = std::make_shared<Holes>());
  }
  std::unique_ptr<ReadableFile> open(const std::string& path) override {
    const auto found = data_.find(path);
    return found == data_.end() ? MemoryFileSystem::open(path) : std::make_unique<HoleReader>(found->second);
  }
  void rename(const std::string& from, const std::string& to) override {
    if (const auto found = data_.find(from); found != data_.end()) {
      data_[to] = found->second;
      data_.erase(found);
      return;
    }
    MemoryFileSystem::rename(from, to);
  }
  std::optional<FileInfo> info(const std::string& path) override {
    const auto found = data_.find(path);
    return found == data_.end() ? MemoryFileSystem::info(path) : FileInfo{false, found->second->size, {}};
  }
  // As if the end of a file were lost.
  void cut(const std::string& path, std::uint64_t size) { data_.at(path)->size = size; }

 private:
  std::map<std::string, std::shared_ptr<Holes>> data_;
};

// As many zeros as are asked for, which take no memory.
class Zeros {
 public:
  explicit Zeros(std::size_t size)
      : size_(size),
        bytes_(::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (bytes_ != MAP_FAILED) {
      ::madvise(bytes_, size_, MADV_HUGEPAGE);
    }
  }
  ~Zeros() {
    if (bytes_ != MAP_FAILED) {
      ::munmap(bytes_, size_);
    }
  }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;

  [[nodiscard]] const void* data() const noexcept { return bytes_ == MAP_FAILED ? nullptr : bytes_; }

 private:
  std::size_t size_;
  void* bytes_;
};

class LargeTensorTest : public testing::Test {
 protected:
  void SetUp() override {
    if (zeros_.data() == nullptr) {
      GTEST_SKIP() << "the system gives no range of 5 GiB";
    }
    files_.create_directories("/d");
    BundleWriter writer("/d/m", files_);
    writer.add("a", Tensor::scalar(1).view());
    writer.add("large", TensorView(DType::kUInt8, shape_, zeros_.data()));
    writer.add("z", Tensor::of<int>({2}, {7, 8}).view());
    writer.finish();
  }

  const Shape shape_ = {5, kLarge / 5};
  const Zeros zeros_{static_cast<std::size_t>(kLarge)};
  HoleFileSystem files_;
};

TEST_F(LargeTensorTest, IsWrittenAndVerifiedAndWhatStandsBehindItIsRead) {
  const BundleReader reader = BundleReader::open("/d/m", files_);
  EXPECT_EQ(reader.find("large")->size_bytes, static_cast<std::uint64_t>(kLarge));
  EXPECT_GT(reader.find("z")->offset, std::uint64_t{1} << 32U);
  EXPECT_NO_THROW(reader.verify());
  EXPECT_EQ(reader.read("z").view().values<int>()[1], 8);
}

TEST_F(LargeTensorTest, AMissingEndIsDamage) {
  files_.cut(data_path("/d/m", 0, 1), static_cast<std::uint64_t>(kLarge));
  const BundleReader reader = BundleReader::open("/d/m", files_);
  EXPECT_EQ(reader.read("a").view().scalar<int>(), 1);
  EXPECT_THROW(static_cast<void>(reader.read("z")), Error);
  EXPECT_THROW(reader.verify_sizes(), Error);
}

}  // namespace
}  // namespace fermata
