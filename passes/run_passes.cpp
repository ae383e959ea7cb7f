#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/failure.hpp"
#include "base/memory_budget.hpp"
#include "ir/inference.hpp"
#include "ir/verifier.hpp"
#include "onnx2ir/options.hpp"
#include "passes/emitters.hpp"
#include "passes/graph_walk.hpp"
#include "passes/legality/legalize_nodes.hpp"
#include "passes/pipeline.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

void tidy_after(ir::Model& model, const Pass& pass) {
  if (pass.changes_names_only) return;
  if (pass.keeps_order_and_types) {
    remove_dead_nodes(model);
  } else if (!pass.stage) {  // the driver of workarounds tidies itself
    tidy(model);
  }
}

/// The type, shape and known values of an output as text, without symbols: those of states change whenever a
/// loop is inferred.
std::string described(const ir::Output& output) {
  std::string text = std::string(ir::info(output.type).name) + ir::to_string(output.shape);
  if (output.known == nullptr) return text;
  for (const ir::ValueRange& range : *output.known)
    text += ' ' + std::to_string(range.min) + ".." + std::to_string(range.max);
  return text;
}

std::vector<std::string> described_outputs(ir::Model& model) {
  std::vector<std::string> texts;
  for_each_node(graphs_of(model), [&](const ir::Node& node) {
    for (const ir::Output& output : node.outputs()) texts.push_back(node.name + ": " + described(output));
  });
  return texts;
}

/// Infers all nodes again. Returns a sentence about the first output whose type, shape or known values
/// change, or an empty text. Does not compare expressions of sizes.
std::string stale_output(ir::Model& model) {
  // Inference gives the states of loops new symbols, which would count as memory that the model needs.
  const base::MemoryBudgetScope unlimited(0);
  const std::vector<std::string> before = described_outputs(model);
  ir::infer(model.graph);
  const std::vector<std::string> now = described_outputs(model);
  const auto [old_text, new_text] = std::ranges::mismatch(before, now);
  return old_text == before.end() ? "" : *old_text + " is stale, inference gives " + *new_text;
}

/// More repetitions of a pass, or of passes of the pipeline, mean that they do not end: each repetition has
/// to remove something from the model.
constexpr int kMostRepetitions = 100'000;

void check_repetitions(int repetitions, const Pass& pass) {
  if (repetitions > kMostRepetitions)
    throw base::InternalError("pass " + std::string(pass.name) + " changes the model again and again");
}

/// The nodes of a model, each with its inputs: other ones after a change, apart from one of attributes.
using Structure = std::vector<std::pair<const ir::Node*, std::vector<ir::Value>>>;

Structure structure_of(ir::Model& model) {
  Structure structure;
  for_each_node(graphs_of(model), [&](const ir::Node& node) {
    structure.emplace_back(&node, std::vector<ir::Value>(node.inputs().begin(), node.inputs().end()));
  });
  return structure;
}

/// Whether the target needs `pass`: a legalisation if the target has one of its faults.
bool is_needed(const Pass& pass, const PassContext& context) {
  return pass.kind != PassKind::legalize || context.target.has_any(faults_of(pass));
}

/// Throws Failure (invalid_model) if a value has more elements than any memory holds. Sizes that are
/// computed from its sizes may not fit into 64 bits.
void reject_huge_values(ir::Model& model) {
  constexpr std::int64_t kMostElements = std::int64_t{1} << 48U;
  for_each_node(graphs_of(model), [](const ir::Node& node) {
    for (const ir::Output& output : node.outputs()) {
      if (output.shape.element_count().value_or(0) <= kMostElements) continue;
      throw base::Failure(
          DiagnosticCode::invalid_model,
          "'" + node.name + "' of shape " + to_string(output.shape) + " does not fit into any memory",
          "check the shapes that the model declares");
    }
  });
}

