#include "api/stages.hpp"

#include <exception>
#include <new>
#include <utility>

#include "base/failure.hpp"

namespace onnx2ir {

Diagnostic unreadable_input(std::string message) {
  return base::diagnostic_of({DiagnosticCode::unreadable_input, std::move(message),
                              "convert the model again when no program writes to its files"});
}

namespace {

/// The error for a failure that ends a stage.
Diagnostic diagnostic_of(const base::Failure& failure) {
  switch (failure.code()) {
    case DiagnosticCode::cancelled:
    case DiagnosticCode::invalid_model:
      return base::diagnostic_of(failure.problem());
    case DiagnosticCode::unreadable_input:
      return unreadable_input(failure.what());
    case DiagnosticCode::invalid_node:
      // The type of an input of the model. Those of initializers and nodes are reported with their place, and
      // passes turn theirs into internal errors.
      return base::diagnostic_of({DiagnosticCode::invalid_model, failure.what()});
    default:  // all other failures are handled where their place is known
      return base::diagnostic_of(base::internal_error(failure.what()));
  }
}

}  // namespace

void contain(DiagnosticSink& sink, const std::function<void()>& stage) {
  try {
    stage();
  } catch (const std::bad_alloc&) {
    sink.error(DiagnosticCode::out_of_memory, "the conversion needs more memory than is available");
  } catch (const base::Failure& failure) {
    sink.report(diagnostic_of(failure));
  } catch (const std::exception& fault) {
    sink.report(base::diagnostic_of(base::internal_error(fault.what())));
  }
}

std::optional<target::Target> read_target(const std::string& text, DiagnosticSink& sink) {
  if (text.empty()) return target::Target();
  if (const auto releases = target::parse_release_range(text)) return target::Target(*releases);
  const target::ReleaseRange supported;
  sink.report(base::diagnostic_of({DiagnosticCode::bad_target_runtime,
                                   "'" + text + "' is not a supported OpenVINO release or a range of them",
                                   "name a release such as " + to_string(supported.newest) +
                                       ", or a range within " + to_string(supported)}));
  return std::nullopt;
}

}  // namespace onnx2ir
