#include "ir/graph.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <iterator>
#include <vector>

#include "base/memory_budget.hpp"
#include "ir/body.hpp"

namespace onnx2ir::ir {
namespace {

/// Appends `graph` to `graphs`, after all bodies of its nodes.
void collect(Graph& graph, std::vector<Graph*>& graphs) {
  for (Node* node : graph.control_flow()) {
    for (const Body* body : bodies(*node)) collect(*body->graph, graphs);
  }
  graphs.push_back(&graph);
}

[[maybe_unused]] std::vector<Graph*> collected(Graph& graph) {
  std::vector<Graph*> graphs;
  collect(graph, graphs);
  return graphs;
}

}  // namespace

void NodeDeleter::operator()(Node* node) const {
  NodeStorage& storage = node->graph().shared_->nodes;
  std::destroy_at(node);
  storage.release(node);
}

Graph::Graph() : shared_(std::make_shared<SharedByGraphs>(sizeof(Node))) {}
Graph::Graph(const Graph* outer) : shared_(outer->shared_) {}
Graph::~Graph() = default;

std::unique_ptr<Graph> Graph::make_body() const {
  return std::unique_ptr<Graph>(new Graph(this));
}

void Graph::set_emitter(std::uint16_t emitter) {
  shared_->nodes.emitter = emitter;
}

void Graph::reserve(std::size_t nodes) {
  nodes_.reserve(nodes);
}

Node& Graph::add(const OpDescriptor& op, std::span<const Value> inputs, std::size_t output_count) {
  base::charge_permanently(sizeof(Node) + inputs.size() * sizeof(Value) + output_count * sizeof(Output));
  nodes_.push_back(NodePointer(new (shared_->nodes.allocate()) Node(op, *this, inputs, output_count)));
  Node& node = *nodes_.back();
  node.emitter = shared_->nodes.emitter;
  may_have_stale_nodes = true;
  may_have_dead_nodes = true;
  // Most graphs are bodies with a few of each.
  constexpr std::size_t kFew = 4;
  if (node.is(ops::Parameter)) {
    if (parameters_.empty()) parameters_.reserve(kFew);
    parameters_.push_back(&node);
  }
  if (node.is(ops::Result)) {
    if (results_.empty()) results_.reserve(kFew);
    results_.push_back(&node);
  }
  if (node.op().traits.has_bodies) {
    control_flow_.push_back(&node);
    shared_->graphs.clear();
  }
  operations_.add(op.id);
  shared_->operations.add(op.id);
  return node;
}

std::vector<Graph*> Graph::with_bodies() {
  std::vector<Graph*>& graphs = shared_->graphs;
  if (graphs.empty()) collect(*this, graphs);
  assert(graphs == collected(*this));
  return graphs;
}

std::size_t Graph::remove_dead_nodes() {
  if (!may_have_dead_nodes) return 0;
  may_have_dead_nodes = false;
  // In reverse order, so that the users of a node are known to be dead before it. `scratch`: 1 if dead.
  for (const auto& node : nodes_) node->scratch = 0;
  std::vector<Node*> dead;
  const auto is_dead = [](const Output& output) {
    return std::ranges::all_of(output.uses, [](const Use& use) { return use.node->scratch == 1; });
  };
  for (auto it = nodes_.rbegin(); it != nodes_.rend(); ++it) {
    Node& node = **it;
    node.scratch = !node.op().traits.is_kept && std::ranges::all_of(node.outputs_, is_dead) ? 1 : 0;
    if (node.scratch == 1) dead.push_back(&node);
  }
  if (dead.empty()) return 0;
  forget(dead, [](const Node* node) { return node->scratch == 1; });
  std::erase_if(nodes_, [](const auto& owned) { return owned->scratch == 1; });
  return dead.size();
}

void Graph::remove(Node& node) {
  Node* const one = &node;
  const auto owned =
      std::find_if(nodes_.rbegin(), nodes_.rend(), [&](const auto& own) { return own.get() == one; });
  ++removals_;
  forget({&one, 1}, [&](const Node* other) { return other == one; });
  nodes_.erase(std::prev(owned.base()));
}

void Graph::remove(std::span<Node* const> nodes) {
  if (nodes.empty()) return;
  std::vector<const Node*> removed(nodes.begin(), nodes.end());
  std::ranges::sort(removed, std::less<>());
  const auto is_removed = [&](const Node* node) {
    return std::ranges::binary_search(removed, node, std::less<>());
  };
  ++removals_;
  forget(nodes, is_removed);
  std::erase_if(nodes_, [&](const auto& owned) { return is_removed(owned.get()); });
}

template <typename IsRemoved>
void Graph::forget(std::span<Node* const> nodes, IsRemoved is_removed) {
  // Each value is searched once for all of its uses: drop_use() for each of n uses would search n times.
  std::vector<Value> read;
  bool has_parameters = false;
  bool has_results = false;
  bool has_bodies = false;
  for (Node* node : nodes) {
    for (const Value& input : node->inputs_) {
      if (input) read.push_back(input);
    }
    node->inputs_.clear();
    has_parameters = has_parameters || node->is(ops::Parameter);
    has_results = has_results || node->is(ops::Result);
    has_bodies = has_bodies || node->op().traits.has_bodies;
  }
  std::ranges::sort(read, std::less<>(), [](const Value& value) { return &value.output(); });
  read.erase(std::unique(read.begin(), read.end()), read.end());
  for (const Value& value : read) {
    value.output().uses.erase_if([&](const Use& use) { return is_removed(use.node); });
    if (!value.node->has_uses() && !is_removed(value.node)) may_have_dead_nodes = true;
  }
  assert(std::ranges::none_of(nodes, &Node::has_uses));
  if (has_parameters) std::erase_if(parameters_, is_removed);
  if (has_results) std::erase_if(results_, is_removed);
  if (has_bodies) {
    std::erase_if(control_flow_, is_removed);
    shared_->graphs.clear();
  }
}

bool Graph::is_sorted() const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i]->scratch = static_cast<std::int64_t>(i);
  const auto follows_inputs = [](const NodePointer& node) {
    return std::ranges::all_of(node->inputs_, [&](const Value& input) {
      return input.node == nullptr || input.node->scratch < node->scratch;
    });
  };
  return std::ranges::all_of(nodes_, follows_inputs) &&
         std::ranges::is_sorted(control_flow_, {}, &Node::scratch);
}

