// Workaround for stride_before_pad: OpenVINO moves the stride of a Convolution with a kernel of size 1 to the
// operations before it, also if the Convolution pads its data. The pads would then have to be divided by the
// stride, but they stay. Here an average pool with windows of one element separates the Convolution from the
// operations to which the stride would move. A Convolution of one channel that would take a stride, and would
// then have one column, is separated from its users in the same way: convolution_to_one_column. So is one
// whose stride would move to an operation with several outputs, which OpenVINO rejects: stride_to_part.
//
// The strides are followed as in OpenVINO's StridesOptimization: from users to producers, through elementwise
// arithmetic, until a Convolution with a larger kernel or an operation of another kind takes them.
#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/views/joining.hpp"
#include "ir/views/spatial.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/passes.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

using Strides = ir::Integers;

/// The operations of one operand through which strides move.
constexpr ir::OperationSet kUnary{
    ops::Abs, ops::Acos, ops::Acosh, ops::Asin, ops::Asinh, ops::Atan, ops::Atanh, ops::Ceiling, ops::Clamp,
    ops::Elu, ops::Cos, ops::Cosh, ops::Erf, ops::Exp, ops::Floor, ops::Gelu, ops::HSwish, ops::HSigmoid,
    ops::Log, ops::Mish, ops::Round, ops::Negative, ops::ReLU, ops::Sigmoid, ops::Sign, ops::Sin, ops::Sinh,
    ops::Sqrt, ops::Tan, ops::SoftPlus, ops::SoftSign, ops::Tanh,
    // OpenVINO decomposes it into a product and a sum.
    ops::BatchNormInference};

bool is_one(std::int64_t size) {
  return size == 1;
}

/// Whether OpenVINO's pass looks at the strides of this node, a Convolution with static sizes.
bool takes_strides(const ir::Node& node) {
  const auto convolution = ir::match<ir::ConvolutionView>(node);
  if (!convolution) return false;
  const ir::PartialShape& data = convolution->data().shape();
  return data.has_rank() && convolution->filters().shape().is_static() &&
         std::all_of(data.begin() + 2, data.end(),
                     [](const ir::Dimension& size) { return size.is_static(); });
}

bool passes_strides_on(ir::ConvolutionView convolution) {
  const auto filter = convolution.filters().shape().sizes();
  return std::all_of(filter->begin() + 2, filter->end(), is_one);
}

/// What OpenVINO's pass does at an operation with the strides of its users.
enum class Role : std::uint8_t {
  pointwise,   ///< a Convolution with a kernel of size 1, which passes them on with its own
  windowed,    ///< another Convolution, which takes them
  arithmetic,  ///< passes them on
  pad,         ///< passes them on
  other        ///< leaves them to the users
};

Role role_of(const ir::Node& node) {
  if (takes_strides(node)) return passes_strides_on(node) ? Role::pointwise : Role::windowed;
  if (node.op().traits.is_arithmetic || node.is_one_of(kUnary)) return Role::arithmetic;
  return node.is(ops::Pad) ? Role::pad : Role::other;
}

bool has_strides(ir::ConvolutionView convolution) {
  return !std::ranges::all_of(convolution.strides(), is_one);
}

/// The strides of a graph's nodes, users first.
using StridesOfNodes = std::unordered_map<const ir::Node*, Strides>;

/// The strides that `use` gives to the producer of its value; null if there are none.
const Strides* strides_of(const ir::Use& use, const StridesOfNodes& all) {
  const auto found = all.find(use.node);
  const bool has_parameters = use.node->is_one_of({ops::Convolution, ops::BatchNormInference});
  return found == all.end() || (has_parameters && use.index != 0) ? nullptr : &found->second;
}

/// The strides that move to `node` because all its users agree; no strides otherwise.
Strides strides_from_users(const ir::Node& node, const StridesOfNodes& all) {
  const Strides* common = nullptr;
  for (const ir::Output& output : node.outputs()) {
    for (const ir::Use& use : output.uses) {
      const Strides* const strides = strides_of(use, all);
      if (strides == nullptr || (common != nullptr && *strides != *common)) return {};
      common = strides;
    }
  }
  return common == nullptr || std::ranges::all_of(*common, is_one) ? Strides() : *common;
}

