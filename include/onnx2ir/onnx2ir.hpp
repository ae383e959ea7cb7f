// onnx2ir: a library that converts ONNX models to OpenVINO IR.
//
//     onnx2ir::Conversion conversion = onnx2ir::convert_file("model.onnx");
//     for (const auto& finding : conversion.diagnostics) std::cerr << onnx2ir::to_string(finding) << '\n';
//     if (conversion.model) conversion.model->save("model.xml");
//
// The library does not print. Functions are re-entrant: any number of threads may convert at once. The const
// functions of one Model may be called by several threads, but not while it is assigned or moved from. The
// only exception that leaves the library is std::bad_alloc, except in Model::xml(), weights(),
// copy_weights(), visit_layers(), text() and html(), and in diff(). Models and the files they refer to may be
// untrusted: damaged or out-of-range data is reported as an error in the diagnostics.
#pragma once

#if __cplusplus < 202002L
#error "onnx2ir/onnx2ir.hpp needs C++20: compile with -std=c++20, or use onnx2ir/onnx2ir.h"
#endif

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <onnx2ir/diagnostic.hpp>
#include <onnx2ir/difference.hpp>
#include <onnx2ir/export.hpp>
#include <onnx2ir/layers.hpp>
#include <onnx2ir/options.hpp>
#include <onnx2ir/statistics.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onnx2ir {

/// An input or output of a converted model. A sequence `y` has two ports, `y/values` and `y/shapes`; an
/// optional `y` has `y/has_value` in addition to its value.
struct Port {
  std::string name;                 ///< the tensor's name in the ONNX model
  std::string element_type;         ///< IR name: "f32", "i64", "boolean"
  bool has_rank = true;             ///< false: the rank is dynamic
  std::vector<std::int64_t> shape;  ///< -1 for a dynamic dimension
  /// The same dimensions with their bounds and names. Models that were read from IR have no names.
  std::vector<PortDimension> dimensions;
};

/// A converted model, ready to be written. Its weights are views on the model's files, which must not change
/// until it is written.
class ONNX2IR_API Model {
 public:
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  /// In the order of the ONNX model.
  std::vector<Port> inputs() const;
  std::vector<Port> outputs() const;

  /// The number of layers, with those in bodies.
  std::size_t layer_count() const;

  /// Writes the XML to `xml` and the weights to `bin` (by default `xml` with the extension .bin). Both files
  /// are renamed when both are complete, under a lock of their folders, so that two writers never leave the
  /// files of different models. On failure no existing file is changed. Files that the model was read from
  /// are not overwritten, nor are those of Conversion::files. Returns the reason of a failure.
  std::optional<Diagnostic> save(const std::filesystem::path& xml, const std::filesystem::path& bin = {},
                                 const SaveOptions& options = {}) const;

  /// Passes what save() would write to functions, in pieces of at most a few MiB and without seeking: first
  /// all weights, then all of the XML, so that the XML is complete only if the weights are. Of the options,
  /// max_xml_size, progress and is_cancelled matter. Returns the reason of a failure.
  std::optional<Diagnostic> write(const ByteSink& xml, const ByteSink& weights,
                                  const SaveOptions& options = {}) const;

  /// The XML (UTF-8), and the weights that it refers to by byte offsets, in memory (little endian, as in the
  /// .bin). Throws std::runtime_error if a file of the model cannot be read any more.
  std::string xml() const;
  std::vector<std::byte> weights() const;
  /// Writes the same weights to memory of the caller, for example of an ov::Tensor: `allocate` is called once
  /// with their size in bytes and returns the address. Throws like weights(), and what `allocate` throws.
  void copy_weights(const std::function<std::byte*(std::size_t size)>& allocate) const;

  /// Calls `visit` for each layer as it is written. Throws std::runtime_error if a file of the model cannot
  /// be read any more, and what `visit` throws.
  void visit_layers(const LayerVisitor& visit) const;

  /// The graph as it is written, as text (docs/golden-files.md), with a hash for each large constant. Throws
  /// std::runtime_error if a file of the model cannot be read any more.
  std::string text() const;

  /// The same, with a comment before each layer that names the ONNX node and the pass it comes from, and the
  /// faults of OpenVINO that the pass works around. Operators of ONNX are named if the model was converted
  /// with Options::keep_source. Throws like text().
  std::string text_with_origins() const;

  /// The graph as it is written, as an HTML page for a web browser (docs/html.md), which refers to no other
  /// file and runs only its own script. The same model gives the same bytes. Throws like text().
  std::string html() const;
  /// The same with a chart of these counts, which stats() has found with sizes for dynamic dimensions. The
  /// chart of html() has those without sizes.
  std::string html(const Stats& stats) const;

