// What fails on the way out.
#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "fermata/error.h"

namespace fermata {

// The first error is kept, the text of later ones is attached to it.
class ErrorList {
 public:
  void add(std::exception_ptr error) noexcept {
    if (!first_) {
      first_ = std::move(error);
    } else {
      add_later([&] { return describe(error); });
    }
  }

  // Adds the text that `text` returns. One for which there is no memory is left out: the first error matters
  // more.
  template <typename Text>
  void add_later(const Text& text) noexcept {
    try {
      later_.push_back(text());
    } catch (...) {  // NOLINT(bugprone-empty-catch): as said above
    }
  }

  // Calls `body` and adds what it throws.
  template <typename Body>
  void guard(const Body& body) noexcept {
    try {
      body();
    } catch (...) {
      add(std::current_exception());
    }
  }

  [[nodiscard]] const std::exception_ptr& first() const noexcept { return first_; }
  [[nodiscard]] const std::vector<std::string>& later() const noexcept { return later_; }

 private:
  std::exception_ptr first_;
  std::vector<std::string> later_;
};

}  // namespace fermata
