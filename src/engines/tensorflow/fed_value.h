// A value to be fed.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/plugin_abi.h"
#include "engines/tensorflow/handles.h"
#include "engines/tensorflow/prepared_call.h"

namespace fermata::tensorflow_plugin {

// Never changes once made. Threads: may be fed by several runs at once.
struct FedValue {
  explicit FedValue(TensorHandle made);

  int dtype;
  std::vector<int64_t> shape;
  TensorHandle tensor;
  // The same memory as the C++ API wants it; null without prepared calls.
  CallTensorHandle call_tensor;
};

void add_value_functions(FermataPluginApi& api);

}  // namespace fermata::tensorflow_plugin
