#include "api/stages.hpp"

#include <exception>
#include <new>
#include <utility>

#include "base/cancellation.hpp"
#include "base/input_file.hpp"
#include "ir/op_descriptor.hpp"

namespace onnx2ir {

Diagnostic unreadable_input(std::string message) {
  Diagnostic diagnostic;
  diagnostic.code = DiagnosticCode::unreadable_input;
  diagnostic.message = std::move(message);
  diagnostic.hint = "convert the model again when no program writes to its files";
  return diagnostic;
}

void contain(DiagnosticSink& sink, const std::function<void()>& stage) {
  try {
    stage();
  } catch (const std::bad_alloc&) {
    sink.error(DiagnosticCode::out_of_memory, "the conversion needs more memory than is available");
  } catch (const base::Cancelled& cancelled) {
    sink.error(DiagnosticCode::cancelled, cancelled.what());
  } catch (const base::InputError& error) {
    sink.report(unreadable_input(error.what()));
  } catch (const ir::InvalidNode& invalid) {
    // Every node was valid when it was created. If a pass infers more, for example because it decomposes an
    // operation, it can find a contradiction that was in the model.
    Diagnostic diagnostic;
    diagnostic.code = DiagnosticCode::invalid_model;
    diagnostic.message = std::string("the model contradicts itself: ") + invalid.what();
    diagnostic.hint = "check the declared shapes; if another runtime runs the model, please report it";
    sink.report(std::move(diagnostic));
  } catch (const std::exception& fault) {
    Diagnostic diagnostic;
    diagnostic.code = DiagnosticCode::internal_error;
    diagnostic.message = std::string("an internal error of onnx2ir: ") + fault.what();
    diagnostic.hint = "please report it with the model";
    sink.report(std::move(diagnostic));
  }
}

std::optional<target::Target> read_target(const std::string& text, DiagnosticSink& sink) {
  if (text.empty()) return target::Target();
  if (const auto releases = target::parse_release_range(text)) return target::Target(*releases);
  const target::ReleaseRange supported;
  Diagnostic diagnostic;
  diagnostic.code = DiagnosticCode::bad_target_runtime;
  diagnostic.message = "'" + text + "' is not a supported OpenVINO release or a range of them";
  diagnostic.hint =
      "name a release such as " + to_string(supported.newest) + ", or a range within " + to_string(supported);
  sink.report(std::move(diagnostic));
  return std::nullopt;
}

}  // namespace onnx2ir
