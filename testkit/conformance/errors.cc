#include "conformance/errors.h"

#include <array>
#include <utility>

#include "fermata/error.h"

namespace fermata::conformance {
namespace {

std::string kind_of_caller(const Error& error) {
  switch (error.code()) {
    case Code::kInvalidArgument:
    case Code::kAlreadyExists:
      return "InvalidArg";
    case Code::kNotFound:
      return "NotInGraph";
    case Code::kFailedPrecondition:
      return "Misuse";
    default:
      return code_name(error.code());
  }
}

}  // namespace

void raise(const std::string& kind) {
  if (kind == "STOP_ITERATION") {
    throw StopIteration("scripted");
  }
  if (kind == "USER") {
    throw UserError();
  }
  if (kind == "InvalidArg") {
    throw Error(Code::kInvalidArgument, "scripted");
  }
  if (kind == "Misuse") {
    throw Misuse("scripted");
  }
  for (int code = 1; code <= static_cast<int>(Code::kUnauthenticated); ++code) {
    if (code_name(static_cast<Code>(code)) == kind) {
      throw Error(static_cast<Code>(code), "scripted", ErrorSource::kEngine);
    }
  }
  throw NotExpressible("errors of the kind " + kind);
}

std::exception_ptr make_error(const std::string& kind) {
  try {
    raise(kind);
  } catch (const NotExpressible&) {
    throw;
  } catch (...) {
    return std::current_exception();
  }
}

std::string kind_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const NanLossError&) {
    return "NanLoss";
  } catch (const StopIteration&) {
    return "STOP_ITERATION";
  } catch (const UserError&) {
    return "USER";
  } catch (const Error& known) {
    return known.source() == ErrorSource::kCaller ? kind_of_caller(known) : code_name(known.code());
  } catch (const std::exception& other) {
    return other.what();
  }
}

}  // namespace fermata::conformance
