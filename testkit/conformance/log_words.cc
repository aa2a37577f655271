#include "conformance/log_words.h"

namespace fermata::conformance {

Json LogWords::lines(const World& world) const {
  Json lines = Json::array();
  for (const std::string& line : capture_.lines()) {
    lines.push_back(world.shown(line));
  }
  return lines;
}

}  // namespace fermata::conformance