void Graph::sort() {
  if (!may_be_unsorted) return;
  may_be_unsorted = false;
  if (is_sorted()) return;
  // Depth-first search over inputs, in the present order. `scratch`: 0 new, 1 on the stack, from 2 on placed.
  for (const auto& node : nodes_) node->scratch = 0;
  constexpr std::int64_t kPlaced = 2;
  std::int64_t next_position = kPlaced;
  base::SmallVector<std::pair<Node*, std::size_t>, 16> stack;
  for (const auto& root : nodes_) {
    if (root->scratch != 0) continue;
    stack.emplace_back(root.get(), 0);
    root->scratch = 1;
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == node->inputs_.size()) {
        node->scratch = next_position++;
        stack.pop_back();
        continue;
      }
      Node* const input = node->inputs_[next++].node;
      if (input != nullptr && input->scratch == 1) {
        throw base::InternalError("the graph has a cycle through " + std::string(input->op().name) + " '" +
                                  input->name + "'");
      }
      if (input != nullptr && input->scratch == 0) {
        input->scratch = 1;
        stack.emplace_back(input, 0);
      }
    }
  }
  std::vector<NodePointer> sorted(nodes_.size());
  for (auto& node : nodes_) {
    const auto position = static_cast<std::size_t>(node->scratch - kPlaced);
    sorted[position] = std::move(node);
  }
  nodes_ = std::move(sorted);
  std::ranges::sort(control_flow_, {}, &Node::scratch);
  shared_->graphs.clear();
}

}  // namespace onnx2ir::ir
