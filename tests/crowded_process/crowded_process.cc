// A TensorFlow graph is trained in a process that holds other versions of the libraries TensorFlow carries
// inside, loaded before it, and that uses std::cout while the graph prints with tf.print.
#include <dlfcn.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "fermata/fermata.h"
#include "fermata/tensorflow.h"

namespace {

// One function or table of each library, so that the test cannot pass without them.
bool others_are_there() {
  for (const char* symbol :
       {"_ZTVN6google8protobuf11MessageLiteE", "inflate", "leveldb_open", "snappy_compress"}) {
    if (dlsym(RTLD_DEFAULT, symbol) == nullptr) {
      std::cerr << "crowded_process: " << symbol << " was expected in this process\n";
      return false;
    }
  }
  return true;
}

void train(const std::string& path) {
  auto model = fermata::tensorflow::open(path);
  fermata::SessionRunArgs request({model.train_op()});
  auto session = fermata::monitored_training_session(
      model,
      {.hooks = {fermata::make_hook<fermata::StopAtStepHook>({.last_step = 3})}, .announce = {&request}});
  const fermata::StopVerdict verdict = session.run_until_stopped([&] {
    std::cout << "before step " << session.step().value_or(-1) + 1 << std::endl;
    session.run(request);
  });
  std::cout << verdict.to_string() << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !others_are_there()) {
    return 1;
  }
  try {
    train(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "crowded_process: %s\n", error.what());
    return 1;
  }
  return 0;
}
