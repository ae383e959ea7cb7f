// onnx2ir: ONNX models to OpenVINO IR, as a library.
//
//     onnx2ir::Conversion conversion = onnx2ir::convert_file("model.onnx");
//     for (const auto& finding : conversion.diagnostics) std::cerr << onnx2ir::to_string(finding) << '\n';
//     if (conversion.model) conversion.model->save("model.xml");
//
// Nothing here prints. Functions are re-entrant: any number of threads may convert at once; one Model object
// may be read by several threads (its const functions), but not assigned to or moved from while others use
// it. The only exception that leaves the library is std::bad_alloc, but for Model::xml() and weights().
// Models and what they refer to need not be trusted: what is damaged or out of range is an error among the
// diagnostics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <onnx2ir/diagnostic.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#if defined(__GNUC__)
#define ONNX2IR_API __attribute__((visibility("default")))
#else
#define ONNX2IR_API
#endif

namespace onnx2ir {

/// What a caller may choose. The defaults are what most want. The functions may be empty; they are called on
/// the thread that converts, and should not throw: a std::exception ends the conversion with an error.
struct Options {
  /// Folder that external data of a model given as bytes or text is looked up in; empty: external data is an
  /// error. Ignored for models read from a path, whose folder it is.
  std::filesystem::path external_data_folder;
  /// Called as the work goes on with the stage's name and the finished part of all work, 0 to 1.
  std::function<void(std::string_view stage, double fraction)> progress;
  /// The releases of OpenVINO that have to run the IR: one ("2025.4"), or a range of them
  /// ("2024.6..2026.4"). Empty: all supported releases, which is the whole of that range. A narrower target
  /// can give a smaller and faster IR, because workarounds for faults of other releases are left out. Any
  /// other text is an error among the diagnostics, with code "bad-target-runtime".
  std::string target_runtime;
  /// Keeps floating-point constants in half precision: half the size, and a Convert before each use. Numbers
  /// that half precision cannot hold, and what shapes are computed from, keep their precision, as do models
  /// with quantized weights.
  bool compress_to_fp16 = false;
  /// Threads that work on large constants; 0: as many as the machine runs. The result does not depend on it.
  unsigned threads = 0;
  /// The most nodes that calls of the model's own functions may add; a model that needs more is an error. A
  /// file of a kilobyte whose functions call each other twice can ask for billions of nodes.
  std::uint64_t max_function_nodes = 1'000'000;
  /// The most bytes that the conversion may take for the model's message, for nodes and for constants that
  /// are not in a file, by an estimate that other conversions of the process do not change; 0: no limit.
  /// Beyond it the conversion ends with the error "out-of-memory".
  std::uint64_t max_memory = 0;
  /// Keeps the parsed ONNX model as long as the converted one, for a process that ends with both: to take
  /// it apart would be in vain.
  bool keep_source = false;
  /// Names of passes after which `dump` is called with the graph's text form; "all" for every pass, "import"
  /// for the graph before the first pass. Here and below, names that no pass has do nothing.
  std::vector<std::string> print_after;
  /// See print_after.
  std::function<void(std::string_view pass, std::string_view text)> dump;
  /// The last pass to run; empty: all.
  std::string stop_after;
  /// Passes that are left out, to measure what they bring. The model may be wrong without them.
  std::vector<std::string> skip_passes;
  /// Loops whose few iterations are known, with a small body, become their iterations: faster to run, no Loop
  /// in the IR.
  bool unroll_loops = false;
  /// Called after each pass with the seconds it took and whether it changed anything.
  std::function<void(std::string_view pass, double seconds, bool modified)> pass_finished;
};

/// How a model is written.
struct SaveOptions {
  /// When save() waits until the files are on the disk, so that a machine that fails loses neither the old
  /// nor the new ones: if it replaces a file, always, or never.
  enum class Sync : std::uint8_t { replaced, always, never };
  Sync sync = Sync::replaced;
  /// Is told of each temporary file: before one gets a name (`is_there`), and when it is gone. A program that
  /// a signal ends can remove them. Where the file system can do that, a file has a temporary name only while
  /// it is renamed.
  std::function<void(const std::filesystem::path& path, bool is_there)> temporary;
  /// The largest XML that is written: a kilobyte of functions that call each other can ask for gigabytes.
  std::uint64_t max_xml_size = std::uint64_t{1} << 32U;
};

/// An input or output of a converted model. A sequence `y` is two of them, `y/values` and `y/shapes`; an
/// optional has `y/has_value` beside its value.
struct Port {
  std::string name;                 ///< the tensor's name in the ONNX model
  std::string element_type;         ///< IR name: "f32", "i64", "boolean"
  bool has_rank = true;             ///< whether `shape` is known at all
  std::vector<std::int64_t> shape;  ///< -1 for a dimension not known
};

/// A converted model, ready to be written. Weights are views on the model's files until then: keep those
/// unchanged.
class ONNX2IR_API Model {
 public:
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  /// In the order of the ONNX model's.
  std::vector<Port> inputs() const;
  std::vector<Port> outputs() const;

