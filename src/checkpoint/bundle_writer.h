// Writes a tensor bundle of one shard, the format of TensorFlow's checkpoints.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "checkpoint/tensor_slice.h"
#include "fermata/tensor.h"
#include "platform/file_system.h"

namespace fermata {

// Writes to files with names of their own beside the final ones, and puts them in place in finish(): until
// then nothing that was there is touched. A writer that is destroyed unfinished removes what it wrote.
// Threads: one at a time.
class BundleWriter {
 public:
  // The folder of `prefix` must be there. Throws: Error (system).
  explicit BundleWriter(std::string prefix, FileSystem& files = FileSystem::system());
  ~BundleWriter();
  BundleWriter(const BundleWriter&) = delete;
  BundleWriter& operator=(const BundleWriter&) = delete;

  // Appends one tensor, in any order of names: all plain types and strings, scalars, empty ones.
  // Throws: Error kInvalidArgument for an empty name, a name that is there already, or a value without plain
  // data; Error (system) if it cannot be written.
  void add(std::string_view name, const TensorView& value);

  // Appends one part of a tensor of `full_shape`. All parts of a name must have one dtype and full shape.
  // Throws: as add; Error kInvalidArgument if the value does not have the shape of the part.
  void add_slice(std::string_view name, const Shape& full_shape, const TensorSlice& slice,
                 const TensorView& value);

  // Syncs the data, writes and syncs the index, puts both in place, syncs the folder. Throws: Error.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fermata
