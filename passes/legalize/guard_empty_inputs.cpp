// Puts StringTensorUnpack, StringTensorPack and Unique into an If if their input may be empty. The CPU plugin
// does not run StringTensorUnpack and Unique on empty inputs: their outputs keep the values of the previous
// inference, and have no sizes in the first one. StringTensorPack fails in the first inference (measured on
// 2026.4: tests/faults).
#include <algorithm>
#include <vector>

#include "ir/inference.hpp"
#include "ir/views/indexing.hpp"
#include "passes/finished_forms.hpp"
#include "passes/passes.hpp"
#include "passes/pattern.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

using ir::Values;

bool may_be_empty(const ir::PartialShape& shape) {
  return !shape.has_rank() ||
         std::any_of(shape.begin(), shape.end(), [](const ir::Dimension& size) { return size.min == 0; });
}

/// An empty string tensor of the shape of `places`.
Values pack_empty(ir::Builder& builder, ir::Value places, const PassContext& context) {
  const ir::Value none = ir::emit_empty_constant(builder, ir::ElementType::string, {0});
  // A Reshape would fail if a state of a Loop begins with a static size above 0: inference begins with it.
  if (places.shape().has_rank() && places.shape().rank() == 1) return {none};
  const ir::Value sizes = ir::compute_shape_of(builder, places);
  if (!context.has(Fault::empty_reshape_in_first_run)) return {ir::reshape(builder, none, sizes)};
  // Reshape in two steps, because the shape of the first has only one zero.
  const ir::Value more = ir::concat(builder, {sizes, builder.integers({1})});
  return {ir::reshape(builder, ir::reshape(builder, none, more), sizes)};
}

Values unpack_empty(ir::Builder& builder, ir::Value texts) {
  const auto fill_places = [&] {
    const ir::Value sizes = ir::compute_shape_of(builder, texts);
    return ir::fill(builder, 0, ir::ElementType::i32, sizes);
  };
  return {fill_places(), fill_places(), ir::emit_empty_constant(builder, ir::ElementType::u8, {0})};
}

/// The outputs of Unique with an axis, for empty data. Slices without elements are equal: there is one unique
/// slice if the axis is not empty.
Values find_unique_slice(ir::Builder& builder, const ir::Node& unique, ir::Value data, ir::Value axis) {
  constexpr std::int64_t kAny = std::int64_t{1} << 30U;
  std::vector<std::int64_t> limits(data.shape().rank(), kAny);
  limits[ir::normalize_axis(ir::exact_values(axis)->front(), limits.size())] = 1;
  const ir::Value sizes = ir::compute_shape_of(builder, data);
  const ir::Value found = builder.op(ops::Minimum, {sizes, builder.integers(limits)});
  const auto select_along = [&](ir::Value all) {
    return ir::gather(builder, all, builder.integers({ir::exact_values(axis)->front()}));
  };
  const auto fill_zeros = [&](std::size_t output, ir::Value shape) {
    return ir::fill(builder, 0, unique.output(output).type, shape);
  };
  const ir::Value count = ir::convert(builder, select_along(sizes), unique.output(3).type);
  return {fill_zeros(0, found), fill_zeros(1, select_along(found)), fill_zeros(2, select_along(sizes)),
          ir::broadcast_to(builder, count, select_along(found))};
}

/// The outputs of `node` for empty `data`.
Values emit_outputs_for_empty(ir::Builder& builder, const ir::Node& node, ir::Value data,
                              const PassContext& context) {
  if (node.is(ops::StringTensorUnpack)) return unpack_empty(builder, data);
  if (node.is(ops::StringTensorPack)) return pack_empty(builder, data, context);
  if (const ir::Value axis = ir::UniqueView(node).axis()) return find_unique_slice(builder, node, data, axis);
  Values lists;
  for (const ir::Output& output : node.outputs())
    lists.push_back(ir::emit_empty_constant(builder, output.type, {0}));
  return lists;
}

/// A copy of the operation in a branch. The axis of Unique is a constant.
Values clone_in_branch(ir::Builder& builder, const ir::Node& node, Values inputs) {
  builder.set_name(node.name);
  if (inputs.size() < node.inputs().size())
    inputs.push_back(builder.integers(*ir::exact_values(ir::UniqueView(node).axis())));
  ir::Node& copy = builder.clone(node, inputs);
  copy.notes.add(ir::Note::not_empty);
  return copy.values();
}

Values emit_if(ir::Builder& builder, const ir::Node& node, const PassContext& context) {
  const ir::Value smallest =
      ir::reduce(builder, ops::ReduceMin, ir::compute_shape_of(builder, node.input(0)), {0});
  const ir::Value has_elements = builder.op(ops::NotEqual, {smallest, builder.integer(0)});
  const auto read = node.is(ops::Unique) ? node.inputs().first(1) : node.inputs();
  const auto emit_node = [&](ir::Builder& branch, const Values& inner) {
    return clone_in_branch(branch, node, inner);
  };
  const auto emit_empty = [&](ir::Builder& branch, const Values& inner) {
    return emit_outputs_for_empty(branch, node, inner[0], context);
  };
  const Values inputs(read.begin(), read.end());
  return ir::add_if(builder, has_elements, inputs, emit_node, emit_empty).node().values();
}

Fault fault_of(const ir::Node& node) {
  if (node.is(ops::StringTensorPack)) return Fault::empty_string_pack;
  return node.is(ops::StringTensorUnpack) ? Fault::empty_string_unpack : Fault::empty_unique;
}

/// The value that replaces the first output of `node`; the other outputs are replaced as well.
ir::Value guard(ir::Builder& builder, ir::Node& node, const PassContext& context) {
  const ir::Value data = node.input(0);
  // The runtime takes no other axis, and none of data of unknown rank.
  const ir::Value axis = node.is(ops::Unique) ? ir::UniqueView(node).axis() : ir::Value{};
  const bool has_known_axis = !axis || (data.shape().has_rank() && ir::exact_values(axis));
  if (!has_known_axis || !context.has(fault_of(node)) || node.notes.contains(ir::Note::not_empty) ||
      !may_be_empty(data.shape()))
    return {};
  const bool is_empty = data.shape().element_count() == 0;
  const Values outputs =
      is_empty ? emit_outputs_for_empty(builder, node, data, context) : emit_if(builder, node, context);
  for (std::size_t i = 1; i < outputs.size(); ++i) ir::replace_all_uses(node.value(i), outputs[i]);
  return outputs[0];
}

}  // namespace

ir::Value data_of_smallest_size(ir::Value size) {
  ir::Value data;
  return matches(size, op(ops::ReduceMin, op(ops::ShapeOf, any(data)))) ? data : ir::Value{};
}

bool guard_empty_inputs(ir::Model& model, PassContext& context) {
  return rewrite_values(model, {ops::StringTensorUnpack, ops::StringTensorPack, ops::Unique},
                        [&](ir::Builder& builder, ir::Node& node) { return guard(builder, node, context); });
}

}  // namespace onnx2ir::passes