/// The strides that `node` gives to its producers; empty if there are none.
Strides passed_strides(const ir::Node& node, Role role, const Strides& from_users) {
  if (role == Role::arithmetic || role == Role::pad) return from_users;
  if (role != Role::pointwise) return {};
  Strides strides = ir::ConvolutionView(node).strides().list();
  for (std::size_t i = 0; i < from_users.size() && i < strides.size(); ++i) strides[i] *= from_users[i];
  return strides;
}

/// Whether the data is a Pad along an axis with a stride: OpenVINO makes its pads those of the Convolution.
bool has_padded_data(ir::ConvolutionView convolution, const Strides& strides) {
  const auto pad = ir::match<ir::PadView>(convolution.data());
  if (!pad) return false;
  const auto begins = ir::exact_values(pad->begins());
  const auto ends = ir::exact_values(pad->ends());
  for (std::size_t i = 0; i < strides.size(); ++i) {
    if (strides[i] > 1 && (!begins || !ends || (*begins)[i + 2] != 0 || (*ends)[i + 2] != 0)) return true;
  }
  return false;
}

/// Whether the Convolution pads an axis along which it or its users have a stride.
bool pads_strided_axis(ir::ConvolutionView convolution, const Strides& strides) {
  if (has_padded_data(convolution, strides)) return true;
  if (convolution.auto_pad() != "explicit") return false;  // the pads of kernels of size 1 are 0
  const auto begins = convolution.pads_begin();
  const auto ends = convolution.pads_end();
  for (std::size_t i = 0; i < strides.size(); ++i) {
    if (strides[i] > 1 && (begins[i] != 0 || ends[i] != 0)) return true;
  }
  return false;
}

/// Fault::convolution_to_one_column: whether a Convolution of one channel has one column if it takes the
/// strides of its users.
bool would_have_one_column(ir::ConvolutionView convolution, const Strides& from_users) {
  const auto filter = convolution.filters().shape().sizes();
  const ir::PartialShape& result = convolution.output(0).shape;
  const std::size_t last = from_users.size() - 1;
  if (from_users.size() < 2 || !filter || (*filter)[1] != 1 || !result.has_rank()) return false;
  const auto strides = convolution.strides();
  return strides[last - 1] * from_users[last - 1] == 1 && from_users[last] > 1 &&
         result[last + 2].min <= from_users[last];
}

/// `reader` if it is a Convolution; if it is a Pad, the Convolution that takes its pads. Null for other
/// readers.
ir::Node* convolution_of(ir::Node& reader) {
  ir::Node* const node = reader.is(ops::Pad) ? only_reader(reader) : &reader;
  return node != nullptr && node->is(ops::Convolution) ? node : nullptr;
}

bool may_be_affected(const ir::Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const ir::NodePointer& node) {
    const Role role = role_of(*node);
    if (role != Role::pointwise && role != Role::windowed) return false;
    const ir::ConvolutionView convolution = *node;
    if (role == Role::windowed) return convolution.filters().shape()[1] == ir::Dimension(1);
    return has_strides(convolution) ||
           pads_strided_axis(convolution, Strides(convolution.strides().size(), 2));
  });
}

/// Whether `value` is one of several outputs of an operation that is not a Split, possibly in another order:
/// OpenVINO removes a Gather of reversed channels before a Convolution.
bool is_moved_part(ir::Value value) {
  constexpr int kMostMoves = 4;
  const auto has_parts = [](const ir::Node& node) { return node.outputs().size() > 1; };
  const auto source = [](const ir::Node& node) {
    const bool is_move = node.is_one_of({ops::Gather, ops::Transpose, ops::Reshape});
    return is_move ? node.input(0) : ir::Value{};
  };
  const ir::Node* const found = find_before(*value.node, has_parts, source, kMostMoves);
  return found != nullptr && !found->is(ops::Split);
}

