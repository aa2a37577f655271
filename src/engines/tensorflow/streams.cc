#include "engines/tensorflow/streams.h"

#include <iostream>
#include <new>

namespace fermata::tensorflow_plugin {
namespace {

// True if `own` had to be constructed.
bool adopt(std::ostream& own, void* program_stream) {
  if (program_stream == nullptr || program_stream == &own) return false;
  auto* const theirs = static_cast<std::ostream*>(program_stream);
  new (&own) std::ostream(theirs->rdbuf());
  own.flags(theirs->flags());
  return true;
}

}  // namespace

void adopt_streams(const FermataHost& host) {
  adopt(std::cout, host.cout);
  // As in the program: what goes to cerr comes after what went to cout.
  if (adopt(std::cerr, host.cerr)) std::cerr.tie(&std::cout);
  adopt(std::clog, host.clog);
}

}  // namespace fermata::tensorflow_plugin
