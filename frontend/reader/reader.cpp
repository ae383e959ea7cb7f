#include "frontend/reader/reader.hpp"

#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <onnx/onnx_pb.h>

#include <algorithm>

#include "frontend/reader/function_index.hpp"
#include "frontend/reader/model_check.hpp"
#include "frontend/reader/model_file.hpp"
#include "frontend/reader/text_model.hpp"
#include "frontend/reader/weight_table.hpp"
#include "frontend/reader/wire_scan.hpp"
#include "ir/memory_budget.hpp"

namespace onnx2ir::frontend {
namespace {

/// Messages in messages: a graph in a graph is three of them. More than wire_scan lets pass.
constexpr int kMaxMessageDepth = 4 * kMaxGraphDepth + 64;

/// A stripped model and the weights taken out of it.
struct ModelBytes {
  std::string stripped;
  std::unique_ptr<WeightTable> weights;
  std::shared_ptr<const ir::InputFile> file = nullptr;  ///< null when it came from memory
};

/// The first `size` bytes of `file`, or all of it if it is shorter.
std::string read_prefix(const ir::InputFile& file, std::uint64_t size) {
  std::string text(std::min(size, file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

std::optional<ModelBytes> strip_memory(std::span<const std::byte> bytes, ExternalFolders folders,
                                       std::string& problem) {
  auto stripped = strip_raw_data(bytes, problem);
  if (!stripped) return std::nullopt;
  return ModelBytes{std::move(stripped->bytes),
                    std::make_unique<WeightTable>(bytes, std::move(stripped->raw_data), std::move(folders))};
}

std::optional<ModelBytes> strip_text(std::string_view text, ExternalFolders folders, std::string& problem) {
  const auto bytes = serialize_text_model(text, problem);
  if (!bytes) return std::nullopt;
  return strip_memory(std::as_bytes(std::span(*bytes)), std::move(folders), problem);
}

std::optional<ModelBytes> strip_file(const std::filesystem::path& path, std::string& problem) {
  FileResult opened = open_file(path);
  if (!opened.file) {
    problem = std::move(opened.problem);
    return std::nullopt;
  }
  const std::shared_ptr<const ir::InputFile> file = std::move(opened.file);
  if (file->size() == 0) {
    problem = "the file is empty";
    return std::nullopt;
  }
  constexpr std::uint64_t kPrefix = std::uint64_t{1} << 16U;
  ExternalFolders folders = ExternalFolders::of_model(path);
  std::optional<ModelBytes> result;
  if (is_text_model(path, read_prefix(*file, kPrefix))) {
    result = strip_text(read_prefix(*file, file->size()), std::move(folders), problem);
  } else if (auto stripped = strip_raw_data(*file, problem)) {
    result =
        ModelBytes{std::move(stripped->bytes),
                   std::make_unique<WeightTable>(file, std::move(stripped->raw_data), std::move(folders))};
  } else {
    problem = fmt::format("it is not an ONNX model: {}", problem);
  }
  if (result) result->file = file;
  return result;
}

std::optional<ModelBytes> strip_source(const ModelSource& source, const LoadOptions& options,
                                       std::string& problem) {
  if (const auto* path = std::get_if<std::filesystem::path>(&source)) return strip_file(*path, problem);
  ExternalFolders folders;
  if (!options.external_data_folder.empty()) folders = ExternalFolders::only(options.external_data_folder);
  if (const auto* bytes = std::get_if<std::span<const std::byte>>(&source)) {
    return strip_memory(*bytes, std::move(folders), problem);
  }
  return strip_text(std::get<std::string_view>(source), std::move(folders), problem);
}

std::string source_name(const ModelSource& source) {
  if (const auto* path = std::get_if<std::filesystem::path>(&source))
    return fmt::format("'{}'", path->string());
  return "the model";
}

/// An arena whose blocks fit the model: the default ones are small, and millions of them are slow.
std::unique_ptr<google::protobuf::Arena> make_arena(std::size_t model_size) {
  google::protobuf::ArenaOptions options;
  options.start_block_size = std::clamp<std::size_t>(model_size, 4096, 1 << 20);
  options.max_block_size = 1 << 20;
  return std::make_unique<google::protobuf::Arena>(options);
}

const onnx::ModelProto* parse(const std::string& bytes, google::protobuf::Arena& arena) {
  auto* proto = google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena);
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(kMaxMessageDepth);
  return proto->ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage() ? proto : nullptr;
}

}  // namespace

LoadedModel::LoadedModel(std::unique_ptr<google::protobuf::Arena> arena, const onnx::ModelProto& proto,
                         std::unique_ptr<const WeightTable> weights,
                         std::shared_ptr<const ir::InputFile> file,
                         std::unique_ptr<const FunctionIndex> functions, OpsetImports opsets, bool is_ordered)
    : arena_(std::move(arena)),
      proto_(&proto),
      weights_(std::move(weights)),
      file_(std::move(file)),
      functions_(std::move(functions)),
      opsets_(std::move(opsets)),
      is_ordered_(is_ordered) {}
LoadedModel::LoadedModel(LoadedModel&&) noexcept = default;
LoadedModel& LoadedModel::operator=(LoadedModel&&) noexcept = default;
LoadedModel::~LoadedModel() = default;

std::vector<std::shared_ptr<const ir::InputFile>> LoadedModel::files() const {
  auto files = weights_->external_files();
  if (file_ != nullptr) files.insert(files.begin(), file_);
  return files;
}

const onnx::FunctionProto* LoadedModel::find_function(const onnx::NodeProto& node) const {
  return functions_->find(node);
}

std::optional<LoadedModel> load_model(const ModelSource& source, const LoadOptions& options,
                                      DiagnosticSink& sink) {
  std::string problem;
  auto bytes = strip_source(source, options, problem);
  if (!bytes) {
    sink.error("unreadable-model", fmt::format("{} cannot be read: {}", source_name(source), problem));
    return std::nullopt;
  }
  // The text of the model and the message.
  constexpr std::uint64_t kCopies = 4;
  ir::charge_for_good(kCopies * bytes->stripped.size());
  auto arena = make_arena(bytes->stripped.size());
  const onnx::ModelProto* proto = parse(bytes->stripped, *arena);
  if (proto == nullptr) {
    sink.error("unreadable-model", fmt::format("{} cannot be read: it is not an ONNX model, or it is damaged",
                                               source_name(source)));
    return std::nullopt;
  }
  bytes->stripped = {};

  const std::size_t errors_before = sink.error_count();
  OpsetImports opsets = import_opsets(*proto, sink);
  auto functions = std::make_unique<const FunctionIndex>(*proto);
  const bool is_ordered =
      check_model(*proto, opsets, *functions, *bytes->weights, options.max_function_nodes, sink);
  if (sink.error_count() != errors_before) return std::nullopt;
  return LoadedModel(std::move(arena), *proto, std::move(bytes->weights), std::move(bytes->file),
                     std::move(functions), std::move(opsets), is_ordered);
}

}  // namespace onnx2ir::frontend
