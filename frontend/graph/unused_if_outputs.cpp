#include "frontend/graph/unused_if_outputs.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frontend/reader/bodies.hpp"
#include "frontend/reader/onnx_proto.hpp"

namespace onnx2ir::frontend {
namespace {

using onnx::GraphProto;
using onnx::NodeProto;

/// A graph and the graph that encloses it.
struct EnclosedGraph {
  const GraphProto* graph;
  const EnclosedGraph* outer;
  const NodeProto* owner;  ///< the node of `outer` that contains the graph; null for the outermost graph
  const NameIndex* names;
};

/// A value: its definition in `scope`, or null if nothing defines `name`.
struct Origin {
  const EnclosedGraph* scope = nullptr;
  NameIndex::Definition definition = {};
  std::string_view name = {};

  bool operator==(const Origin& other) const {
    return scope == other.scope && definition.node == other.definition.node && name == other.name;
  }
};

/// A name, and the graph that uses it or defines it.
using NameInScope = std::pair<const EnclosedGraph*, std::string_view>;

/// A branch of an If that is known to be taken.
struct TakenBranch {
  const NodeProto* node;
  Origin condition;
  bool is_then;
};

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

}  // namespace

/// The uses of the outputs of an If if one of its branches is taken.
class UnusedIfOutputs::Analysis {
 public:
  Analysis(const GraphTranslator& scope, const NodeProto& node, bool is_then)
      : translator_(&scope), node_(&node) {
    add_scopes(scope);
    for (std::size_t i = 0; i + 1 < scopes_.size(); ++i) {
      const EnclosedGraph& inner = scopes_[i];
      if (!is_if(*inner.owner)) continue;
      decisions_.push_back({inner.owner, original(*inner.outer, inner.owner->input(0)),
                            branch_of(*inner.owner, true) == inner.graph});
    }
    decisions_.push_back({&node, original(scopes_.front(), node.input(0)), is_then});
  }

  bool is_unused(int output) { return is_unused(scopes_.front(), node_->output(output)); }

 private:
  /// Adds the graph of `translator` and the enclosing graphs.
  void add_scopes(const GraphTranslator& translator) {
    for (const GraphTranslator* at = &translator; at != nullptr && at->proto() != nullptr;
         at = at->parent()) {
      scopes_.push_back({at->proto(), nullptr, at->owner(), &at->names()});
    }
    for (std::size_t i = 0; i + 1 < scopes_.size(); ++i) scopes_[i].outer = &scopes_[i + 1];
  }

  /// The scope of `branch` of the If `owner` in `outer`.
  const EnclosedGraph& scope_of(const GraphProto& branch, const EnclosedGraph& outer,
                                const NodeProto& owner) {
    const auto known = std::ranges::find(scopes_, &branch, &EnclosedGraph::graph);
    if (known != scopes_.end()) return *known;
    return scopes_.emplace_back(EnclosedGraph{&branch, &outer, &owner, &indexes_.emplace_back(branch)});
  }

  bool is_unused(const EnclosedGraph& scope, const std::string& name) {
    return std::ranges::all_of(scope.names->uses(name), [&](const NameIndex::Use& use) {
      return use.node == nullptr ? is_unused_output(scope, use.input) : is_never_reached(scope, use, name);
    });
  }

  bool is_unused_output(const EnclosedGraph& scope, int index) {
    if (scope.owner == nullptr || !is_if(*scope.owner)) return false;
    return index >= scope.owner->output_size() || is_unused(*scope.outer, scope.owner->output(index));
  }

  /// All scopes have the operator sets and functions of the If's.
  bool is_onnx(const NodeProto& node, std::string_view name) const {
    return translator_->is_onnx(node, name);
  }
  /// A Cast to another type changes which numbers are true: 0.5 is, but not as an integer.
  bool is_cast_to_truth(const NodeProto& node) const {
    const auto* const type = is_onnx(node, "Cast") ? find_attribute(node, "to") : nullptr;
    return type != nullptr && type->i() == onnx::TensorProto::BOOL;
  }
  bool is_if(const NodeProto& node) const { return is_onnx(node, "If") && node.input_size() == 1; }

  bool captures(const GraphProto& branch, std::string_view name) {
    const auto [found, is_new] = captured_.try_emplace(&branch);
    if (is_new) {
      const auto names = captured_names(branch);
      found->second.insert(names.begin(), names.end());
    }
    return found->second.contains(name);
  }

  /// Whether the use of `name` is in the branch of an If that is not taken.
  bool is_never_reached(const EnclosedGraph& scope, const NameIndex::Use& use, std::string_view name) {
    if (use.input != NameIndex::kInBody || !is_if(*use.node)) return false;
    const auto taken = evaluate(original(scope, use.node->input(0)));
    const GraphProto* const branch = taken ? branch_of(*use.node, *taken) : nullptr;
    return branch != nullptr && !captures(*branch, name);
  }

