#include <algorithm>
#include <cassert>
#include <iterator>
#include <vector>

#include "ir/builder.hpp"
#include "ir/graph.hpp"
#include "ir/view.hpp"

namespace onnx2ir::ir {
namespace {

void add_use(Value value, Node& user, std::size_t index) {
  if (value) value.node->output(value.index).uses.push_back({&user, static_cast<std::uint32_t>(index)});
}

void note_if_unused(Value value) {
  if (value.output().uses.empty()) value.node->graph().may_have_dead_nodes = true;
}

void drop_use(Value value, const Node& user, std::size_t index) {
  if (!value) return;
  auto& uses = value.node->output(value.index).uses;
  // Search from the end: uses are mostly removed in the reverse order of their creation.
  Use* found = uses.end();
  do {
    assert(found != uses.begin());
    --found;
  } while (found->node != &user || found->index != index);
  uses.erase(found);
  note_if_unused(value);
}

void move_names(Output& from, Output& to) {
  for (std::string& name : from.names) to.names.push_back(std::move(name));
  from.names.clear();
}

bool is_variable(Value value) {
  return value.node != nullptr && !value.node->is_computed_from_constants();
}

}  // namespace

void fail_of_null_value() {
  throw base::InternalError("an absent value is used");
}

void fail_view(const Node& node, std::string_view view) {
  throw base::InternalError("a " + std::string(node.op().name) + " is accessed as " + std::string(view));
}

Node::Node(const OpDescriptor& op, Graph& graph, std::span<const Value> inputs, std::size_t output_count)
    : op_(&op), outputs_(output_count), inputs_(inputs.begin(), inputs.end()), graph_(&graph) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) add_use(inputs_[i], *this, i);
  variable_inputs_ = count_variable_inputs(*this);
}

Node::~Node() = default;

std::uint32_t count_variable_inputs(const Node& node) {
  const Traits& traits = node.op().traits;
  if (node.is(ops::Const)) return 0;
  if (node.inputs().empty() || traits.is_volatile || traits.has_bodies) return 1;
  return static_cast<std::uint32_t>(std::ranges::count_if(node.inputs(), is_variable));
}

void Node::add_variable_inputs(int added) {
  if (added == 0 || op_->traits.is_volatile || op_->traits.has_bodies) return;
  const auto change = static_cast<std::uint32_t>(added);  // modulo 2^32
  const auto flips = [&](Node& node) {
    const bool was_constant = node.is_computed_from_constants();
    node.variable_inputs_ += change;
    return was_constant != node.is_computed_from_constants();
  };
  if (!flips(*this)) return;
  std::vector<const Node*> flipped{this};
  while (!flipped.empty()) {
    const Node& node = *flipped.back();
    flipped.pop_back();
    for (const Output& output : node.outputs_) {
      for (const Use& use : output.uses) {
        const Traits& traits = use.node->op().traits;
        if (traits.is_volatile || traits.has_bodies) continue;
        if (flips(*use.node)) flipped.push_back(use.node);
      }
    }
  }
}

void Node::set_input(std::size_t index, Value value) {
  const int added = static_cast<int>(is_variable(value)) - static_cast<int>(is_variable(inputs_[index]));
  drop_use(inputs_[index], *this, index);
  inputs_[index] = value;
  graph_->may_be_unsorted = true;
  mark_stale(*this);
  add_use(value, *this, index);
  add_variable_inputs(added);
}

void Node::add_input(Value value) {
  inputs_.push_back(value);
  graph_->may_be_unsorted = true;
  mark_stale(*this);
  add_use(value, *this, inputs_.size() - 1);
  add_variable_inputs(static_cast<int>(is_variable(value)) - (inputs_.size() == 1 ? 1 : 0));
}

void Node::remove_input(std::size_t index) {
  const int removed = static_cast<int>(is_variable(inputs_[index]));
  drop_use(inputs_[index], *this, index);
  for (std::size_t i = index + 1; i < inputs_.size(); ++i) {
    for (Use& use : inputs_[i].node->output(inputs_[i].index).uses) {
      if (use.node == this && use.index == i) use.index = static_cast<std::uint32_t>(i - 1);
    }
  }
  inputs_.erase(inputs_.begin() + index);
  mark_stale(*this);
  add_variable_inputs((inputs_.empty() ? 1 : 0) - removed);
}

void Node::remove_inputs() {
  while (!inputs_.empty()) remove_input(inputs_.size() - 1);
}

Values Node::values() {
  Values values;
  for (std::size_t i = 0; i < outputs_.size(); ++i) values.push_back(value(i));
  return values;
}

Value Node::add_output() {
  outputs_.emplace_back();
  mark_stale(*this);
  return value(outputs_.size() - 1);
}

void Node::remove_output(std::size_t index) {
  assert(outputs_[index].uses.empty());
  for (std::size_t i = index + 1; i < outputs_.size(); ++i) {
    for (const Use& use : outputs_[i].uses) --use.node->inputs_[use.index].index;
  }
  outputs_.erase(outputs_.begin() + index);
  graph_->may_have_dead_nodes = true;
}