  struct Implementation;
  explicit Model(std::unique_ptr<Implementation> implementation);

 private:
  friend struct Legalizer;
  friend ONNX2IR_API Stats stats(const Model& model, const StatsOptions& options);
  friend ONNX2IR_API std::vector<Difference> differences(const Model& before, const Model& after,
                                                         const DiffOptions& options);
  friend ONNX2IR_API std::string differences_html(const Model& before, const Model& after,
                                                  const DiffOptions& options);
  std::unique_ptr<Implementation> implementation_;
};

/// The result of a conversion: a model, or no model and at least one error in the diagnostics.
struct Conversion {
  std::optional<Model> model;
  std::vector<Diagnostic> diagnostics;  ///< in node order; warnings and remarks come with a model too
  /// The files that were read, also if the conversion failed: the model, its external data, the operator map
  /// and extension libraries. Model::save() does not overwrite them.
  std::vector<std::filesystem::path> files = {};
};

/// Converts the model at `path`: ONNX protobuf or ONNX text, recognised by content. External data is looked
/// up in its folder. If a file cannot be read, the diagnostics contain an error.
ONNX2IR_API Conversion convert_file(const std::filesystem::path& path, const Options& options = {});
/// Converts a serialized onnx::ModelProto or ONNX text, recognised by content. `bytes` need not outlive the
/// call.
ONNX2IR_API Conversion convert_bytes(std::span<const std::byte> bytes, const Options& options = {});
/// Converts a model in ONNX text form.
ONNX2IR_API Conversion convert_text(std::string_view text, const Options& options = {});

/// Reads an IR of onnx2ir or of OpenVINO: an XML file, or a file of text IR (docs/text-ir.md) with the
/// extension .ir, and its weights (by default `xml` with the extension .bin, if that file exists). The
/// weights must not change as long as the model is used. If the files cannot be read, the diagnostics contain
/// an error.
ONNX2IR_API Conversion read_ir(const std::filesystem::path& xml, const std::filesystem::path& bin = {});

/// Reads an IR in memory: Model::xml() and Model::weights() of the model, or the content of OpenVINO's files.
ONNX2IR_API Conversion read_ir_bytes(std::string_view xml, std::vector<std::byte> weights);

/// A layer as a JSON object with the fields of the struct; of a constant, its size.
ONNX2IR_API std::string to_json(const Layer& layer);

/// The differences between two models, one line each; empty if they are equal. Compares the interface, the
/// operations with names, attributes, types, shapes and weights, and the connections, also in bodies
/// (docs/golden-files.md). The order of layers and their ids do not matter. Throws std::runtime_error if a
/// file of a model cannot be read any more.
ONNX2IR_API std::vector<std::string> diff(const Model& before, const Model& after);

/// A layer that a fault of OpenVINO affects.
struct AffectedLayer {
  std::string layer;       ///< "loop/body/Add_3"; empty if the fault concerns the whole model
  std::string operation;   ///< the type of the layer: "Add"
  std::string_view fault;  ///< FaultInfo::name
  /// Not empty: the reason why nothing can be changed.
  std::string warning;
};

/// The result of lint().
struct Lint {
  std::vector<AffectedLayer> layers;    ///< by fault, in the order of the graph
  std::vector<Diagnostic> diagnostics;  ///< an error if the target is not supported
};

/// The layers of an IR, of onnx2ir or another program, that releases of the target compute wrongly or cannot
/// compile: those that legalize() would change (docs/lint.md). Of the options, only target_runtime and
/// dynamic_quantization matter.
ONNX2IR_API Lint lint(const Model& model, const Options& options = {});

/// A copy of an IR, of onnx2ir or another program, in which the faults of the target's releases are worked
/// around. Uses the options target_runtime, dynamic_quantization, threads and debug.pass_finished. Nothing
/// is optimised. Files that `model` was read from are not overwritten by Model::save().
ONNX2IR_API Conversion legalize(const Model& model, const Options& options = {});

/// Counts the operators, weights, arithmetic and memory of a model (docs/stats.md). Of a conversion, also the
/// operators of the ONNX model. Sizes that do not fit the model are errors in the diagnostics.
ONNX2IR_API Stats stats(const Model& model, const StatsOptions& options = {});
/// Parses "batch=8,x[1]=224".
ONNX2IR_API Result<std::vector<std::pair<std::string, std::int64_t>>> parse_sizes(std::string_view text);

/// The same as diff(), with options and in parts.
ONNX2IR_API std::vector<Difference> differences(const Model& before, const Model& after,
                                                const DiffOptions& options = {});

