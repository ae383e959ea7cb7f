// Which failure a function throws.
#pragma once

#include <optional>

#include "base/failure.hpp"

namespace onnx2ir {

/// The code of the Failure that `function` throws; no value if it throws none.
template <typename Function>
std::optional<DiagnosticCode> code_of(Function function) {
  try {
    static_cast<void>(function());
    return std::nullopt;
  } catch (const base::Failure& failure) {
    return failure.code();
  }
}

}  // namespace onnx2ir
