// The objects of the C interface, and how errors get into them.
#pragma once

#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/failure.hpp"
#include "onnx2ir/onnx2ir.hpp"

// NOLINTBEGIN(readability-identifier-naming): the names are those of the C interface.
struct onnx2ir_options {
  onnx2ir::Options conversion;
  onnx2ir::SaveOptions saving;
  std::string problem;
};

struct onnx2ir_conversion {
  onnx2ir::Conversion conversion;
  std::string text;
  std::string json;
  std::optional<std::string> xml;
  std::optional<std::vector<std::byte>> weights;
  std::string graph;
  std::string html;
  std::string differences;
  std::string difference_list;
  std::string counts;
  std::string affected;
};
// NOLINTEND(readability-identifier-naming)

namespace onnx2ir {

/// The result of `make`, or `otherwise` if it throws.
template <typename Result, typename Make>
Result without_exceptions(Result otherwise, Make make) noexcept {
  try {
    return make();
  } catch (const std::exception&) {
    return otherwise;
  }
}

inline void describe(onnx2ir_conversion& handle) {
  handle.text = onnx2ir::to_string(handle.conversion.diagnostics);
  handle.json = onnx2ir::to_json(handle.conversion);
}

inline void add_error(onnx2ir_conversion& handle, onnx2ir::Diagnostic problem) {
  handle.conversion.diagnostics.push_back(std::move(problem));
  describe(handle);
}

/// Calls `use` with the model of the conversion. Returns false if the conversion has no model. If `use`
/// throws, adds an error to the diagnostics of the conversion and returns false: `use` throws
/// std::runtime_error if a file of the model cannot be read any more.
template <typename Use>
bool use_model(onnx2ir_conversion& handle, Use use) noexcept {
  return without_exceptions(false, [&] {
    if (!handle.conversion.model) return false;
    try {
      use(*handle.conversion.model);
      return true;
    } catch (const std::bad_alloc&) {
      add_error(handle, base::diagnostic_of(
                            {DiagnosticCode::out_of_memory, "the IR needs more memory than is available"}));
    } catch (const std::exception& problem) {
      add_error(handle, base::diagnostic_of({DiagnosticCode::unreadable_input, problem.what()}));
    }
    return false;
  });
}

}  // namespace onnx2ir