/// Runs `pass`. Nodes of the model fit each other; a pass that emits one that does not is wrong. What a
/// change reveals about other nodes is found by tidy().
bool run_checked(const Pass& pass, ir::Model& model, PassContext& context) {
  try {
    return pass.run(model, context);
  } catch (const base::Failure& failure) {
    if (failure.code() != DiagnosticCode::invalid_node) throw;
    reject_huge_values(model);
    throw base::InternalError("pass " + std::string(pass.name) + ": " + failure.what());
  }
}

/// Runs passes on a model, and tracks which properties hold.
class Runner {
 public:
  /// `held`: the properties that hold before the first pass.
  Runner(ir::Model& model, PassContext& context, const PropertySet& held, const Pass& first)
      : model_(&model), context_(&context), held_(held) {
    remove_dead_nodes(model);
    check("before", first, held_);
  }

  /// Runs `pass` if `is_enabled`. Returns whether it changed the model.
  bool run(const Pass& pass, bool is_enabled) {
    if (is_enabled) check_properties("before", pass, held_.common(pass.required));
    const auto start = std::chrono::steady_clock::now();
    context_->pass = &pass;
    model_->graph.set_emitter(emitter_of(pass));
    const Structure before = context_->checks ? structure_of(*model_) : Structure();
    const bool modified = is_enabled && run_checked(pass, *model_, *context_);
    if (context_->checks && !modified && structure_of(*model_) != before)
      report("after", pass, "the model has changed, but the pass says that it has not");
    model_->graph.set_emitter(0);
    context_->pass = nullptr;
    if (modified) {
      tidy_after(*model_, pass);
      held_.remove(broken_by(pass));
    }
    const bool is_repeated = modified && !pass.repeats_from.empty();
    PropertySet checked = held_.common(lasting_properties());
    if (is_enabled && !is_repeated) {
      held_.add(pass.ensured);
      checked.add(pass.ensured);
    }
    if (is_enabled) check("after", pass, checked);
    if (modified) check_types(pass);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (const auto& finished = context_->options->debug.pass_finished)
      finished(pass.name, taken.count(), modified);
    if (context_->inspect) context_->inspect(pass.name, *model_);
    return modified;
  }

 private:
  void check(std::string_view when, const Pass& pass, const PropertySet& properties) const {
    if (!context_->checks) return;
    const auto problems = ir::verify(model_->graph);
    if (!problems.empty()) report(when, pass, problems.front());
    check_properties(when, pass, properties);
  }

  void check_types(const Pass& pass) const {
    if (!context_->checks) return;
    if (const std::string stale = stale_output(*model_); !stale.empty()) report("after", pass, stale);
  }

  void check_properties(std::string_view when, const Pass& pass, const PropertySet& properties) const {
    if (!context_->checks || properties.is_empty()) return;
    const std::string problem = broken_property(*model_, properties);
    if (!problem.empty()) report(when, pass, problem);
  }

  [[noreturn]] static void report(std::string_view when, const Pass& pass, const std::string& problem) {
    throw base::InternalError(std::string(when) + " pass " + std::string(pass.name) + ": " + problem);
  }

  ir::Model* model_;
  PassContext* context_;
  PropertySet held_;
};

bool apply_workaround(ir::Model& model, PassContext& context) {
  return apply_rows(model, RowIndex(context.target, *context.workaround));
}

}  // namespace

void remove_dead_nodes(ir::Model& model) {
  for (ir::Graph* graph : graphs_of(model)) graph->remove_dead_nodes();
}

void tidy(ir::Model& model) {
  for (ir::Graph* graph : graphs_of(model)) graph->sort();
  remove_dead_nodes(model);
  const auto problem = base::problem_of(DiagnosticCode::invalid_node, [&] { ir::infer_stale(model.graph); });
  if (problem)
    throw base::Failure(DiagnosticCode::invalid_model, "the model contradicts itself: " + problem->message,
                        "check the shapes that the model declares, and the sizes of its constants");
}

const Options& default_options() {
  static const Options kOptions;
  return kOptions;
}

bool PassContext::has(target::Fault fault) const {
  if (pass != nullptr && !pass->faults.contains(fault) && !pass->consulted.contains(fault)) {
    throw base::InternalError("pass " + std::string(pass->name) + " does not list the fault " +
                              std::string(target::description(fault).name));
  }
  return target.has(fault);
}

