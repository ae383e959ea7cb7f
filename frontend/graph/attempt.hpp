// The state of an attempt to translate a model, which all its scopes share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/graph/branch_choice.hpp"
#include "frontend/graph/left_out_branches.hpp"
#include "frontend/graph/occurrences.hpp"
#include "frontend/graph/operand.hpp"
#include "frontend/graph/translator_table.hpp"
#include "frontend/reader/functions.hpp"
#include "frontend/reader/reader.hpp"
#include "frontend/reader/schemas.hpp"
#include "onnx2ir/diagnostic.hpp"
#include "onnx2ir/options.hpp"
#include "target/target.hpp"

namespace onnx2ir::frontend {

struct ExtensionTable;
struct OperatorMap;

/// The model and the options of the caller: the same in all attempts.
struct ConversionInput {
  const LoadedModel* model;
  const TranslatorTable* translators;
  const target::Target* target;
  const Options* options;
  /// Rules that take precedence over all translators.
  const OperatorMap* map;
  /// Translators of libraries, which take precedence over all but the rules.
  const ExtensionTable* extensions;
};

/// The chosen branches of the Ifs whose branches differ in rank: see frontend/graph/branch_choice.hpp.
struct Choices {
  BranchChoices branches = {};
  /// Whether an If that is not in `branches` gets the branch that it prefers. Otherwise it is an error.
  bool may_choose = false;
  /// Whether the ranks of tensors are compared with those that ONNX requires and the model declares.
  bool are_compared = false;
};

/// The results of an attempt, apart from the graph.
struct Findings {
  /// The Ifs for which a branch was chosen, in order.
  std::vector<OpenIf> open_ifs = {};
  /// The graphs with nodes that fail in each run.
  std::vector<Occurrence> certain_failures = {};
  /// The tensors that do not have the rank that their graph declares, with the graph.
  std::set<std::pair<Occurrence, std::string>> wrong_ranks = {};
  /// The first used name of an optional output that the translator of its node did not return.
  std::string omitted_output = {};
  /// The domains of the kept operators, by their names.
  std::map<std::string, std::string, std::less<>> kept_operators = {};
};

/// The numbers of nodes that an attempt has copied. They are limited, because a small model can expand to any
/// size.
struct Copies {
  /// The nodes that calls of functions have added, including those copied with attribute values.
  std::uint64_t function_nodes = 0;
  bool has_too_many_nodes = false;
  /// The nodes that unrolled loops have added: see frontend/translators/onnx/unrolled_loop.cpp.
  std::uint64_t unrolled_nodes = 0;
};

/// A function that has been called.
struct CalledFunction {
  std::shared_ptr<const OpsetImports> opsets;
  std::uint64_t nodes_of_call = 0;  ///< the number of nodes that a call counts as
};

/// The input types of an operator's schema in one version.
struct SchemaInputs {
  std::int64_t opset = -1;
  std::span<const InputType> types = {};
};

/// The bodies around the current node that are translated more than once.
struct RepeatedBodies {
  /// How many may be translated again with wider state types.
  int count = 0;
  /// The state types that loops in such bodies were found to need. The next search starts from them, so that
  /// the number of translations of a body does not multiply with the nesting depth.
  std::map<Occurrence, std::vector<OperandType>> state_types = {};
  /// How many searches of tokens (BeamSearch, GreedySearch) have the current node in their graphs.
  int searches = 0;
};

/// An attempt to translate the model.
struct Attempt {
  const ConversionInput* input;
  DiagnosticSink* sink;
  Occurrences* occurrences;
  Choices choices = {};
  Findings found = {};
  Copies copies = {};
  std::map<const onnx::FunctionProto*, CalledFunction> functions = {};
  RepeatedBodies repeated = {};
  LeftOutBranches left_out = {};
  /// Looked up once for all nodes of an operator, unless functions import other versions.
  std::unordered_map<const TranslatorRow*, SchemaInputs> schema_inputs = {};
  /// The graphs, bodies and calls that the diagnostics in `sink` are about, by their positions; after the
  /// last element, the main graph.
  std::vector<Occurrence> graphs_of_diagnostics = {};

  /// The graph that diagnostic `position` of `sink` is about.
  Occurrence graph_of_diagnostic(std::size_t position) const {
    return position < graphs_of_diagnostics.size() ? graphs_of_diagnostics[position] : Occurrences::kModel;
  }
  /// Reports a diagnostic about `graph`.
  void report(Diagnostic diagnostic, Occurrence graph) {
    graphs_of_diagnostics.resize(sink->mark(), Occurrences::kModel);
    graphs_of_diagnostics.push_back(graph);
    sink->report(std::move(diagnostic));
  }
};

/// The diagnostics that are reported after its creation. They are dropped if the translation of a body is
/// given up.
class RevocableDiagnostics {
 public:
  explicit RevocableDiagnostics(Attempt& attempt) : attempt_(attempt), first_(attempt.sink->mark()) {}

  std::span<const Diagnostic> found() const {
    return std::span(attempt_.sink->diagnostics()).subspan(first_);
  }
  void drop() {
    attempt_.sink->rewind(first_);
    if (attempt_.graphs_of_diagnostics.size() > first_) attempt_.graphs_of_diagnostics.resize(first_);
  }
  /// Forgets the diagnostics about `body` and what is inside it. Others are kept: nodes and initializers of
  /// enclosing graphs are not translated again with the body.
  void drop_inside(Occurrence body) {
    Copy kept = copy();
    std::erase_if(kept, [&](const auto& one) { return attempt_.occurrences->contains(body, one.second); });
    restore(kept);
  }

  /// Diagnostics with the graphs that they are about.
  using Copy = std::vector<std::pair<Diagnostic, Occurrence>>;
  Copy copy() const {
    Copy result;
    for (std::size_t i = first_; i < attempt_.sink->mark(); ++i)
      result.emplace_back(attempt_.sink->diagnostics()[i], attempt_.graph_of_diagnostic(i));
    return result;
  }
  /// Replaces what was reported since the creation.
  void restore(const Copy& diagnostics) {
    drop();
    for (const auto& [diagnostic, graph] : diagnostics) attempt_.report(diagnostic, graph);
  }

 private:
  Attempt& attempt_;
  std::size_t first_;
};

}  // namespace onnx2ir::frontend
