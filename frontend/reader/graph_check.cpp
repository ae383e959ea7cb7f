#include "frontend/reader/graph_check.hpp"

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "base/failure.hpp"
#include "base/name_table.hpp"
#include "base/nearest_name.hpp"
#include "frontend/reader/bodies.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/place.hpp"
#include "frontend/reader/tensor_types.hpp"
#include "frontend/reader/wire_scan.hpp"

namespace onnx2ir::frontend {
namespace {

/// The names defined in a graph, and its enclosing graphs.
struct Scope {
  /// The definition of a name that is not the output of a node.
  static constexpr std::int64_t kInput = -1;
  static constexpr std::int64_t kInitializer = -2;

  const Scope* outer;
  const onnx::GraphProto* graph;  ///< null in functions
  int depth = outer == nullptr ? 1 : outer->depth + 1;
  /// The definitions: the index of a node, kInput or kInitializer.
  base::NameTable<std::int64_t> names = {};
  /// The current node; while a body is checked, the node that it belongs to.
  std::int64_t current_node = -1;

  /// Prefetches names that will be defined or looked up here.
  void prefetch(const google::protobuf::RepeatedPtrField<std::string>& all) const {
    if (!names.is_large()) return;
    for (const std::string& name : all) names.prefetch(name);
  }
  /// The enclosing scope that defines `name`; null if none does.
  const Scope* find_in_enclosing(const base::HashedName& name) const {
    const Scope* scope = outer;
    while (scope != nullptr && scope->names.find(name) == nullptr) scope = scope->outer;
    return scope;
  }
};

void check_graph(const onnx::GraphProto& graph, std::string_view path, const Scope* outer, BodyCheck& check);

/// Checks the nodes of a graph or a function in a scope.
class NodeListCheck {
 public:
  using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

  NodeListCheck(const Nodes& nodes, std::string_view path, Scope& scope, BodyCheck& check)
      : nodes_(nodes), path_(path), scope_(scope), check_(check) {}

  /// `node`: see site().
  void define(const base::HashedName& name, std::int64_t definition, std::string_view what, int node = -1) {
    if (!scope_.names.add(name, definition)) {
      error(DiagnosticCode::duplicate_name,
            fmt::format("The {} '{}' has the name of another value of the same graph", what, name.name),
            node);
    } else if (!warned_of_shadowing_ && scope_.find_in_enclosing(name) != nullptr) {
      warned_of_shadowing_ = true;
      warning(DiagnosticCode::shadowed_name,
              fmt::format("The {} '{}' hides a value of the same name outside this graph", what, name.name),
              node);
    }
  }

  /// `code`, `problem`: of an input without a name.
  void define_input(const std::string& name, DiagnosticCode code, std::string problem) {
    if (name.empty()) return error(code, std::move(problem));
    define(name, Scope::kInput, "input");
  }

  void define_outputs() {
    for (int i = 0; i < nodes_.size(); ++i) {
      const int later = i + base::kNodesToPrefetch;
      if (later < nodes_.size()) scope_.prefetch(nodes_[later].output());
      for (const std::string& output : nodes_[i].output()) {
        if (!output.empty()) define(output, i, "output", i);
      }
    }
  }

  void check_nodes() {
    for (int i = 0; i < nodes_.size() && !check_.model.has_too_many_errors(); ++i) {
      scope_.current_node = i;
      const int later = i + base::kNodesToPrefetch;
      if (later < nodes_.size()) scope_.prefetch(nodes_[later].input());
      for (const std::string& input : nodes_[i].input()) {
        if (!input.empty()) check_input(input, i);
      }
      check_node(site(i), check_, [&](const onnx::GraphProto& body, std::string_view attribute) {
        check_graph(body, body_path(path_, nodes_[i], i, attribute), &scope_, check_);
      });
    }
  }

  /// Records that node `reader`, itself or in a body, uses an output of node `definition` of the same graph.
  void add_dependency(std::int64_t definition, std::int64_t reader) {
    if (definition >= reader) check_.model.is_ordered = false;
  }

  /// Of a node, or of the graph itself.
  Site site(int node = -1) const { return node < 0 ? Site{path_} : Site{path_, &nodes_[node], node}; }
  void error(DiagnosticCode code, std::string message, int node = -1) {
    check_.model.sink.error(code, std::move(message), place_of(site(node), check_));
  }
  void warning(DiagnosticCode code, std::string message, int node = -1) {
    check_.model.sink.warning(code, std::move(message), place_of(site(node), check_));
  }

 private:
  /// "did you mean ...?" for the undefined `name`; empty if no name in scope is similar.
  std::string hint_for(std::string_view name) const {
    // The comparison with all names takes time, and a hostile model can have many undefined ones.
    constexpr std::size_t kMost = 5;
    constexpr std::size_t kLongest = 64;
    if (name.size() > kLongest || check_.model.sink.error_count() >= kMost) return {};
    std::vector<std::string> known;
    const auto add_outputs = [&](const Nodes& nodes) {
      for (const onnx::NodeProto& node : nodes)
        known.insert(known.end(), node.output().begin(), node.output().end());
    };
    if (scope_.graph == nullptr) add_outputs(nodes_);
    for (const Scope* scope = &scope_; scope != nullptr; scope = scope->outer) {
      if (scope->graph == nullptr) continue;
      for (const auto& input : scope->graph->input()) known.push_back(input.name());
      for (const auto& tensor : scope->graph->initializer()) known.push_back(tensor.name());
      add_outputs(scope->graph->node());
    }
    return base::suggestion(name, known);
  }

