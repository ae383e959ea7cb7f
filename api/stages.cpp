#include "api/stages.hpp"

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/failure.hpp"
#include "base/joined.hpp"

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

namespace {

/// The supported releases of the year `text`, as in "2025.0, 2025.1". Empty if `text` is not such a year.
std::string releases_of_year(std::string_view text) {
  std::vector<std::string> names;
  for (const target::Release release : target::kReleases) {
    if (std::to_string(release.year) == text) names.push_back(to_string(release));
  }
  return base::joined(names, ", ");
}

/// The error for a `text` that is not a supported release or a range of them.
Problem target_problem(const std::string& text) {
  constexpr std::string_view kTo = "..";
  constexpr DiagnosticCode kCode = DiagnosticCode::bad_target_runtime;
  if (const auto dots = text.find(kTo); dots != std::string::npos) {
    const std::string swapped = text.substr(dots + kTo.size()) + std::string(kTo) + text.substr(0, dots);
    if (target::parse_release_range(swapped))
      return {kCode, "the releases of '" + text + "' are in the wrong order", "write " + swapped};
  }
  if (const std::string releases = releases_of_year(text); !releases.empty())
    return {kCode, "'" + text + "' is a year, not an OpenVINO release",
            "name one of the supported releases of " + text + ": " + releases};
  const target::ReleaseRange supported;
  return {kCode, "'" + text + "' is not a supported OpenVINO release or a range of them",
          "name a release such as " + to_string(supported.newest) + ", or a range within " +
              to_string(supported)};
}

}  // namespace

std::optional<target::Target> read_target(const std::string& text, DiagnosticSink& sink) {
  if (text.empty()) return target::Target();
  if (const auto releases = target::parse_release_range(text)) return target::Target(*releases);
  sink.report(base::diagnostic_of(target_problem(text)));
  return std::nullopt;
}

}  // namespace onnx2ir
