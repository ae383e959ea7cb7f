// How many cases of the ONNX backend suite pass, by operator: compiled in from
// tests/conformance/suite_results.txt.
#pragma once

#include <span>
#include <string_view>

#include "onnx2ir/onnx2ir.hpp"

namespace onnx2ir {

struct SuiteRow {
  std::string_view name;  ///< with its domain: "ai.onnx.ml.Scaler"
  SuiteResults results;
};

std::span<const SuiteRow> suite_table();

}  // namespace onnx2ir
