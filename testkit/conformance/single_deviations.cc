#include "conformance/deviations.h"

namespace fermata::conformance {

const std::vector<SingleDeviation>& single_deviations() {
  static const std::vector<SingleDeviation> kSingles = {};
  return kSingles;
}

}  // namespace fermata::conformance
