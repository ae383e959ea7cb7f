// The options of a conversion: structs for C++, and by name for the command line, C and Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <onnx2ir/export.hpp>
#include <onnx2ir/interface.hpp>
#include <onnx2ir/quantization.hpp>
#include <onnx2ir/result.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onnx2ir {

/// Options for debugging the compiler. The functions may be empty.
struct DebugOptions {
  /// Names of passes after which `dump` is called with the graph as text; "all" for every pass, "import" for
  /// the graph before the first pass. Here and below, unknown names are ignored.
  std::vector<std::string> print_after;
  /// See print_after.
  std::function<void(std::string_view pass, std::string_view text)> dump;
  /// The last pass to run; empty: all.
  std::string stop_after;
  /// Passes to skip, for measurements. The converted model may be wrong without them.
  std::vector<std::string> skip_passes;
  /// Called after each stage ("import") and each pass with the seconds it took and whether it changed the
  /// model.
  std::function<void(std::string_view pass, double seconds, bool modified)> pass_finished;
};

/// Data that the program supplies instead of a file. It is read once, in order, during the conversion, and is
/// in memory as long as the converted model.
struct SuppliedData {
  std::uint64_t size = 0;  ///< bytes
  /// Fills `target`, at most a MiB, with the bytes from `offset` on, and returns whether it could.
  std::function<bool(std::uint64_t offset, std::span<std::byte> target)> read;
};

/// The options of a conversion. The functions may be empty; they are called on the converting thread and
/// should not throw: a std::exception ends the conversion with an error.
struct Options {
  /// Inputs of the converted model that differ from those of the model: see InterfaceSpec::inputs.
  std::vector<InputSpec> inputs;
  /// The tensors that become the outputs of the converted model; empty: the model's outputs.
  std::vector<std::string> outputs;
  /// The folder of external data, which must exist; empty: that of the model's path, and for a model given as
  /// bytes or text none, so that external data is an error.
  std::filesystem::path external_data_folder;
  /// Supplies the external data at `location`, as the model names it, for example if it is encrypted or on
  /// another machine. Called once for each location; no value: it is a file in the folder. A location must be
  /// a relative path without "..", as for files.
  std::function<std::optional<SuppliedData>(const std::string& location)> external_data;
  /// Called during the conversion with the name of the stage and the finished fraction of the work, 0 to 1.
  std::function<void(std::string_view stage, double fraction)> progress;
  /// Called after each node and each pass: true ends the conversion with the error "cancelled".
  std::function<bool()> is_cancelled;
  /// The releases of OpenVINO that must be able to run the IR: one ("2025.4") or a range ("2025.0..2026.0").
  /// Empty: all supported releases. A narrower target can give a smaller and faster IR, because workarounds
  /// for faults of other releases are omitted. Any other text is an error with the code "bad-target-runtime".
  std::string target_runtime;
  /// A JSON file with rules that convert operators to operations of the IR (docs/extensions.md). They take
  /// precedence over the translations of onnx2ir. Empty: no rules.
  std::filesystem::path operator_map;
  /// Libraries with translators of operators (onnx2ir/extension.hpp, docs/extensions.md), which take
  /// precedence over the translations of onnx2ir. They stay loaded until the process ends.
  std::vector<std::filesystem::path> extensions;
  /// Keeps operators that have no translation as layers of an extension of OpenVINO, which the program that
  /// runs the IR loads (docs/extensions.md). The model must declare the types of their outputs.
  bool keep_unknown = false;
  /// Stores floating-point constants in half precision: half the size, with a Convert before each use.
  /// Numbers that half precision cannot hold, constants that shapes are computed from, and models with
  /// quantised weights keep their precision.
  bool compress_to_fp16 = false;
  /// Keeps the caches of a language model in variables, as OpenVINO GenAI expects: each input `past*` with an
  /// output `present*` becomes ReadValue and Assign, and the input `beam_idx` selects the rows of the batch
  /// to continue. A model without such a pair is an error, "no-cache".
  bool stateful = false;
  /// Whether quantised models use the integer kernels of the runtime, or reproduce the rounding of
  /// onnxruntime.
  Quantization quantization = Quantization::fast;
  /// In which products with quantised weights the CPU plugin may round the other input. The IR contains a
  /// runtime option that forbids it elsewhere; a program can override that when it compiles the model.
  DynamicQuantization dynamic_quantization = DynamicQuantization::automatic;
  /// Threads that process large constants; 0: as many as the machine has. The result does not depend on it.
  unsigned threads = 0;
  /// The most nodes that calls of the model's own functions may add; more are an error. A file of a kilobyte
  /// whose functions call each other twice can expand to billions of nodes.
  std::uint64_t max_function_nodes = 1'000'000;
  /// The most bytes that the conversion may use for the parsed model, for nodes, and for constants that are
  /// not in a file. This is an estimate that does not depend on other conversions in the process. If it is
  /// exceeded, the conversion ends with the error "out-of-memory". 0: no limit. No value: 512 MiB and a
  /// multiple of the size of the model's files, which models reach only if a small file is made to expand.
  std::optional<std::uint64_t> max_memory;
  /// Keeps the parsed ONNX model as long as the converted one, so that a process that ends after the
  /// conversion saves the time to free it.
  bool keep_source = false;
  /// Unrolls loops with few, statically known iterations and a small body: faster to run, but without a Loop
  /// in the IR.
  bool unroll_loops = false;
  DebugOptions debug;
};