/// Fault::stride_to_part: the operations through which strides move to an operation with several outputs that
/// is not a Split.
std::unordered_set<const ir::Node*> operations_on_parts(const ir::Graph& graph) {
  std::unordered_set<const ir::Node*> found;
  for (const ir::NodePointer& node : graph.nodes()) {
    const Role role = role_of(*node);
    if (role == Role::windowed || role == Role::other) continue;
    const auto leads_to_part = [&](ir::Value input) {
      return found.contains(input.node) || (role == Role::arithmetic && is_moved_part(input));
    };
    if (std::ranges::any_of(node->inputs(), leads_to_part)) found.insert(node.get());
  }
  return found;
}

/// What would be wrong: Convolutions whose strides would move before their pads or to an operation with
/// several outputs, and Convolutions of one channel that would take the strides of their users.
struct Affected {
  std::vector<ir::Node*> strided;
  std::vector<ir::Node*> of_one_channel;
};

Affected affected_convolutions(const ir::Graph& graph, const PassContext& context) {
  Affected affected;
  StridesOfNodes all;
  std::unordered_set<const ir::Node*> on_parts;
  if (context.has(Fault::stride_to_part)) on_parts = operations_on_parts(graph);
  for (std::size_t i = graph.nodes().size(); i-- > 0;) {
    ir::Node& node = *graph.nodes()[i];
    const Role role = role_of(node);
    const Strides from_users = strides_from_users(node, all);
    if (Strides passed = passed_strides(node, role, from_users); !passed.empty())
      all.emplace(&node, std::move(passed));
    if (role == Role::windowed && context.has(Fault::convolution_to_one_column) && !from_users.empty() &&
        would_have_one_column(node, from_users))
      affected.of_one_channel.push_back(&node);
    if (role == Role::pointwise && (!from_users.empty() || has_strides(node)) &&
        on_parts.contains(ir::ConvolutionView(node).data().node))
      affected.strided.push_back(&node);
    if (role == Role::pad || role == Role::other || from_users.empty()) continue;
    if (!context.has(Fault::stride_before_pad)) continue;
    for (const ir::Use& use : node.output(0).uses) {
      ir::Node* const convolution = convolution_of(*use.node);
      if (convolution != nullptr && pads_strided_axis(*convolution, from_users))
        affected.strided.push_back(convolution);
    }
  }
  return affected;
}

ir::Value emit_unit_pool(ir::Builder& builder, ir::Value value) {
  const std::size_t spatial = value.shape().rank() - 2;
  const Strides ones(spatial, 1);
  const Strides none(spatial, 0);
  return builder.op(ops::AvgPool, {value},
                    {{"kernel", ones.unchecked()},
                     {"strides", ones.unchecked()},
                     {"pads_begin", none.unchecked()},
                     {"pads_end", none.unchecked()},
                     {"exclude-pad", false},
                     {"auto_pad", "explicit"},
                     {"rounding_type", "floor"}});
}

}  // namespace

bool separate_strides(ir::Model& model, PassContext& context) {
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) {
    if (!graph->may_hold({ops::Convolution}) || !may_be_affected(*graph)) continue;
    ir::Builder builder(*graph);
    const Affected affected = affected_convolutions(*graph, context);
    for (ir::Node* convolution : affected.strided) {
      const ir::Value data = ir::ConvolutionView(*convolution).data();
      if (data.node->is(ops::AvgPool)) continue;  // affected by both faults
      builder.set_name(convolution->name);
      convolution->set_input(ir::ConvolutionView::Input::data, emit_unit_pool(builder, data));
      modified = true;
    }
    for (ir::Node* convolution : affected.of_one_channel) {
      builder.set_name(convolution->name);
      const ir::Value copy = emit_unit_pool(builder, convolution->value());
      ir::replace_uses_except(convolution->value(), copy, *copy.node);
      modified = true;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