  void check_input(const base::HashedName& name, int index) {
    const std::int64_t* definition = scope_.names.find(name);
    if (definition == nullptr) {
      if (const Scope* const outer = scope_.find_in_enclosing(name)) {
        add_dependency(*outer->names.find(name), outer->current_node);
      } else {
        check_.model.sink.report(base::diagnostic_of(
            {DiagnosticCode::undefined_name, fmt::format("Its input '{}' is not defined", name.name),
             hint_for(name.name)},
            place_of(site(index), check_)));
      }
      return;
    }
    add_dependency(*definition, index);
    if (*definition > index && !warned_of_order_) {
      warned_of_order_ = true;
      warning(DiagnosticCode::unordered_nodes,
              fmt::format("Its input '{}' is the output of a later node; the nodes of the graph are sorted",
                          name.name),
              index);
    }
  }

  const Nodes& nodes_;
  std::string_view path_;
  Scope& scope_;
  BodyCheck& check_;
  bool warned_of_order_ = false;
  bool warned_of_shadowing_ = false;
};

bool has_known_type(const onnx::ValueInfoProto& info) {
  if (!info.has_type()) return false;
  const auto& type = info.type();
  if (type.has_tensor_type()) return find_tensor_type(type.tensor_type().elem_type()) != nullptr;
  return type.value_case() != onnx::TypeProto::VALUE_NOT_SET;
}

/// Checks that inputs have types; an input with a default value has the type of that.
void check_input_types(const onnx::GraphProto& graph, const Scope& scope, NodeListCheck& nodes) {
  for (const auto& input : graph.input()) {
    if (input.name().empty() || has_known_type(input)) continue;
    if (*scope.names.find(input.name()) == Scope::kInitializer) continue;
    nodes.error(DiagnosticCode::invalid_graph, fmt::format("The input '{}' has no type", input.name()));
  }
}

/// An initializer may have the name of an input: it is the default value of the input.
void define_initializers(const onnx::GraphProto& graph, Scope& scope, NodeListCheck& nodes,
                         BodyCheck& check) {
  auto add = [&](const base::HashedName& name) {
    if (name.name.empty()) {
      return nodes.error(DiagnosticCode::invalid_graph, "An initializer has no name");
    }
    std::int64_t* const definition = scope.names.find(name);
    if (definition == nullptr) {
      nodes.define(name, Scope::kInitializer, "initializer");
    } else if (*definition == Scope::kInput) {
      *definition = Scope::kInitializer;
      if (scope.depth > 1) return;
      if (check.model.first_default.empty()) {
        check.model.first_default = name.name;
      } else {
        ++check.model.more_defaults;
      }
    } else {
      nodes.warning(DiagnosticCode::duplicate_name,
                    fmt::format("There is more than one initializer '{}'; the last one is used", name.name));
    }
  };
  for_each_initializer(graph, [&](const auto& initializer) {
    add(values_of(initializer).name());
    check_tensor(initializer, "initializer", nodes.site(), check);
  });
}

void check_output(const std::string& name, bool is_main, const Scope& scope, NodeListCheck& nodes) {
  if (name.empty()) {
    // Bodies may have unnamed outputs: onnxruntime loads them.
    if (is_main) nodes.error(DiagnosticCode::invalid_graph, "An output of the graph has no name");
  } else if (scope.names.find(name) == nullptr) {
    if (const Scope* const outer = scope.find_in_enclosing(name)) {
      nodes.add_dependency(*outer->names.find(name), outer->current_node);
      nodes.warning(DiagnosticCode::outer_value_returned,
                    fmt::format("The output '{}' is a value from outside the body", name));
    } else {
      nodes.error(DiagnosticCode::undefined_name, fmt::format("The output '{}' is not defined", name));
    }
  }
}

void check_graph(const onnx::GraphProto& graph, std::string_view path, const Scope* outer, BodyCheck& check) {
  Scope scope{outer, &graph};
  NodeListCheck nodes(graph.node(), path, scope, check);
  if (scope.depth > kMaxGraphDepth) {
    return nodes.error(DiagnosticCode::invalid_graph,
                       fmt::format("Graphs are nested more than {} deep", kMaxGraphDepth));
  }
  const bool is_main = outer == nullptr;
  scope.names.reserve(static_cast<std::size_t>(graph.input_size()) +
                      static_cast<std::size_t>(graph.initializer_size()) +
                      static_cast<std::size_t>(graph.node_size()));

  for (const auto& input : graph.input())
    nodes.define_input(input.name(), DiagnosticCode::invalid_graph, "An input of the graph has no name");
  define_initializers(graph, scope, nodes, check);
  if (is_main) check_input_types(graph, scope, nodes);
  nodes.define_outputs();
  nodes.check_nodes();
  for (const auto& output : graph.output()) check_output(output.name(), is_main, scope, nodes);
}

}  // namespace

void check_main_graph(const onnx::GraphProto& graph, BodyCheck& check) {
  check_graph(graph, kMainGraphPath, nullptr, check);
}

void check_function_body(BodyCheck& check) {
  const onnx::FunctionProto& function = *check.function;
  const std::string path = function_path(function);
  Scope scope{nullptr, nullptr};
  NodeListCheck nodes(function.node(), path, scope, check);
  for (const std::string& input : function.input())
    nodes.define_input(input, DiagnosticCode::invalid_function, "An input of the function has no name");
  nodes.define_outputs();
  nodes.check_nodes();
  for (const std::string& output : function.output()) check_output(output, true, scope, nodes);
}

}  // namespace onnx2ir::frontend
