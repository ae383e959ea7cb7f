#include "frontend/graph/unused_if_outputs.hpp"

#include <algorithm>
#include <deque>

#include "frontend/reader/bodies.hpp"
#include "frontend/reader/onnx_proto.hpp"

namespace onnx2ir::frontend {
namespace {

using onnx::GraphProto;
using onnx::NodeProto;

/// A graph and the graph that encloses it.
struct Scope {
  const GraphProto* graph;
  const Scope* outer;
  const NodeProto* owner;  ///< the node of `outer` that contains the graph; null for the outermost graph
};

/// A branch of an If that is known to be taken.
struct Decision {
  const NodeProto* node;
  const Scope* scope;
  bool is_then;
};

/// The definition of a name: a node, or an input or initializer of a graph.
struct Definition {
  const Scope* scope = nullptr;
  const NodeProto* node = nullptr;
  int output = 0;
};

bool is_if(const NodeProto& node) {
  return node.op_type() == "If" && node.input_size() == 1;
}

const GraphProto* branch_of(const NodeProto& node, bool is_then) {
  const onnx::AttributeProto* const branch = find_attribute(node, is_then ? "then_branch" : "else_branch");
  return branch != nullptr && branch->has_g() ? &branch->g() : nullptr;
}

std::optional<bool> only_element(const onnx::TensorProto& tensor) {
  if (tensor.data_type() != onnx::TensorProto::BOOL) return std::nullopt;
  if (tensor.has_raw_data() && tensor.raw_data().size() == 1) return tensor.raw_data().front() != 0;
  if (tensor.int32_data_size() == 1) return tensor.int32_data(0) != 0;
  return std::nullopt;
}

class Analysis {
 public:
  Analysis(const GraphTranslator& scope, const NodeProto& node, bool is_then) {
    add_scopes(scope);
    decisions_.push_back({&node, &scopes_.front(), is_then});
  }

  bool is_unused_if_taken(const NodeProto& node, int output) const {
    return is_unused_if_taken(scopes_.front(), node.output(output));
  }

 private:
  /// Adds the graph of `translator` and the enclosing graphs. The branches of enclosing Ifs are decided.
  void add_scopes(const GraphTranslator& translator) {
    for (const GraphTranslator* at = &translator; at != nullptr && at->proto() != nullptr;
         at = at->parent()) {
      scopes_.push_back({at->proto(), nullptr, at->owner()});
    }
    for (std::size_t i = 0; i + 1 < scopes_.size(); ++i) {
      Scope& scope = scopes_[i];
      scope.outer = &scopes_[i + 1];
      if (!is_if(*scope.owner)) continue;
      decisions_.push_back({scope.owner, scope.outer, branch_of(*scope.owner, true) == scope.graph});
    }
  }

  bool is_unused_if_taken(const Scope& scope, const std::string& name) const {
    for (const NodeProto& node : scope.graph->node()) {
      if (std::ranges::find(node.input(), name) != node.input().end()) return false;
      if (!body_reads(node, name)) continue;
      const auto taken = is_if(node) ? evaluate(scope, node.input(0), 0) : std::nullopt;
      const GraphProto* branch = taken ? branch_of(node, *taken) : nullptr;
      if (branch == nullptr || reads(*branch, name)) return false;
    }
    for (int i = 0; i < scope.graph->output_size(); ++i) {
      if (scope.graph->output(i).name() != name) continue;
      if (scope.owner == nullptr || !is_if(*scope.owner)) return false;
      if (i < scope.owner->output_size() && !is_unused_if_taken(*scope.outer, scope.owner->output(i)))
        return false;
    }
    return true;
  }

  static Definition find(const Scope& scope, const std::string& name) {
    for (const Scope* at = &scope; at != nullptr; at = at->outer) {
      for (const NodeProto& node : at->graph->node()) {
        for (int i = 0; i < node.output_size(); ++i) {
          if (node.output(i) == name) return {at, &node, i};
        }
      }
      const auto is_named = [&](const auto& value) { return value.name() == name; };
      if (std::ranges::any_of(at->graph->input(), is_named) ||
          std::ranges::any_of(at->graph->initializer(), is_named)) {
        return {at};
      }
    }
    return {};
  }

  /// The original of `name`, a condition, if it is a copy of another value.
  static std::pair<Definition, std::string> source(const Scope& scope, std::string name) {
    Definition found = find(scope, name);
    for (int depth = 0; depth < kLargestDepth && found.node != nullptr; ++depth) {
      const bool is_copy = found.node->op_type() == "Identity" || found.node->op_type() == "Cast";
      if (!is_copy || found.node->input_size() != 1) break;
      name = found.node->input(0);
      found = find(*found.scope, name);
    }
    return {found, std::move(name)};
  }

  /// The value of the condition `name` if the decisions determine it.
  std::optional<bool> evaluate(const Scope& scope, const std::string& name, int depth) const {
    const auto [found, original] = source(scope, name);
    if (found.scope == nullptr || depth > kLargestDepth) return std::nullopt;
    for (const Decision& decision : decisions_) {
      const auto [other, other_name] = source(*decision.scope, decision.node->input(0));
      if (other.scope == found.scope && other.node == found.node && other_name == original) {
        return decision.is_then;
      }
    }
    if (found.node == nullptr) {
      for (const onnx::TensorProto& initializer : found.scope->graph->initializer()) {
        if (initializer.name() == original) return only_element(initializer);
      }
      return std::nullopt;
    }
    const NodeProto& node = *found.node;
    if (node.op_type() == "Constant" && node.attribute_size() == 1 && node.attribute(0).has_t()) {
      return only_element(node.attribute(0).t());
    }
    if (node.op_type() == "Not" && node.input_size() == 1) {
      const auto negated = evaluate(*found.scope, node.input(0), depth + 1);
      return negated ? std::optional(!*negated) : std::nullopt;
    }
    if (is_if(node)) return evaluate_if(found, depth);
    return std::nullopt;
  }

  std::optional<bool> evaluate_if(const Definition& found, int depth) const {
    const auto decided = std::ranges::find(decisions_, found.node, &Decision::node);
    const auto taken = decided != decisions_.end() ? std::optional(decided->is_then)
                                                   : evaluate(*found.scope, found.node->input(0), depth + 1);
    const GraphProto* branch = taken ? branch_of(*found.node, *taken) : nullptr;
    if (branch == nullptr || branch->output_size() <= found.output) return std::nullopt;
    // Use the existing scope of the same graph, so that definitions in it compare equal.
    const auto known = std::ranges::find(scopes_, branch, &Scope::graph);
    if (known != scopes_.end()) return evaluate(*known, branch->output(found.output).name(), depth + 1);
    const Scope inner{branch, found.scope, found.node};
    return evaluate(inner, branch->output(found.output).name(), depth + 1);
  }

  static constexpr int kLargestDepth = 100;

  std::deque<Scope> scopes_;  ///< the innermost first
  std::vector<Decision> decisions_;
};

}  // namespace

bool is_unused_if_taken(const GraphTranslator& scope, const NodeProto& node, std::string_view attribute,
                        int index) {
  if (scope.proto() == nullptr) return false;
  return Analysis(scope, node, attribute == "then_branch").is_unused_if_taken(node, index);
}

}  // namespace onnx2ir::frontend