const AttributeValue* Node::find_attribute(std::string_view attribute_name) const {
  for (const Attribute& attribute : attributes()) {
    if (attribute.name == attribute_name) return &attribute.value;
  }
  return nullptr;
}

template <typename T>
const T& Node::value_of(AttributeName attribute) const {
  const T* const value = std::get_if<T>(find_attribute(attribute.text()));
  if (value == nullptr) {
    throw base::InternalError(std::string(op_->name) + " has no attribute '" + std::string(attribute.text()) +
                              "' of the type that is read");
  }
  return *value;
}

template const bool& Node::value_of(AttributeName attribute) const;
template const std::int64_t& Node::value_of(AttributeName attribute) const;
template const double& Node::value_of(AttributeName attribute) const;
template const std::string& Node::value_of(AttributeName attribute) const;
template const std::vector<std::int64_t>& Node::value_of(AttributeName attribute) const;
template const std::vector<double>& Node::value_of(AttributeName attribute) const;
template const std::vector<std::string>& Node::value_of(AttributeName attribute) const;
template const ElementType& Node::value_of(AttributeName attribute) const;

void Node::set_attribute(Attribute attribute) {
  mark_stale(*this);
  // Attributes are kept in the order of the descriptor, and refer to the descriptor's copy of the name.
  if (attributes_ == nullptr) attributes_ = std::make_unique<std::vector<Attribute>>();
  attributes_->reserve(op_->attributes.size());
  auto position = attributes_->begin();
  for (const AttributeSpec& spec : op_->attributes) {
    const bool present = position != attributes_->end() && position->name == spec.name;
    if (spec.name != attribute.name) {
      if (present) ++position;
      continue;
    }
    if (attribute.value.index() != static_cast<std::size_t>(spec.kind)) break;
    if (present) {
      position->value = std::move(attribute.value);
    } else {
      attributes_->insert(position, {spec, std::move(attribute.value)});
    }
    return;
  }
  throw base::InternalError(std::string(op_->name) + " has no attribute " + std::string(attribute.name) +
                            " of that kind");
}

void Node::set_payload(Payload payload) {
  payload_ = std::make_unique<Payload>(std::move(payload));
  if (op().traits.has_bodies) graph().shared_->graphs.clear();
  mark_stale(*this);
  mark_readers_stale(*this);
}
void Node::set_payload(LoopBody body) {
  set_payload(Payload(std::make_unique<LoopBody>(std::move(body))));
}
void Node::set_payload(IfBranches branches) {
  set_payload(Payload(std::make_unique<IfBranches>(std::move(branches))));
}

Payload Node::take_payload() {
  if (op().traits.has_bodies) graph().shared_->graphs.clear();
  return std::move(*std::exchange(payload_, nullptr));
}

void mark_stale(Node& node) {
  node.is_stale = true;
  node.graph().may_have_stale_nodes = true;
  if (node.is_one_of({ops::Concat, ops::Equal})) {
    for (const Use& use : node.output(0).uses) use.node->is_stale = true;
  }
}

void mark_readers_stale(Output& output) {
  for (const Use& use : output.uses) mark_stale(*use.node);
}

void mark_readers_stale(Node& node) {
  for (Output& output : node.outputs()) mark_readers_stale(output);
}

void replace_all_uses(Value from, Value to) {
  if (from == to) return;
  const auto uses = std::exchange(from.output().uses, {});
  replace_uses(uses, from, to);
}

void replace_all_uses(Node& from, std::span<const Value> to) {
  for (std::size_t i = 0; i < from.outputs().size(); ++i) replace_all_uses(from.value(i), to[i]);
}

void replace_uses_except(Value from, Value to, const Node& reader) {
  std::vector<Use> uses;
  std::ranges::copy_if(from.output().uses, std::back_inserter(uses),
                       [&](const Use& use) { return use.node != &reader; });
  replace_uses(uses, from, to);
}

void move_uses(std::span<const Use> uses, Value from, Value to) {
  if (from == to) return;
  to.node->graph().may_be_unsorted = true;
  for (const Use& use : uses) {
    // Not set_input(), which would search the list of uses each time: quadratic instead of linear.
    use.node->inputs_[use.index] = to;
    mark_stale(*use.node);
    to.output().uses.push_back(use);
  }
  from.output().uses.erase_if([&](const Use& use) { return use.node->inputs_[use.index] != from; });
  note_if_unused(from);
  const int added = static_cast<int>(is_variable(to)) - static_cast<int>(is_variable(from));
  for (const Use& use : uses) use.node->add_variable_inputs(added);
}

void replace_uses(std::span<const Use> uses, Value from, Value to) {
  move_uses(uses, from, to);
  move_names(from.output(), to.output());
}

void replace_results(Value from, Value to) {
  std::vector<Use> uses;
  std::ranges::copy_if(from.output().uses, std::back_inserter(uses),
                       [](const Use& use) { return use.node->is(ops::Result); });
  replace_uses(uses, from, to);
}

base::SmallVector<Body*, 2> bodies(Node& node) {
  if (LoopBody* loop = node.loop()) return {loop};
  if (IfBranches* branches = node.branches()) return {&branches->then_branch, &branches->else_branch};
  return {};
}

}  // namespace onnx2ir::ir
