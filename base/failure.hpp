// The exceptions of the library. docs/architecture.md says when a function throws or returns a Result.
#pragma once

#include <functional>
#include <onnx2ir/diagnostic.hpp>
#include <onnx2ir/result.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace onnx2ir::base {

/// The conversion of a node, a stage or the model ends, because of the input or because the caller cancels
/// it. The function that catches it adds the place and reports it.
class Failure : public std::runtime_error {
 public:
  explicit Failure(Problem problem) : std::runtime_error(problem.message), problem_(std::move(problem)) {}
  Failure(DiagnosticCode code, std::string message, std::string hint = {})
      : Failure(Problem{code, std::move(message), std::move(hint), {}}) {}

  /// A failure whose reason has been reported already, for example that of a node in a body.
  static Failure reported() {
    Failure failure(DiagnosticCode::cannot_convert, "the reason has been reported");
    failure.is_reported_ = true;
    return failure;
  }

  const Problem& problem() const { return problem_; }
  DiagnosticCode code() const { return problem_.code; }
  bool is_reported() const { return is_reported_; }
  /// Whether the conversion cannot go on: it was cancelled, or a file cannot be read any more.
  bool ends_conversion() const {
    return code() == DiagnosticCode::cancelled || code() == DiagnosticCode::unreadable_input;
  }

 private:
  Problem problem_;
  bool is_reported_ = false;
};

/// Throws Failure (cancelled) if `is_cancelled`, which may be empty, returns true. For steps of long loops.
inline void check_cancelled(const std::function<bool()>& is_cancelled) {
  if (is_cancelled && is_cancelled())
    throw Failure(DiagnosticCode::cancelled, "the conversion was cancelled");
}

/// onnx2ir is wrong: thrown where no input can lead if the code is right, for example by an access to an
/// element that a list does not have. The front end reports it with the node that it translates; anywhere
/// else it ends the conversion. It is never taken for a fault of the model.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// The error to report for an InternalError, or for any exception that should not have been thrown. `file`:
/// what the user is asked to send.
inline Problem internal_error(const std::string& what, const std::string& file = "model") {
  return {DiagnosticCode::internal_error, "an internal error of onnx2ir: " + what,
          "please report it with the " + file};
}

/// Calls `function`, and returns its value or the problem of a Failure with this code. Other failures pass.
template <typename Function>
Result<std::invoke_result_t<Function>> attempt(DiagnosticCode code, Function function) {
  try {
    return function();
  } catch (const Failure& failure) {
    if (failure.code() != code) throw;
    return failure.problem();
  }
}

/// The same for a function without a value; no value if it succeeds.
template <typename Function>
std::optional<Problem> problem_of(DiagnosticCode code, Function function) {
  const auto result = attempt(code, [&] {
    function();
    return true;
  });
  return result ? std::nullopt : std::optional(result.error());
}

/// The error, or the warning or remark, to report for `problem`.
inline Diagnostic diagnostic_of(Problem problem, Place place = {}, Severity severity = Severity::error) {
  return {severity,
          problem.code,
          std::move(problem.message),
          std::move(place),
          {},
          std::move(problem.hint),
          problem.system_error};
}

}  // namespace onnx2ir::base
