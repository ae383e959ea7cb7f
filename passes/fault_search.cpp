#include "passes/fault_search.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "ir/extension.hpp"
#include "passes/graph_walk.hpp"
#include "passes/legality/legalize_nodes.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// What a pass may change in a node.
struct Before {
  std::string name;
  std::string path;
  std::string operation;
  std::vector<ir::Value> inputs;
  std::vector<ir::AttributeValue> attributes;
  std::vector<std::pair<ir::ElementType, ir::PartialShape>> outputs;
  bool has_uses = false;
  ir::NoteSet notes;
  std::size_t place = 0;           ///< in the order of the graph
  ir::Op op = ops::Parameter;      ///< as ir::Node::op()
  const Before* around = nullptr;  ///< the Loop or If whose body it is in; null in the main graph
};

/// The operation that `fault` of `pass` affects as a whole; no value if it affects the nodes that the pass
/// changes.
std::optional<ir::Op> affected_operation(const Pass& pass, Fault fault) {
  if (pass.loop_faults.contains(fault)) return ops::Loop;
  if (pass.if_faults.contains(fault)) return ops::If;
  return std::nullopt;
}

std::vector<ir::AttributeValue> attribute_values(const ir::Node& node) {
  std::vector<ir::AttributeValue> values;
  for (const ir::Attribute& attribute : node.attributes()) values.push_back(attribute.value);
  return values;
}

std::vector<std::pair<ir::ElementType, ir::PartialShape>> output_types(const ir::Node& node) {
  std::vector<std::pair<ir::ElementType, ir::PartialShape>> types;
  for (const ir::Output& output : node.outputs()) types.emplace_back(output.type, output.shape);
  return types;
}

/// Calls `visit(graph, prefix)` for each body of `node`, with the prefix of the paths of its nodes.
template <typename Visit>
void visit_bodies(const ir::Node& node, const std::string& path, Visit visit) {
  if (const ir::LoopBody* loop = node.loop()) visit(*loop->graph, path + "/body/");
  if (const ir::IfBranches* branches = node.branches()) {
    visit(*branches->then_branch.graph, path + "/then_body/");
    visit(*branches->else_branch.graph, path + "/else_body/");
  }
}

/// The nodes of a model before a pass, with bodies.
class Snapshot {
 public:
  explicit Snapshot(const ir::Model& model) { add(model.graph, {}, nullptr); }

  /// The nodes that a pass has changed; with `operation`, those of them or around them that are of this one.
  std::vector<const Before*> affected(ir::Model& model, std::optional<ir::Op> operation) const {
    std::set<const Before*> found = changed(model);
    if (operation) found = only(*operation, found);
    std::vector<const Before*> ordered(found.begin(), found.end());
    std::ranges::sort(ordered, {}, &Before::place);
    return ordered;
  }

 private:
  using Nodes = std::set<const Before*>;

  /// The nodes of `operation` among `nodes`. If there are none, those around `nodes`.
  static Nodes only(ir::Op operation, const Nodes& nodes) {
    Nodes found;
    for (const Before* node : nodes) {
      if (node->op == operation) found.insert(node);
    }
    if (!found.empty()) return found;
    for (const Before* node : nodes) {
      while (node != nullptr && node->op != operation) node = node->around;
      if (node != nullptr) found.insert(node);
    }
    return found.empty() ? nodes : found;
  }

  Nodes changed(ir::Model& model) const {
    Nodes found;
    Nodes named_in_new_graphs;
    std::set<const ir::Node*> present;
    std::vector<const ir::Node*> with_other_inputs;
    for (const ir::Graph* graph : graphs_of(model)) {
      for (const auto& node : graph->nodes()) {
        present.insert(node.get());
        const Before* const before = find(*node);
        if (before == nullptr) {
          // Passes name the nodes that they emit after the node that they replace or protect.
          const Before* const named = find_named(*graph, node->name);
          if (named != nullptr) (prefixes_.contains(graph) ? found : named_in_new_graphs).insert(named);
        } else if (before->attributes != attribute_values(*node) || before->notes != node->notes ||
                   (before->has_uses && !node->has_uses() && !node->is(ops::Const))) {
          found.insert(before);
        } else if (!std::ranges::equal(before->inputs, node->inputs()) ||
                   before->outputs != output_types(*node)) {
          with_other_inputs.push_back(node.get());
        }
      }
    }
    for (const auto& [node, before] : nodes_) {
      if (!present.contains(node)) found.insert(&before);
    }
    if (found.empty()) found = std::move(named_in_new_graphs);
    if (found.empty()) {
      for (const ir::Node* node : with_other_inputs) found.insert(find(*node));
    }
    return found;
  }

  void add(const ir::Graph& graph, const std::string& prefix, const Before* around) {
    prefixes_.emplace(&graph, prefix);
    for (const auto& node : graph.nodes()) {
      Before& before = nodes_[node.get()];
      before.name = node->name;
      before.path = prefix + node->name;
      before.operation = ir::layer_type(*node);
      before.inputs.assign(node->inputs().begin(), node->inputs().end());
      before.attributes = attribute_values(*node);
      before.outputs = output_types(*node);
      before.has_uses = node->has_uses();
      before.notes = node->notes;
      before.place = nodes_.size();
      before.op = node->op().id;
      before.around = around;
      if (!node->name.empty()) {
        by_path_.emplace(before.path, &before);
        by_name_.emplace(node->name, &before);
      }
      visit_bodies(*node, before.path,
                   [&](const ir::Graph& body, const std::string& path) { add(body, path, &before); });
    }
  }