  static Origin origin(const EnclosedGraph& scope, std::string_view name) {
    for (const EnclosedGraph* at = &scope; at != nullptr; at = at->outer) {
      if (const auto* found = at->names->definition(name)) return {at, *found, name};
    }
    return {};
  }

  /// The origin of `name`, a condition, or of the value that it is a copy of.
  Origin original(const EnclosedGraph& scope, std::string_view name) {
    std::vector<NameInScope> passed;
    Origin found = origin(scope, name);
    for (; found.definition.node != nullptr; found = origin(*found.scope, found.definition.node->input(0))) {
      const NodeProto& node = *found.definition.node;
      if ((!is_onnx(node, "Identity") && !is_cast_to_truth(node)) || node.input_size() != 1) break;
      if (const auto known = originals_.find({found.scope, found.name}); known != originals_.end()) {
        found = known->second;
        break;
      }
      if (!take_step()) break;
      passed.emplace_back(found.scope, found.name);
    }
    for (const NameInScope& copy : passed) originals_.emplace(copy, found);
    return found;
  }

  /// Whether another step may be taken.
  bool take_step() { return steps_left_ > 0 && steps_left_-- > 0; }

  /// The value of a condition if the decisions determine it.
  std::optional<bool> evaluate(const Origin& condition) {
    if (condition.scope == nullptr) return std::nullopt;
    // Without a value until it is known, also on a cycle.
    const auto [known, is_new] = values_.try_emplace(NameInScope{condition.scope, condition.name});
    if (!is_new || depth_ == kDeepest || !take_step()) return known->second;
    ++depth_;
    known->second = evaluate_new(condition);
    --depth_;
    return known->second;
  }

  std::optional<bool> evaluate_new(const Origin& condition) {
    const auto decision = std::ranges::find(decisions_, condition, &TakenBranch::condition);
    if (decision != decisions_.end()) return decision->is_then;
    if (condition.definition.initializer != nullptr) return only_element(*condition.definition.initializer);
    if (condition.definition.node == nullptr) return std::nullopt;
    const NodeProto& node = *condition.definition.node;
    if (is_onnx(node, "Constant") && node.attribute_size() == 1 && node.attribute(0).has_t()) {
      return only_element(node.attribute(0).t());
    }
    if (is_onnx(node, "Not") && node.input_size() == 1) {
      const auto negated = evaluate(original(*condition.scope, node.input(0)));
      return negated ? std::optional(!*negated) : std::nullopt;
    }
    return is_if(node) ? evaluate_if(condition) : std::nullopt;
  }

  std::optional<bool> evaluate_if(const Origin& result) {
    const NodeProto& node = *result.definition.node;
    const auto decided = std::ranges::find(decisions_, &node, &TakenBranch::node);
    const auto taken = decided != decisions_.end() ? std::optional(decided->is_then)
                                                   : evaluate(original(*result.scope, node.input(0)));
    const GraphProto* branch = taken ? branch_of(node, *taken) : nullptr;
    if (branch == nullptr || branch->output_size() <= result.definition.output) return std::nullopt;
    const EnclosedGraph& inner = scope_of(*branch, *result.scope, node);
    return evaluate(original(inner, branch->output(result.definition.output).name()));
  }

  /// For all questions together: a model can have as many uses of an output as copies of a condition.
  static constexpr int kMostSteps = 10'000;
  /// The depth of the recursion.
  static constexpr int kDeepest = 1000;

  const GraphTranslator* translator_;
  const NodeProto* node_;
  std::deque<EnclosedGraph> scopes_;  ///< the innermost first, then other branches; elements do not move
  std::deque<NameIndex> indexes_;
  std::vector<TakenBranch> decisions_;
  std::unordered_map<const GraphProto*, std::unordered_set<std::string_view>>
      captured_;  ///< names, once asked
  /// The results of original() for the copies of other values, and of evaluate(). Only used for look-ups.
  std::map<NameInScope, Origin> originals_;
  std::map<NameInScope, std::optional<bool>> values_;
  int steps_left_ = kMostSteps;
  int depth_ = 0;
};

UnusedIfOutputs::UnusedIfOutputs(const GraphTranslator& scope, const NodeProto& node)
    : scope_(&scope), node_(&node) {}
UnusedIfOutputs::~UnusedIfOutputs() = default;

bool UnusedIfOutputs::is_unused_if_taken(bool is_then, int index) {
  if (scope_->proto() == nullptr) return false;
  auto& analysis = is_then ? if_then_ : if_else_;
  if (analysis == nullptr) analysis = std::make_unique<Analysis>(*scope_, *node_, is_then);
  return analysis->is_unused(index);
}

}  // namespace onnx2ir::frontend