/// An HTML page like that of Model::html() with both graphs side by side, in which the layers that differ are
/// marked. Throws like differences().
ONNX2IR_API std::string differences_html(const Model& before, const Model& after,
                                         const DiffOptions& options = {});

/// The reason why `xml` and `bin` (by default `xml` with the extension .bin) cannot be read or were not
/// written together by save(), for example because the machine failed between the two. No value if they are a
/// pair. Reads the XML and a bounded part of each constant.
ONNX2IR_API std::optional<Diagnostic> check_files(const std::filesystem::path& xml,
                                                  const std::filesystem::path& bin = {});

/// The paths of external data that the model at `path` names; empty if it cannot be read. Reads
/// the model without its weights. `folder`: Options::external_data_folder.
ONNX2IR_API std::vector<std::filesystem::path> external_files(const std::filesystem::path& path,
                                                              const std::filesystem::path& folder = {});

/// A file that a program reads or writes while it writes another one.
struct UsedFile {
  std::filesystem::path path;
  std::string use;  ///< completes "which ...": "the model is read from"
};

/// The reason why a program must not write to `output`: it is one of the `used` files, under any name. Files
/// that do not exist yet are compared by their paths, with symbolic links resolved. No value if it may.
ONNX2IR_API std::optional<Diagnostic> output_problem(const std::filesystem::path& output,
                                                     std::span<const UsedFile> used);

/// The same for several files that a program writes: `use` completes "which ..." for each of them. They must
/// not be one file either. Takes time in proportion to the number of files.
ONNX2IR_API std::optional<Diagnostic> output_problem(std::span<const UsedFile> written,
                                                     std::span<const UsedFile> used);

/// Text for people, one or more lines: severity, message, place, notes, hint. Does not end with a line break.
ONNX2IR_API std::string to_string(const Diagnostic& diagnostic);
/// Text for all diagnostics. Those that differ only in their places are merged. A long list starts with a
/// summary of one line per text.
ONNX2IR_API std::string to_string(std::span<const Diagnostic> diagnostics);
/// A JSON array, one object per diagnostic with the field names of the structs.
ONNX2IR_API std::string to_json(std::span<const Diagnostic> diagnostics);

/// A conversion for tools: a JSON object with the inputs and outputs of the model (null without a model) and
/// the diagnostics.
ONNX2IR_API std::string to_json(const Conversion& conversion);
/// The layers that lint() found: a JSON array of objects with the keys layer, operation, fault, summary,
/// first_release, last_release, instruction_sets (as in FaultInfo) and warning.
ONNX2IR_API std::string to_json(const Lint& lint);
/// Tables for people, and a JSON object with the fields of the structs.
ONNX2IR_API std::string to_string(const Stats& stats);
ONNX2IR_API std::string to_json(const Stats& stats);
/// A JSON array with the parts of each difference; numbers that are not finite are null.
ONNX2IR_API std::string to_json(std::span<const Difference> differences);
/// `text` as a JSON string, quotes included.
ONNX2IR_API std::string json_string(std::string_view text);

/// A row of the operator table.
struct OperatorInfo {
  std::string domain;  ///< "" for ai.onnx
  std::string name;
  std::vector<int> versions;  ///< the versions ONNX defines
  std::string lowering;       ///< "translator" or "function body"
  std::string limits;         ///< what is not converted; may be empty
};
/// All operators that are converted, sorted by domain and name.
ONNX2IR_API std::vector<OperatorInfo> supported_operators();

/// A pass: its name for Options, a one-line summary, and names of properties (docs/passes.md).
struct PassInfo {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> required;  ///< hold before the pass
  std::vector<std::string_view> ensured;   ///< hold after the pass
};
/// All passes in the order they run.
ONNX2IR_API std::vector<PassInfo> list_passes();

/// A fault of OpenVINO's CPU runtime that conversions work around.
struct FaultInfo {
  std::string_view name;      ///< "zero_trip_final_values"
  std::string_view summary;   ///< what goes wrong, in one sentence
  std::string first_release;  ///< the oldest supported release that has it: "2024.6"
  std::string last_release;   ///< the newest one; empty if the newest supported release has it
  /// The instruction sets that have the fault, as values of oneDNN's ONEDNN_MAX_CPU_ISA separated by spaces;
  /// empty: all.
  std::string_view instruction_sets;
};
/// All faults that have a workaround, sorted by name.
ONNX2IR_API std::vector<FaultInfo> list_faults();

/// The library's version: "0.1.0".
ONNX2IR_API std::string_view version();

}  // namespace onnx2ir