  /// Writes `xml` and the weights: to `bin`, or beside `xml` under its name with the ending .bin. Both take
  /// their names when they are complete, under a lock of their folders, so that two writers never leave the
  /// files of different models; on failure nothing that was there is changed. Files that the model was read
  /// from are not written over. Returns the reason of a failure.
  std::optional<Diagnostic> save(const std::filesystem::path& xml, const std::filesystem::path& bin = {},
                                 const SaveOptions& options = {}) const;

  /// The XML (UTF-8), and the weights it refers to by byte offsets, in memory. Weights are copied; little
  /// endian, as in the .bin. Throw std::runtime_error if a file of the model cannot be read any more.
  std::string xml() const;
  std::vector<std::byte> weights() const;

  /// The graph as text IR (docs/text-ir.md). Large constants are left out.
  std::string text() const;

  struct Implementation;
  explicit Model(std::unique_ptr<Implementation> implementation);

 private:
  std::unique_ptr<Implementation> implementation_;
};

/// The outcome of a conversion: a model, or none and at least one error among the diagnostics.
struct Conversion {
  std::optional<Model> model;
  std::vector<Diagnostic> diagnostics;  ///< in node order; warnings and remarks come with a model too
};

/// Converts the model at `path`: ONNX protobuf or ONNX text, told apart by its content. External data is
/// looked up in its folder. A file that cannot be read is an error among the diagnostics.
ONNX2IR_API Conversion convert_file(const std::filesystem::path& path, const Options& options = {});
/// Converts a serialized onnx::ModelProto. `bytes` need not outlive the call.
ONNX2IR_API Conversion convert_bytes(std::span<const std::byte> bytes, const Options& options = {});
/// Converts a model in ONNX's text form.
ONNX2IR_API Conversion convert_text(std::string_view text, const Options& options = {});

/// What is wrong with the files `xml` and `bin` (empty: beside `xml`, with the ending .bin): they cannot be
/// read, or save() did not write them together, as when the machine failed between the two. Reads the XML and
/// a bounded part of each constant. Nothing when they are a pair.
ONNX2IR_API std::optional<Diagnostic> check_files(const std::filesystem::path& xml,
                                                  const std::filesystem::path& bin = {});

/// A line or more for people: severity, message, place, notes, hint. No line break at the end.
ONNX2IR_API std::string to_string(const Diagnostic& diagnostic);
/// A JSON array, one object per diagnostic with the field names of the structs.
ONNX2IR_API std::string to_json(std::span<const Diagnostic> diagnostics);

/// How many cases of the ONNX backend suite have an operator, and how many of them pass in the suite's three
/// modes.
struct SuiteResults {
  int cases = 0;
  struct {
    int as_they_are = 0;
    int with_dynamic_shapes = 0;  ///< ranks kept
    int with_constants = 0;       ///< all inputs but the first are initializers
  } passed;
};

/// A row of the operator table: what is converted, and how.
struct OperatorInfo {
  std::string domain;  ///< "" for ai.onnx
  std::string name;
  std::vector<int> versions;  ///< the versions ONNX defines
  std::string lowering;       ///< "translator" or "function body"
  std::string limits;         ///< what is not converted; empty: nothing known
  SuiteResults suite;
};
/// All operators that are converted, sorted by domain and name.
ONNX2IR_API std::vector<OperatorInfo> supported_operators();

/// A pass: its name, as Options takes it, and what it does, in one line.
struct PassInfo {
  std::string_view name;
  std::string_view summary;
};
/// All passes in the order they run.
ONNX2IR_API std::vector<PassInfo> list_passes();

/// A fault of OpenVINO's CPU runtime that conversions work around.
struct FaultInfo {
  std::string_view name;      ///< "zero_trip_final_values"
  std::string_view summary;   ///< what goes wrong, in one sentence
  std::string first_release;  ///< the oldest supported release that has it: "2024.6"
  std::string last_release;   ///< the newest one; empty when the newest supported release has it
  /// The instruction sets that have it, as values of oneDNN's ONEDNN_MAX_CPU_ISA separated by spaces; empty:
  /// all.
  std::string_view instruction_sets;
};
/// All faults that have a workaround, sorted by name.
ONNX2IR_API std::vector<FaultInfo> list_faults();

/// The library's version: "0.1.0".
ONNX2IR_API std::string_view version();

}  // namespace onnx2ir