  /// The memory of a removed node may hold a new one, of another operation.
  const Before* find(const ir::Node& node) const {
    const auto found = nodes_.find(&node);
    if (found == nodes_.end() || found->second.operation != ir::layer_type(node) ||
        found->second.name != node.name)
      return nullptr;
    return &found->second;
  }

  /// The node called `name` in `graph`; in any graph if a pass has made `graph`.
  const Before* find_named(const ir::Graph& graph, const std::string& name) const {
    const auto prefix = prefixes_.find(&graph);
    const auto& nodes = prefix == prefixes_.end() ? by_name_ : by_path_;
    const auto found = nodes.find(prefix == prefixes_.end() ? name : prefix->second + name);
    return found == nodes.end() ? nullptr : found->second;
  }

  std::map<const ir::Node*, Before> nodes_;  // ordered by address: only used for look-ups and sorted sets
  std::map<const ir::Graph*, std::string> prefixes_;
  std::map<std::string, const Before*> by_path_;
  std::map<std::string, const Before*> by_name_;
};

/// The text of a warning: passes that only warn name the layers in it.
std::string described(Diagnostic warning) {
  std::string text = std::move(warning.message);
  for (std::size_t i = 0; i < warning.notes.size(); ++i) text += (i == 0 ? ": " : ", ") + warning.notes[i];
  return text;
}

/// A model before any pass, and its nodes.
struct Original {
  std::unique_ptr<ir::Model> model;
  Snapshot snapshot;
};

/// Runs `pass` for `fault` alone. Returns whether it changed the model.
bool search(const Original& original, const Pass& pass, Fault fault, const PassContext& context,
            std::vector<AffectedNode>& found) {
  ir::Model& model = *original.model;
  const auto add = [&](std::string layer, std::string operation) {
    const bool is_known = std::ranges::any_of(
        found, [&](const AffectedNode& one) { return one.fault == fault && one.layer == layer; });
    if (!is_known) found.push_back({fault, std::move(layer), std::move(operation), {}});
  };
  DiagnosticSink sink;
  PassContext alone = context;
  alone.sink = &sink;
  const auto options = model.runtime_options;
  target::FaultSet faults = pass.consulted;
  faults.add(fault);
  alone.target = context.target.with_only(faults);
  const bool modified = pass.run(model, alone);
  for (Diagnostic& warning : sink.take()) found.push_back({fault, {}, {}, described(std::move(warning))});
  if (!modified && options == model.runtime_options) return false;
  const auto nodes = original.snapshot.affected(model, affected_operation(pass, fault));
  for (const Before* node : nodes) add(node->path, node->operation);
  if (nodes.empty() || options != model.runtime_options) add({}, {});
  return true;
}

/// The nodes of a graph and its bodies that rows affect. `prefix`: the path of the graph.
void add_nodes_of_rows(const ir::Graph& graph, const std::string& prefix, const RowIndex& rows,
                       std::vector<AffectedNode>& found) {
  for (const auto& node : graph.nodes()) {
    if (!node->has_uses()) continue;
    const std::string path = prefix + node->name;
    std::optional<Fault> last;  // rows of one fault are one after the other
    for (const LegalizationRow* row : rows.rows_of(node->op().id)) {
      if (row->fault == last || !row->affects(*node)) continue;
      found.push_back({row->fault, path, std::string(ir::layer_type(*node)), {}});
      last = row->fault;
    }
    visit_bodies(*node, path, [&](const ir::Graph& body, const std::string& inner) {
      add_nodes_of_rows(body, inner, rows, found);
    });
  }
}

}  // namespace

std::vector<AffectedNode> affected_nodes(const CopyModel& copy, const PassContext& context) {
  std::vector<AffectedNode> found;
  add_nodes_of_rows(copy()->graph, {}, RowIndex(context.target), found);
  std::optional<Original> original;
  for (const target::FaultDescription& fault : target::all_faults()) {
    if (!context.target.has(fault.fault)) continue;
    for (const Pass& pass : pipeline()) {
      if (pass.kind != PassKind::legalize || !pass.faults.contains(fault.fault)) continue;
      if (!original) {
        auto model = copy();
        Snapshot snapshot(*model);
        original = Original{std::move(model), std::move(snapshot)};
      }
      if (search(*original, pass, fault.fault, context, found)) original.reset();
    }
  }
  std::ranges::stable_sort(found, {}, &AffectedNode::fault);
  return found;
}

bool run_legalizations(ir::Model& model, PassContext& context) {
  const bool modified = edit_each(pipeline(), [&](const Pass& pass) {
    return (pass.kind == PassKind::legalize || pass.runs_with_legalizations) &&
           run_pass(model, pass, context);
  });
  require_legal(model, context.target, {});
  return modified;
}

}  // namespace onnx2ir::passes
