#include "passes/analysis/unfolded_constants.hpp"

#include <cstddef>
#include <vector>

#include "ir/operation_set.hpp"

namespace onnx2ir::passes {
namespace {

/// Operations that all releases fold, so that their results are constants for the plugin. Others cost a copy
/// at most.
constexpr ir::OperationSet kFolded{
    ops::Abs,        ops::Add,        ops::Broadcast, ops::Clamp,      ops::Concat,       ops::Convert,
    ops::Cos,        ops::Divide,     ops::Equal,     ops::Erf,        ops::Exp,          ops::FakeQuantize,
    ops::Floor,      ops::FloorMod,   ops::Gather,    ops::Greater,    ops::Less,         ops::Log,
    ops::LogicalAnd, ops::LogicalNot, ops::LogicalOr, ops::MatMul,     ops::Maximum,      ops::Minimum,
    ops::Multiply,   ops::Negative,   ops::NotEqual,  ops::Pad,        ops::Power,        ops::Range,
    ops::ReduceMax,  ops::ReduceMean, ops::ReduceMin, ops::ReduceProd, ops::ReduceSum,    ops::ReLU,
    ops::Reshape,    ops::Select,     ops::ShapeOf,   ops::Sigmoid,    ops::Sign,         ops::Sin,
    ops::Slice,      ops::SoftMax,    ops::Split,     ops::Sqrt,       ops::Squeeze,      ops::Subtract,
    ops::Tanh,       ops::Tile,       ops::Transpose, ops::Unsqueeze,  ops::VariadicSplit};

}  // namespace

bool may_stay_unfolded(ir::Value value) {
  constexpr std::size_t kMostNodes = 64;
  if (!ir::is_computed_from_constants(value)) return false;
  std::vector<const ir::Node*> steps = {value.node};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i]->constant() != nullptr) continue;
    if (!steps[i]->is_one_of(kFolded) || steps.size() > kMostNodes) return true;
    for (const ir::Value input : steps[i]->inputs()) steps.push_back(input.node);
  }
  return false;
}

}  // namespace onnx2ir::passes
