#include "fermata/checkpoint_reader.h"

#include <utility>

#include "checkpoint/bundle_reader.h"

namespace fermata {

struct CheckpointReader::Impl {
  BundleReader bundle;
  std::vector<CheckpointEntry> entries;
};

CheckpointReader::CheckpointReader(const std::string& prefix)
    : impl_(std::make_unique<Impl>(Impl{BundleReader::open(prefix), {}})) {
  for (const BundleEntry& entry : impl_->bundle.entries()) {
    impl_->entries.push_back({entry.name, entry.dtype, entry.shape});
  }
}

CheckpointReader::~CheckpointReader() = default;
CheckpointReader::CheckpointReader(CheckpointReader&&) noexcept = default;
CheckpointReader& CheckpointReader::operator=(CheckpointReader&&) noexcept = default;

const std::vector<CheckpointEntry>& CheckpointReader::entries() const noexcept { return impl_->entries; }

Tensor CheckpointReader::read(std::string_view name) const { return impl_->bundle.read(name); }

}  // namespace fermata