void PassContext::warn(Problem problem, const std::vector<std::string>& notes, std::size_t most) const {
  if (sink == nullptr || notes.empty()) return;
  Diagnostic warning = base::diagnostic_of(std::move(problem), {}, Severity::warning);
  warning.notes.assign(notes.begin(),
                       notes.begin() + static_cast<std::ptrdiff_t>(std::min(most, notes.size())));
  if (notes.size() > most) warning.notes.push_back("and " + std::to_string(notes.size() - most) + " more");
  sink->report(std::move(warning));
}

void require_legal(ir::Model& model, const target::Target& target,
                   std::span<const std::string_view> changing) {
  const auto violation = first_violation(model, RowIndex(target));
  if (!violation) return;
  std::string message = "the fault " + std::string(target::description(violation->fault).name) + " affects " +
                        std::string(violation->node->op().name) + " '" + violation->node->name +
                        "' after the workarounds";
  for (std::size_t i = 0; i < changing.size(); ++i) {
    message +=
        (i == 0 ? "; since then, these passes have changed the model: " : ", ") + std::string(changing[i]);
  }
  throw base::InternalError(message);
}

const Pass* PipelinePosition::pass() const {
  const std::span<const Pass> passes = pipeline();
  return index_ < passes.size() ? &passes[index_] : nullptr;
}

bool PipelinePosition::advance(bool modified) {
  const Pass& ran = *pass();
  if (!modified || ran.repeats_from.empty()) {
    ++index_;
    return true;
  }
  check_repetitions(++repetitions_, ran);
  index_ = static_cast<std::size_t>(find_pass(ran.repeats_from) - pipeline().data());
  return false;
}

void run_pipeline(ir::Model& model, PassContext& context) {
  const DebugOptions& debug = context.options->debug;
  Runner runner(model, context, kInitialProperties, pipeline().front());
  std::vector<std::string_view>
      changing;                      // the model since the workarounds of single nodes were last applied
  std::optional<Stage> legal_stage;  // for the model as it is
  PipelinePosition position;
  while (position.pass() != nullptr) {
    const Pass& pass = *position.pass();
    const bool is_skipped = std::ranges::find(debug.skip_passes, pass.name) != debug.skip_passes.end();
    const bool is_repetition = pass.stage && legal_stage >= pass.stage;
    const bool is_enabled = !is_skipped && !is_repetition && is_needed(pass, context);
    context.legal_stage = legal_stage;
    const bool modified = runner.run(pass, is_enabled);
    context.legal_stage.reset();
    if (pass.stage && is_enabled) {
      changing.clear();
      legal_stage = pass.stage;
    } else if (modified && !pass.changes_names_only) {
      changing.push_back(pass.name);
      legal_stage.reset();
    }
    if (position.advance(modified) && pass.name == debug.stop_after) return;
  }
  // If nothing has changed the model since, the last round of the driver has found no affected node.
  const bool is_proven = legal_stage == Stage::kernels && !context.checks;
  if (debug.skip_passes.empty() && !is_proven) require_legal(model, context.target, changing);
}

bool run_workaround(ir::Model& model, const Workaround& workaround, PassContext& context) {
  const Pass pass{
      {.stage = Stage::kernels}, PassKind::legalize, workaround.name, apply_workaround, workaround.summary};
  context.workaround = &workaround;
  const bool modified = Runner(model, context, {}, pass).run(pass, true);
  context.workaround = nullptr;
  return modified;
}

bool run_pass_once(ir::Model& model, const Pass& pass, PassContext& context) {
  return Runner(model, context, pass.required, pass).run(pass, is_needed(pass, context));
}

bool run_pass(ir::Model& model, const Pass& pass, PassContext& context) {
  Runner runner(model, context, pass.required, pass);
  int repetitions = 0;
  while (runner.run(pass, is_needed(pass, context))) {
    check_repetitions(++repetitions, pass);
    if (pass.repeats_from.empty()) break;
  }
  return repetitions > 0;
}

}  // namespace onnx2ir::passes
