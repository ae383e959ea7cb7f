// The rules of separate_fused_operations: where a fusion of OpenVINO that is wrong begins, or through which
// operation it passes.
#pragma once

#include <span>

#include "passes/passes.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {

struct FusionRule {
  Fault fault;
  /// Whether the result of this operation must be kept apart.
  bool (*applies)(const ir::Node& node);
  /// Only graphs with a FakeQuantize have the fault.
  bool is_of_quantized = false;
};

/// The fusions of quantised models, in which OpenVINO moves scales and zero points.
std::span<const FusionRule> quantized_fusion_rules();

}  // namespace onnx2ir::passes
