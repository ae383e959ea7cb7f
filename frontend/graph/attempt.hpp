// What all scopes of an attempt to translate a model share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontend/graph/branch_choice.hpp"
#include "frontend/graph/occurrences.hpp"
#include "frontend/graph/operand.hpp"
#include "frontend/graph/operator_options.hpp"
#include "frontend/graph/translator_table.hpp"
#include "frontend/reader/functions.hpp"
#include "frontend/reader/reader.hpp"
#include "onnx2ir/diagnostic.hpp"
#include "target/target.hpp"

namespace onnx2ir::frontend {

/// The model, and what the caller wants: the same in all attempts.
struct ConversionInput {
  const LoadedModel* model;
  const TranslatorTable* translators;
  const target::Target* target;
  OperatorOptions operators = {};
  /// The most nodes that calls of functions may add.
  std::uint64_t most_function_nodes = LoadOptions{}.max_function_nodes;
  /// Whether the caller has changed shapes of inputs, so that declared sizes of other tensors need not hold.
  bool has_new_shapes = false;
};

/// Which branches are used of Ifs whose branches differ in rank: see frontend/graph/branch_choice.hpp.
struct Choices {
  BranchChoices branches = {};
  /// Whether an If that is not in `branches` gets the branch that it prefers. Otherwise it is an error.
  bool may_choose = false;
  /// Whether the ranks of tensors are compared with those that ONNX requires and the model declares.
  bool are_compared = false;
};

/// What an attempt finds.
struct Findings {
  /// The Ifs for which a branch was chosen, in order.
  std::vector<OpenIf> open_ifs = {};
  /// The graphs with nodes that fail in each run.
  std::vector<Occurrence> certain_failures = {};
  /// The tensors that do not have the rank that their graph declares, with the graph.
  std::set<std::pair<Occurrence, std::string>> wrong_ranks = {};
  /// The first name that was needed, but is an optional output that the translator of its node did not
  /// return.
  std::string omitted_output = {};
  /// The domains of the kept operators, by their names.
  std::map<std::string, std::string, std::less<>> kept_operators = {};
};

/// What an attempt has emitted by copying: bounded, because a small model can call for any amount.
struct Copies {
  /// The nodes that calls of functions have added, including those copied with attribute values.
  std::uint64_t function_nodes = 0;
  bool has_too_many_nodes = false;
  /// The nodes that unrolled loops have added: see frontend/translators/onnx/unrolled_loop.hpp.
  std::uint64_t unrolled_nodes = 0;
};

/// The functions that have been called.
struct CalledFunctions {
  std::map<const onnx::FunctionProto*, std::shared_ptr<const OpsetImports>> opsets = {};
  /// What a call of a function counts as: nodes_of_call().
  std::map<const onnx::FunctionProto*, std::uint64_t> sizes = {};
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
  CalledFunctions functions = {};
  RepeatedBodies repeated = {};
};

/// What is reported from its creation on, to forget it if the translation of a body is given up.
class RevocableDiagnostics {
 public:
  explicit RevocableDiagnostics(DiagnosticSink& sink) : sink_(sink), first_(sink.mark()) {}

  std::span<const Diagnostic> found() const { return std::span(sink_.diagnostics()).subspan(first_); }
  void drop() { sink_.rewind(first_); }
  /// Forgets the diagnostics for which `is_dropped` holds.
  template <typename IsDropped>
  void drop_if(IsDropped is_dropped) {
    std::vector<Diagnostic> kept;
    std::ranges::copy_if(found(), std::back_inserter(kept), std::not_fn(is_dropped));
    drop();
    for (Diagnostic& diagnostic : kept) sink_.report(std::move(diagnostic));
  }

 private:
  DiagnosticSink& sink_;
  std::size_t first_;
};

}  // namespace onnx2ir::frontend
