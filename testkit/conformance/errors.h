// The kinds of errors that scenarios speak of, and the errors themselves.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace fermata::conformance {

// An error class of the user's own, which the library cannot know.
class UserError : public std::runtime_error {
 public:
  UserError() : std::runtime_error("scripted") {}
};

// A part of a scenario that this engine or the language has no way to say. It ends the scenario, which then
// counts as not expressible.
class NotExpressible : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What the compiler refuses in C++, where Python finds it out when it runs. Thrown where the runner has made
// sure, when it was compiled, that it would not compile.
class RefusedByCompiler : public std::runtime_error {
 public:
  explicit RefusedByCompiler(const std::string& kind) : std::runtime_error(kind) {}
};

// Throws an error of the kind "ABORTED", "STOP_ITERATION", "USER", "InvalidArg", "Misuse" …
[[noreturn]] void raise(const std::string& kind);
[[nodiscard]] std::exception_ptr make_error(const std::string& kind);

// The kind of any error; the text of one that has none.
[[nodiscard]] std::string kind_of(const std::exception_ptr& error);

}  // namespace fermata::conformance
