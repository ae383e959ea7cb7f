// The counts of a model as a value in JSON.
#pragma once

#include "json/json.hpp"
#include "onnx2ir/onnx2ir.hpp"

namespace onnx2ir {

/// The fields of Stats, without the diagnostics.
Json json_of(const Stats& stats);

}  // namespace onnx2ir