/// Receives output in pieces; returns false to end the writing with the error "cannot-write".
using ByteSink = std::function<bool(std::span<const std::byte> bytes)>;

/// Options for writing a model.
struct SaveOptions {
  /// When save() waits until the files are on the disk, so that a system failure loses neither the old nor
  /// the new files: only if a file is replaced, always, or never.
  enum class Sync : std::uint8_t { replaced, always, never };
  Sync sync = Sync::replaced;
  /// Called before a temporary file gets a name (`is_there`), and after it is gone, so that a program that is
  /// ended by a signal can remove it. If the file system supports it, a file has a temporary name only during
  /// the rename.
  std::function<void(const std::filesystem::path& path, bool is_there)> temporary;
  /// The largest XML to write: a kilobyte of functions that call each other can expand to gigabytes.
  std::uint64_t max_xml_size = std::uint64_t{1} << 32U;
  /// Called while the files are written with the name of the stage ("weights", "xml", "disk", "done") and the
  /// finished fraction of the work, 0 to 1. This function and is_cancelled may be empty, are called on the
  /// writing thread, and should not throw.
  std::function<void(std::string_view stage, double fraction)> progress;
  /// Called at least for each 16 MiB that is written: true ends the writing with the error "cancelled". The
  /// previous files are then unchanged.
  std::function<bool()> is_cancelled;
};

/// An option by name. The command line, its documents, C and Python take all names, texts and checks from
/// these tables.
struct OptionInfo {
  enum class Kind : std::uint8_t {
    flag,  ///< "true" or "false", in any case
    text,  ///< any other value
    list   ///< a value that can be given several times; values accumulate
  };
  std::string_view name;        ///< "target_runtime"; on the command line --target-runtime
  std::string_view value_name;  ///< "RELEASES", for texts; empty for flags
  std::string_view summary;     ///< one sentence without a full stop
  std::string_view group;       ///< heading in lists of options: "Model", "IR", "Limits", "Compiler"
  Kind kind = Kind::text;
  std::span<const std::string_view> choices = {};  ///< the only valid texts; empty: any text
};

/// The options of a conversion and of writing a model.
ONNX2IR_API std::vector<OptionInfo> list_options();
ONNX2IR_API std::vector<OptionInfo> list_save_options();

/// The value of a flag: "true" or "false" in any case, or no value.
ONNX2IR_API std::optional<bool> parse_flag(std::string_view text);
/// Sets `flag` to the value that `text` gives: see parse_flag(). If `text` gives no value, returns an error
/// message, and `flag` is unchanged.
ONNX2IR_API std::optional<std::string> set_flag(bool& flag, std::string_view text);

/// The position of `text` in `choices`, or a problem that lists them.
ONNX2IR_API Result<std::size_t> parse_choice(std::string_view text,
                                             std::span<const std::string_view> choices);
/// Sets `choice` to the value of the enumeration that has the name `text`. `names`: in the order of the
/// enumeration. If no name is equal to `text`, returns an error message, and `choice` is unchanged.
template <typename Choice>
std::optional<std::string> set_choice(Choice& choice, std::string_view text,
                                      std::span<const std::string_view> names) {
  const Result<std::size_t> position = parse_choice(text, names);
  if (!position) return position.error().message;
  choice = static_cast<Choice>(*position);
  return std::nullopt;
}

/// Sets the option `name` (hyphens and underscores are equivalent). Returns the reason if the name or the
/// value is invalid; `options` is unchanged then.
ONNX2IR_API std::optional<std::string> set_option(Options& options, std::string_view name,
                                                  std::string_view value);
ONNX2IR_API std::optional<std::string> set_option(SaveOptions& options, std::string_view name,
                                                  std::string_view value);

/// Parses a list of inputs: "data[1,3,224,224],length[?]", "x[1..3,8]{f16}", "rate->16000", "[1,3],[3]". A
/// backslash escapes the next character.
ONNX2IR_API Result<std::vector<InputSpec>> parse_inputs(std::string_view text);

/// The name in `known` that is most similar to `name`, for messages; empty if none is similar.
ONNX2IR_API std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

}  // namespace onnx2ir
