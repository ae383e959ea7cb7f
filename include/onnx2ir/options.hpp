// What a caller may choose, in C++ as structs, and by name for the command line, C and Python.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <onnx2ir/dynamic_quantization.hpp>
#include <onnx2ir/export.hpp>
#include <onnx2ir/interface.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onnx2ir {

/// What shows or changes the work of the compiler, for people who look into it. The functions may be empty.
struct DebugOptions {
  /// Names of passes after which `dump` is called with the graph's text form; "all" for every pass, "import"
  /// for the graph before the first pass. Here and below, names that no pass has do nothing.
  std::vector<std::string> print_after;
  /// See print_after.
  std::function<void(std::string_view pass, std::string_view text)> dump;
  /// The last pass to run; empty: all.
  std::string stop_after;
  /// Passes that are left out, to measure what they bring. The model may be wrong without them.
  std::vector<std::string> skip_passes;
  /// Called after each stage ("import") and each pass with the seconds it took and whether it changed
  /// anything.
  std::function<void(std::string_view pass, double seconds, bool modified)> pass_finished;
};

/// What a caller may choose. The defaults are what most want. The functions may be empty; they are called on
/// the thread that converts, and should not throw: a std::exception ends the conversion with an error.
struct Options {
  /// Inputs of the converted model that differ from the model's own, as InterfaceSpec::inputs says.
  std::vector<InputSpec> inputs;
  /// The tensors that become the outputs of the converted model; empty: the model's outputs.
  std::vector<std::string> outputs;
  /// Folder that external data of a model given as bytes or text is looked up in; empty: external data is an
  /// error. Ignored for models read from a path, whose folder it is.
  std::filesystem::path external_data_folder;
  /// Called as the work goes on with the stage's name and the finished part of all work, 0 to 1.
  std::function<void(std::string_view stage, double fraction)> progress;
  /// Asked after each node and each pass: true ends the conversion with the error "cancelled".
  std::function<bool()> is_cancelled;
  /// The releases of OpenVINO that have to run the IR: one ("2025.4"), or a range of them
  /// ("2024.6..2026.4"). Empty: all supported releases, which is the whole of that range. A narrower target
  /// can give a smaller and faster IR, because workarounds for faults of other releases are left out. Any
  /// other text is an error among the diagnostics, with code "bad-target-runtime".
  std::string target_runtime;
  /// Keeps floating-point constants in half precision: half the size, and a Convert before each use. Numbers
  /// that half precision cannot hold, and what shapes are computed from, keep their precision, as do models
  /// with quantized weights.
  bool compress_to_fp16 = false;
  /// Keeps the caches of a language model in variables, as OpenVINO GenAI expects: each input `past*` whose
  /// output is `present*` becomes ReadValue and Assign, and the input `beam_idx` chooses the rows of the
  /// batch that go on. A model without such a pair is an error, "no-cache".
  bool stateful = false;
  /// In which products with quantised weights the CPU plugin may round. The IR carries a runtime option that
  /// forbids it; a program can override that when it compiles the model.
  DynamicQuantization dynamic_quantization = DynamicQuantization::automatic;
  /// Threads that work on large constants; 0: as many as the machine runs. The result does not depend on it.
  unsigned threads = 0;
  /// The most nodes that calls of the model's own functions may add; a model that needs more is an error. A
  /// file of a kilobyte whose functions call each other twice can ask for billions of nodes.
  std::uint64_t max_function_nodes = 1'000'000;
  /// The most bytes that the conversion may take for the model's message, for nodes and for constants that
  /// are not in a file, by an estimate that other conversions of the process do not change; 0: no limit.
  /// Beyond it the conversion ends with the error "out-of-memory".
  std::uint64_t max_memory = 0;
  /// Keeps the parsed ONNX model as long as the converted one. A process that ends after the conversion saves
  /// the time to free it.
  bool keep_source = false;
  /// Loops whose few iterations are known, with a small body, become their iterations: faster to run, no Loop
  /// in the IR.
  bool unroll_loops = false;
  DebugOptions debug;
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

/// An option by its name. The command line, its documents, C and Python take all names, texts and checks from
/// the tables of these.
struct OptionInfo {
  enum class Kind : std::uint8_t {
    flag,  ///< "true" or "false", in any case
    text,  ///< any other value
    list   ///< a value that can be given several times; each adds to the ones before
  };
  std::string_view name;        ///< "target_runtime"; on the command line --target-runtime
  std::string_view value_name;  ///< "RELEASES", for texts; empty for flags
  std::string_view summary;     ///< one sentence without a full stop
  std::string_view group;       ///< heading in lists of options: "Model", "IR", "Limits", "Compiler"
  Kind kind = Kind::text;
};

/// The options of a conversion, and those of writing a model.
ONNX2IR_API std::vector<OptionInfo> list_options();
ONNX2IR_API std::vector<OptionInfo> list_save_options();

/// Sets the option `name` (hyphens and underscores are the same). Returns what is wrong with the name or the
/// value; `options` is unchanged then.
ONNX2IR_API std::optional<std::string> set_option(Options& options, std::string_view name,
                                                  std::string_view value);
ONNX2IR_API std::optional<std::string> set_option(SaveOptions& options, std::string_view name,
                                                  std::string_view value);

/// Reads a list of inputs: "data[1,3,224,224],length[?]", "x[1..3,8]{f16}", "rate->16000", "[1,3],[3]". A
/// backslash takes the meaning from the character after it. Throws nothing; nothing is returned and `problem`
/// set if the text is malformed.
ONNX2IR_API std::optional<std::vector<InputSpec>> parse_inputs(std::string_view text, std::string& problem);

/// The one of `known` that `name` was probably meant to be, for messages; empty when none is near.
ONNX2IR_API std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

}  // namespace onnx2ir
