#include "frontend/reader/reader.hpp"

#include <fmt/core.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <onnx/defs/parser.h>

#include <algorithm>
#include <stdexcept>

#include "base/failure.hpp"
#include "base/memory_budget.hpp"
#include "frontend/reader/foreign_file.hpp"
#include "frontend/reader/functions.hpp"
#include "frontend/reader/model_check.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/weight_table.hpp"
#include "frontend/reader/wire_scan.hpp"

namespace onnx2ir::frontend {
namespace {

/// The nesting depth of messages: a graph in a graph is three levels. More than wire_scan admits.
constexpr int kMaxMessageDepth = 4 * kMaxGraphDepth + 64;

/// A stripped model, and the weights removed from it.
struct ModelBytes {
  std::string stripped;
  std::unique_ptr<WeightTable> weights;
  std::shared_ptr<const base::InputFile> file = nullptr;  ///< null when it came from memory
};

Result<ModelBytes> strip_memory(std::span<const std::byte> bytes, ExternalFolders folders) {
  auto stripped = strip_raw_data(bytes);
  if (!stripped) return std::move(stripped).error();
  return ModelBytes{std::move(stripped->bytes),
                    std::make_unique<WeightTable>(bytes, std::move(stripped->raw_data), std::move(folders))};
}

/// The parser recurses into brackets; no real model nests them deeper.
constexpr int kMaxBracketDepth = 256;

bool nests_too_deep(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '(':
      case '[':
      case '{':
      case '<':
        if (++depth > kMaxBracketDepth) return true;
        break;
      case ')':
      case ']':
      case '}':
      case '>':
        if (depth > 0) --depth;
        break;
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) {
          if (text[i] == '\\') ++i;
        }
        break;
      case '#':
        while (i < text.size() && text[i] != '\n') ++i;
        break;
      default:
        break;
    }
  }
  return false;
}

/// Whether a file is a model in text form, according to its extension (.onnxtxt or .txt) or its first bytes
/// `start`.
bool is_text_model(const std::filesystem::path& path, std::string_view start) {
  const auto extension = path.extension();
  if (extension == ".onnxtxt" || extension == ".txt") return true;
  // A model in text form begins with '<', after blanks and comments. A serialized message cannot begin with
  // it, because it would be the end of a group. It could begin with a blank, so the text before the '<' must
  // be readable as well.
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (start[i] == '<') return true;
    if (start[i] == '#') {
      i = std::min(start.find('\n', i), start.size());
    } else if (start[i] != ' ' && start[i] != '\t' && start[i] != '\r' && start[i] != '\n') {
      return false;
    }
  }
  return false;
}

/// The serialized ModelProto of `text`, or the problem (unreadable_model) why it cannot be parsed.
Result<std::string> serialize_text_model(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return unreadable_model("it contains a zero byte");
  if (nests_too_deep(text))
    return unreadable_model(fmt::format("its brackets are nested more than {} deep", kMaxBracketDepth));
  const std::string terminated(text);
  onnx::ModelProto model;
  try {
    onnx::OnnxParser parser(terminated.c_str());
    const auto status = parser.Parse(model);
    if (!status.IsOK()) return unreadable_model(status.ErrorMessage());
  } catch (const std::logic_error& error) {  // numbers out of range
    return unreadable_model(error.what());
  } catch (const std::runtime_error& error) {
    return unreadable_model(error.what());
  }
  std::string bytes;
  if (!model.SerializeToString(&bytes)) return unreadable_model("it is larger than 2 GiB");
  return bytes;
}

Result<ModelBytes> strip_text(std::string_view text, ExternalFolders folders) {
  auto bytes = serialize_text_model(text);
  if (!bytes) return std::move(bytes).error();
  return strip_memory(std::as_bytes(std::span(*bytes)), std::move(folders));
}

constexpr std::uint64_t kPrefix = std::uint64_t{1} << 16U;

/// The problem of bytes that begin with `start` and could not be scanned.
Problem explain_scan(const std::filesystem::path& path, std::string_view start, Problem problem) {
  if (auto foreign = recognize_foreign_file(path, start)) return *std::move(foreign);
  if (problem.code == DiagnosticCode::unreadable_input)
    return unreadable_model(std::move(problem.message), "copy or download the model again");
  return unreadable_model(fmt::format("it is not an ONNX model: {}", problem.message));
}

