// The passes and the order they run in.
//
// A pass is a function `bool name(ir::Model&, PassContext&)` in a file of its own, named after what it
// establishes. It returns whether it changed the model, is idempotent, calls no other pass, and leaves a
// graph that infer() accepts. To add one: its file, and its line in pipeline.cpp. Several lines, which differ
// in their stage, run legalize_nodes(): it applies the workarounds for single nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.hpp"
#include "onnx2ir/diagnostic.hpp"
#include "passes/legality/workaround.hpp"
#include "passes/properties.hpp"
#include "target/target.hpp"

namespace onnx2ir {
struct Options;
}

namespace onnx2ir::passes {

struct Pass;

/// The options of a conversion without options.
const Options& default_options();

/// State that the pipeline shares with its passes and its caller.
struct PassContext {
  DiagnosticSink* sink = nullptr;
  /// The releases of OpenVINO that the model is made for: a workaround runs only if one of them has its
  /// fault.
  target::Target target;
  /// The pass that runs; null between passes.
  const Pass* pass = nullptr;
  /// Whether at least one release of the target has `fault`. Throws base::InternalError if the row of the
  /// pass does not list the fault: the table states what depends on a fault.
  bool has(target::Fault fault) const;
  /// Reports a warning with the first `most` of `notes`, such as the names of layers; a further note counts
  /// the others. Reports nothing without notes.
  void warn(Problem problem, const std::vector<std::string>& notes, std::size_t most = 20) const;
  /// The options of the conversion, which live longer than this object. Passes read theirs from it.
  const Options* options = &default_options();
  /// Called after each pass with the model, for dumps. May be empty.
  std::function<void(std::string_view name, const ir::Model& model)> inspect;
  /// Set by run_workaround().
  const Workaround* workaround = nullptr;
  /// Set by run_pipeline(): no workaround up to this stage affects a node of the model as it is.
  std::optional<Stage> legal_stage = {};
  /// For tests: the order in which workarounds for single nodes are tried (RowIndex::shuffle).
  unsigned row_order = 0;
  /// Whether to verify the model and check the properties of passes. A violation throws base::InternalError.
#ifdef NDEBUG
  bool checks = false;
#else
  bool checks = true;
#endif
};

/// The purpose of a pass, and the name of its folder.
enum class PassKind : std::uint8_t {
  normalize,  ///< makes graphs canonical, so that later passes see fewer forms
  optimize,   ///< makes the model faster or smaller
  legalize    ///< works around faults of the runtime
};

/// What the pipeline knows of a pass besides its purpose.
struct PassConditions {
  /// Properties that must hold before the pass; earlier passes ensure them.
  PropertySet required = {};
  /// Properties that hold after the pass: those of a legalisation to the end, others until another pass
  /// breaks them.
  PropertySet ensured = {};
  /// Properties that a later pass requires and that may no longer hold if the pass has changed the model; for
  /// a legalisation also kNormalForm.
  PropertySet broken = {};
  /// The faults that the pass works around. One of kind legalize runs only if the target has one of them. A
  /// line of the table need not repeat those of the next two sets here.
  target::FaultSet faults = {};
  /// The faults of whole Loops, and of whole Ifs: affected_nodes() names the Loop or If, not the values that
  /// the pass changes.
  target::FaultSet loop_faults = {};
  target::FaultSet if_faults = {};
  /// For a pass that applies workarounds for single nodes: the last stage whose rows it applies.
  std::optional<Stage> stage = {};
  /// Other faults that change what the pass does, but not whether it runs.
  target::FaultSet consulted = {};
  /// If the pass has changed the model, the pipeline continues with this pass or an earlier one, to which the
  /// changes may give more to do. Empty: with the next one.
  std::string_view repeats_from = {};
  /// Whether run_legalizations() runs the pass, although it is not of kind legalize.
  bool runs_with_legalizations = false;
  /// Whether the pass keeps the order of the nodes and all types.
  bool keeps_order_and_types = false;
  /// Whether the pass changes nothing but the names of tensors, which no workaround looks at.
  bool changes_names_only = false;
};

struct Pass : PassConditions {
  PassKind kind;
  std::string_view name;
  bool (*run)(ir::Model& model, PassContext& context);
  std::string_view summary;
};

/// All passes in the order they run.
std::span<const Pass> pipeline();

/// A position in the pipeline, which also goes back to earlier passes.
class PipelinePosition {
 public:
  /// The pass that is next; null at the end.
  const Pass* pass() const;
  /// Call after the pass has run. Returns whether the pipeline goes forward: it goes back if the pass has
  /// changed the model and repeats earlier ones. Throws base::InternalError if that does not end.
  bool advance(bool modified);

 private:
  std::size_t index_ = 0;
  int repetitions_ = 0;
};

/// Removes unused nodes, in bodies first: a body may contain the last use of an outer value.
void remove_dead_nodes(ir::Model& model);

/// Restores the topological order, removes unused nodes and infers the stale ones. Throws Failure
/// (invalid_model) if nodes do not fit each other: a size has become known that contradicts others.
void tidy(ir::Model& model);

/// Runs the pipeline. After a pass that changed the model, removes dead nodes and, unless the pass keeps
/// them, restores the order and infers the stale nodes. Unless passes are skipped, ends with require_legal().
void run_pipeline(ir::Model& model, PassContext& context);

/// Runs one pass of the pipeline in the same way; a pass that repeats runs until it changes nothing. Returns
/// whether it changed the model.
bool run_pass(ir::Model& model, const Pass& pass, PassContext& context);
/// The same once, also if it repeats.
bool run_pass_once(ir::Model& model, const Pass& pass, PassContext& context);

/// Throws base::InternalError if a fault of the target for which a workaround has a row affects a node.
/// `changing`: the passes that have changed the model since all workarounds were applied.
void require_legal(ir::Model& model, const target::Target& target,
                   std::span<const std::string_view> changing);

/// Applies the rows of one workaround alone, and checks the model as after a pass.
bool run_workaround(ir::Model& model, const Workaround& workaround, PassContext& context);

/// The faults that `pass` works around, with those of its rows.
target::FaultSet faults_of(const Pass& pass);

/// The properties that a later pass requires and that may no longer hold after `pass` has changed the model.
PropertySet broken_by(const Pass& pass);

/// The properties that hold to the end once they hold: those that legalisations ensure, and no_unused_nodes.
PropertySet lasting_properties();

/// The pass called `name`; null if no pass has that name.
const Pass* find_pass(std::string_view name);

}  // namespace onnx2ir::passes
