#include "engines/native/capture_memory.h"

#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <utility>

namespace fermata::native {
namespace {

// As tensors have it.
constexpr std::align_val_t kAlignment{64};
// Below this the usual allocator has warm memory at hand.
constexpr std::size_t kSmallBytes = std::size_t{64} * 1024;

struct FreeBlock {
  void operator()(void* block) const noexcept { ::operator delete(block, kAlignment); }
};
using Block = std::unique_ptr<void, FreeBlock>;

Block allocate(std::size_t bytes) { return Block(::operator new(bytes, kAlignment)); }

}  // namespace

struct CaptureMemory::Blocks {
  Block take(std::size_t bytes) {
    const std::lock_guard lock(mutex);
    if (auto found = free.extract(bytes); !found.empty()) {
      free_bytes -= bytes;
      return std::move(found.mapped());
    }
    return nullptr;
  }

  void give_back(Block block, std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex);
    try {
      free.emplace(bytes, std::move(block));
      free_bytes += bytes;
    } catch (...) {
      // No memory to remember it by: it goes back to the system.
      return;
    }
  }

  mutable std::mutex mutex;
  std::multimap<std::size_t, Block> free;
  std::size_t free_bytes = 0;
};

CaptureMemory::CaptureMemory() : blocks_(std::make_shared<Blocks>()) {}

CaptureMemory::~CaptureMemory() = default;

Tensor CaptureMemory::copy(const TensorView& value) {
  const std::size_t bytes = value.byte_size();
  if (dtype_size(value.dtype()) == 0 || bytes < kSmallBytes) {
    return value.copy();
  }
  Block block = blocks_->take(bytes);
  if (block == nullptr) {
    block = allocate(bytes);
  }
  std::memcpy(block.get(), value.data(), bytes);
  void* const memory = block.get();
  Tensor copied = Tensor::adopt(value.dtype(), Shape(value.shape().begin(), value.shape().end()), memory,
                                [owner = std::weak_ptr<Blocks>(blocks_), memory, bytes] {
                                  Block back(memory);
                                  if (const std::shared_ptr<Blocks> blocks = owner.lock()) {
                                    blocks->give_back(std::move(back), bytes);
                                  }
                                });
  static_cast<void>(block.release());
  return copied;
}

void CaptureMemory::trim() {
  const std::lock_guard lock(blocks_->mutex);
  blocks_->free.clear();
  blocks_->free_bytes = 0;
}

std::size_t CaptureMemory::free_bytes() const {
  const std::lock_guard lock(blocks_->mutex);
  return blocks_->free_bytes;
}

}  // namespace fermata::native