/// The problem of bytes that begin with `start`, if they are seen to be no model before they are scanned:
/// field 1 of ModelProto is the version of the format.
std::optional<Problem> explain_start(const std::filesystem::path& path, std::string_view start) {
  return start.starts_with('\x08') ? std::nullopt : recognize_foreign_file(path, start);
}

Result<ModelBytes> strip_opened_file(const std::filesystem::path& path,
                                     const std::shared_ptr<const base::InputFile>& file,
                                     ExternalFolders folders) {
  if (file->size() == 0) return unreadable_model("the file is empty");
  const std::string start = file->text(kPrefix);
  if (auto problem = explain_start(path, start)) return *std::move(problem);
  if (is_text_model(path, start)) return strip_text(file->text(), std::move(folders));
  auto stripped = strip_raw_data(*file);
  if (!stripped) return explain_scan(path, start, std::move(stripped).error());
  return ModelBytes{std::move(stripped->bytes),
                    std::make_unique<WeightTable>(file, std::move(stripped->raw_data), std::move(folders))};
}

Result<ModelBytes> strip_file(const std::filesystem::path& path, std::optional<ExternalFolders> folders) {
  base::FileResult file = base::open_file(path);
  if (!file) return explain_path(path, std::move(file.error().message));
  auto result =
      strip_opened_file(path, *file, folders ? *std::move(folders) : ExternalFolders::of_model(path));
  if (result) result->file = *file;
  return result;
}

/// The reason why there can be no external data in `folder`.
std::optional<Problem> folder_problem(const std::filesystem::path& folder) {
  std::error_code error;
  const auto status = std::filesystem::status(folder, error);
  if (std::filesystem::is_directory(status)) return std::nullopt;
  const std::string reason = error ? error.message() : "it is not a folder";
  return Problem{DiagnosticCode::bad_external_data,
                 fmt::format("the folder of its external data, '{}': {}", folder.string(), reason)};
}

Result<ModelBytes> strip_source(const ModelSource& source, const Options& options) {
  std::optional<ExternalFolders> named;
  if (const std::filesystem::path& folder = options.external_data_folder; !folder.empty()) {
    if (auto problem = folder_problem(folder)) return *std::move(problem);
    named = ExternalFolders::only(folder);
  }
  if (const auto* path = std::get_if<std::filesystem::path>(&source))
    return strip_file(*path, std::move(named));
  ExternalFolders folders = std::move(named).value_or(ExternalFolders());
  if (const auto* bytes = std::get_if<std::span<const std::byte>>(&source)) {
    // Bytes are read as characters. NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    const std::string_view start = text.substr(0, kPrefix);
    if (text.empty()) return unreadable_model("it is empty");
    if (auto problem = explain_start({}, start)) return *std::move(problem);
    if (is_text_model({}, start)) return strip_text(text, std::move(folders));
    auto stripped = strip_memory(*bytes, std::move(folders));
    if (!stripped) return explain_scan({}, start, std::move(stripped).error());
    return stripped;
  }
  const auto text = std::get<std::string_view>(source);
  if (text.empty()) return unreadable_model("it is empty");
  return strip_text(text, std::move(folders));
}

std::uint64_t source_size(const ModelSource& source, const ModelBytes& bytes) {
  if (const auto* const memory = std::get_if<std::span<const std::byte>>(&source)) return memory->size();
  if (const auto* const text = std::get_if<std::string_view>(&source)) return text->size();
  return bytes.file == nullptr ? 0 : bytes.file->size();
}

void report(const ModelSource& source, Problem problem, DiagnosticSink& sink) {
  const auto* const path = std::get_if<std::filesystem::path>(&source);
  const std::string name = path != nullptr ? fmt::format("'{}'", path->string()) : "the model";
  problem.message = fmt::format("{} cannot be read: {}", name, problem.message);
  sink.report(base::diagnostic_of(std::move(problem)));
}

