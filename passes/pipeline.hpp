// The passes and the order they run in.
//
// A pass is a function `bool name(ir::Model&, PassContext&)` in a file of its own, named for what it
// establishes. It says whether it changed anything, is idempotent, calls no other pass, and leaves a graph
// that infer() accepts. To add one: its file, its declaration in passes.hpp, its line in pipeline.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.hpp"
#include "onnx2ir/diagnostic.hpp"
#include "onnx2ir/dynamic_quantization.hpp"
#include "passes/properties.hpp"
#include "target/target.hpp"

namespace onnx2ir::passes {

using target::Fault;

#ifdef NDEBUG
inline constexpr bool kIsDebugBuild = false;
#else
inline constexpr bool kIsDebugBuild = true;
#endif

/// What a run of the pipeline shares with its passes and tells its caller.
struct PassContext {
  DiagnosticSink* sink = nullptr;
  /// The releases of OpenVINO that the model is made for: a workaround is active only if they have its fault.
  target::Target target;
  /// Called after each pass with its name, the seconds it took, and whether it changed the model. May be
  /// empty.
  std::function<void(std::string_view name, double seconds, bool modified)> finished;
  /// Called after each pass with the model, for dumps. May be empty.
  std::function<void(std::string_view name, const ir::Model& model)> inspect;
  /// The last pass to run; empty: all.
  std::string stop_after;
  /// Passes that are left out. Some of them keep the runtime from going wrong: for measurements only.
  std::vector<std::string> skipped;
  /// Whether loops of few iterations and a small body are to become their iterations.
  bool unroll_loops = false;
  /// Whether floating-point constants are to be kept in half precision.
  bool compress_to_fp16 = false;
  /// Whether the caches of a language model are to become variables (Options::stateful).
  bool stateful = false;
  /// In which products with quantised weights the CPU plugin may round the other input to 8 bits.
  DynamicQuantization dynamic_quantization = DynamicQuantization::automatic;
  /// Threads that look at large constants; 0: as many as the machine runs.
  unsigned threads = 0;
  /// Whether the model is verified and the properties of passes are checked; std::logic_error if something is
  /// wrong.
  bool checks = kIsDebugBuild;
};

/// What a pass is for; also the name of the folder it stands in.
enum class PassKind : std::uint8_t {
  normalize,  ///< makes graphs canonical, so that later passes see fewer forms
  optimize,   ///< makes the model faster or smaller
  legalize    ///< avoids what the runtime gets wrong
};

struct Pass {
  std::string_view name;
  PassKind kind;
  std::string_view summary;
  bool (*run)(ir::Model& model, PassContext& context);
  /// What must hold before the pass; passes before it ensure it.
  PropertySet required = {};
  /// What holds after the pass, and until another pass breaks it.
  PropertySet ensured = {};
  /// What need not hold any more if the pass has changed the model; for a legalisation also kNormalForm.
  PropertySet broken = {};
  /// The faults that a pass of kind legalize works around: it runs only if the target has one of them.
  target::FaultSet faults = {};
  /// If the pass has changed the model, the pipeline goes on with this earlier pass. Empty: with the next
  /// one.
  std::string_view repeats_from = {};
  /// Whether what it changes leaves the order of the nodes and all types as they are.
  bool keeps_order_and_types = false;
};

/// All passes in the order they run.
std::span<const Pass> pipeline();

/// Runs the pipeline. After a pass that changed something, dead nodes are removed and, unless it keeps them,
/// the order is restored and the types are inferred again.
void run_pipeline(ir::Model& model, PassContext& context);

/// Runs one pass of the pipeline in the same way, until it changes nothing if it repeats. Returns whether it
/// changed the model.
bool run_pass(ir::Model& model, const Pass& pass, PassContext& context);
/// The same once, also if it repeats.
bool run_pass_once(ir::Model& model, const Pass& pass, PassContext& context);

/// What need not hold any more after `pass` has changed the model.
PropertySet broken_by(const Pass& pass);

/// The pass called `name`; null if no pass is.
const Pass* find_pass(std::string_view name);

}  // namespace onnx2ir::passes
