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
  void add(std::exception_ptr error) {
    if (!first_) {
      first_ = std::move(error);
    } else {
      later_.push_back(describe(error));
    }
  }
  void add_later(std::string text) { later_.push_back(std::move(text)); }

  // Calls `body` and adds what it throws.
  template <typename Body>
  void guard(const Body& body) {
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