/// An arena with blocks that fit the size of the model: millions of the small default blocks are slow.
std::unique_ptr<google::protobuf::Arena> make_arena(std::size_t model_size) {
  google::protobuf::ArenaOptions options;
  options.start_block_size = std::clamp<std::size_t>(model_size, 4096, 1 << 20);
  options.max_block_size = 1 << 20;
  return std::make_unique<google::protobuf::Arena>(options);
}

/// Null after an error, which is reported.
onnx::ModelProto* parse(const ModelSource& source, const ModelBytes& bytes, google::protobuf::Arena& arena,
                        DiagnosticSink& sink) {
  auto* const proto = google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena);
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.stripped.data()),
                                                static_cast<int>(bytes.stripped.size()));
  stream.SetRecursionLimit(kMaxMessageDepth);
  const bool is_parsed = proto->ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
  if (is_parsed && proto->has_graph()) return proto;
  // Some other formats are protobuf messages as well.
  std::optional<Problem> foreign;
  if (bytes.file != nullptr)
    foreign = recognize_foreign_file(std::get<std::filesystem::path>(source), bytes.file->text(kPrefix));
  if (!foreign && is_parsed) return proto;
  report(source, foreign.value_or(unreadable_model("it is not an ONNX model, or it is damaged")), sink);
  return nullptr;
}

/// Whether the model is not translated after `found`: one with undefined names is, to find more errors.
bool is_fatal(const Diagnostic& found) {
  return found.severity == Severity::error && found.code != DiagnosticCode::undefined_name;
}

}  // namespace

std::vector<std::shared_ptr<const base::InputFile>> LoadedModel::files() const {
  auto files = weights().external().files();
  if (parts_.file != nullptr) files.insert(files.begin(), parts_.file);
  return files;
}

const onnx::FunctionProto* LoadedModel::find_function(const onnx::NodeProto& node) const {
  return parts_.functions->find(node);
}

std::optional<LoadedModel> load_model(const ModelSource& source, const Options& options, DiagnosticSink& sink,
                                      std::vector<std::filesystem::path>* external_paths) {
  auto bytes = strip_source(source, options);
  if (!bytes) {
    report(source, std::move(bytes).error(), sink);
    return std::nullopt;
  }
  bytes->weights->external().set_source(options.external_data);
  // Most of a file without weights is nodes; weights are converted to larger types, and copied by passes.
  constexpr std::uint64_t kOfNodes = 256;
  constexpr std::uint64_t kOfWeights = 16;
  base::raise_default_budget(kOfNodes * bytes->stripped.size() + kOfWeights * source_size(source, *bytes));
  // The text of the model, and the message.
  constexpr std::uint64_t kCopies = 4;
  base::charge_permanently(kCopies * bytes->stripped.size());
  auto arena = make_arena(bytes->stripped.size());
  onnx::ModelProto* const proto = parse(source, *bytes, *arena, sink);
  if (proto == nullptr) return std::nullopt;
  bytes->stripped = {};

  const std::size_t first = sink.mark();
  InputOverrides overrides = change_interface(*proto, {options.inputs, options.outputs}, sink);
  OpsetImports opsets = import_opsets(*proto, sink);
  auto functions = std::make_unique<const FunctionIndex>(*proto);
  const bool is_ordered =
      check_model(*proto, opsets, *functions, *bytes->weights, options.max_function_nodes, sink);
  if (external_paths != nullptr) *external_paths = bytes->weights->external().paths();
  const std::span<const Diagnostic> found = std::span(sink.diagnostics()).subspan(first);
  if (std::ranges::any_of(found, is_fatal)) return std::nullopt;
  for (const auto& file : bytes->weights->external().files())
    base::raise_default_budget(kOfWeights * file->size());
  return LoadedModel(LoadedModel::Parts{.arena = std::move(arena),
                                        .proto = proto,
                                        .weights = std::move(bytes->weights),
                                        .file = std::move(bytes->file),
                                        .functions = std::move(functions),
                                        .opsets = std::move(opsets),
                                        .overrides = std::move(overrides),
                                        .is_ordered = is_ordered});
}

}  // namespace onnx2ir::frontend
