#include "passes/loop_ports.hpp"

#include <algorithm>

#include "ir/builder.hpp"
#include "ir/inference.hpp"

namespace onnx2ir::passes {
namespace {

template <typename Port>
void close_input_gap(std::vector<Port>& ports, std::uint32_t removed) {
  for (Port& port : ports) {
    if (port.input > removed) --port.input;
  }
}

void drop_unused(ir::Graph& body, std::vector<ir::Invariant>& invariants, std::vector<std::uint32_t>& freed) {
  std::vector<ir::Node*> dead;
  std::erase_if(invariants, [&](const ir::Invariant& invariant) {
    if (invariant.parameter->has_uses()) return false;
    freed.push_back(invariant.input);
    dead.push_back(invariant.parameter);
    return true;
  });
  body.remove(dead);
}

ir::Value add_invariant(ir::Node& node, ir::Graph& body, std::vector<ir::Invariant>& invariants,
                        ir::Value outer) {
  ir::Builder builder(body);
  builder.set_name(outer.node->name);
  const ir::Value parameter = builder.parameter(outer.type(), outer.shape());
  node.add_input(outer);
  invariants.push_back({static_cast<std::uint32_t>(node.inputs().size() - 1), parameter.node});
  return parameter;
}

}  // namespace

void remove_input(ir::Node& node, std::uint32_t index) {
  if (ir::LoopBody* loop = node.loop()) {
    close_input_gap(loop->carried, index);
    close_input_gap(loop->invariants, index);
    close_input_gap(loop->sliced, index);
  }
  if (ir::IfBranches* branches = node.branches()) {
    close_input_gap(branches->then_branch.invariants, index);
    close_input_gap(branches->else_branch.invariants, index);
  }
  node.remove_input(index);
}

void remove_output(ir::Node& node, std::uint32_t index) {
  if (ir::LoopBody* loop = node.loop()) {
    for (ir::Carried& state : loop->carried) {
      if (state.output && *state.output > index) --*state.output;
    }
    for (ir::Scan& scan : loop->scans) {
      if (scan.output > index) --scan.output;
    }
    for (ir::LastValue& last : loop->last_values) {
      if (last.output > index) --last.output;
    }
  }
  if (ir::IfBranches* branches = node.branches()) {
    for (ir::Branch* branch : {&branches->then_branch, &branches->else_branch}) {
      branch->results.erase(branch->results.begin() + index);
    }
  }
  node.remove_output(index);
}

ir::Value add_invariant(ir::Node& loop, ir::Value outer) {
  return add_invariant(loop, *loop.loop()->graph, loop.loop()->invariants, outer);
}

ir::Value add_invariant(ir::Node& choice, ir::Branch& branch, ir::Value outer) {
  return add_invariant(choice, *branch.graph, branch.invariants, outer);
}

bool remove_unused_invariants(ir::Node& node) {
  std::vector<std::uint32_t> freed;
  if (ir::LoopBody* loop = node.loop()) drop_unused(*loop->graph, loop->invariants, freed);
  if (ir::IfBranches* branches = node.branches()) {
    for (ir::Branch* branch : {&branches->then_branch, &branches->else_branch}) {
      drop_unused(*branch->graph, branch->invariants, freed);
    }
  }
  std::sort(freed.rbegin(), freed.rend());
  for (const std::uint32_t input : freed) remove_input(node, input);
  return !freed.empty();
}

bool is_read(const ir::Use& use) {
  const auto reads = [&](const auto& ports) {
    return std::ranges::any_of(
        ports, [&](const auto& port) { return port.input == use.index && is_read(port.parameter->value()); });
  };
  if (const ir::LoopBody* loop = use.node->loop())
    return use.index < 2 || reads(loop->carried) || reads(loop->invariants) || reads(loop->sliced);
  if (const ir::IfBranches* branches = use.node->branches())
    return use.index < 1 || reads(branches->then_branch.invariants) ||
           reads(branches->else_branch.invariants);
  return true;
}

bool is_read(ir::Value value) {
  return std::ranges::any_of(value.node->output(value.index).uses,
                             [](const ir::Use& use) { return is_read(use); });
}

ir::Value copy_of(ir::Builder& builder, ir::Value value) {
  const bool is_boolean = value.type() == ir::ElementType::boolean;
  return builder.op(is_boolean ? ops::LogicalOr : ops::Maximum, {value, value});
}

ir::Value whether_it_runs(ir::Builder& builder, const ir::Node& loop) {
  const ir::Value zero = builder.integer(0, loop.input(0).type());
  const auto condition = ir::known_scalar(loop.input(1));
  const auto count = ir::known_scalar(loop.input(0));
  if (count && *count != 0) return loop.input(1);
  const ir::Value counts = builder.op(ops::NotEqual, {loop.input(0), zero});
  return condition && *condition != 0 ? counts : builder.op(ops::LogicalAnd, {counts, loop.input(1)});
}

ir::Value no_rows(ir::Builder& builder, const ir::Scan& scan) {
  const ir::Output& row = scan.result->output(0);
  std::vector<std::int64_t> shape;
  for (const ir::Dimension& dimension : row.shape)
    shape.push_back(dimension.is_static() ? dimension.size() : 0);
  shape[ir::normalize_axis(scan.axis, shape.size())] = 0;
  return builder.constant(row.type, shape, ir::ConstantData(std::vector<std::byte>{}));
}

}  // namespace onnx2ir::passes
