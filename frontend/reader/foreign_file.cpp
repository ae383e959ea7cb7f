#include "frontend/reader/foreign_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <vector>

#include "base/ascii_case.hpp"
#include "base/nearest_name.hpp"

namespace onnx2ir::frontend {
namespace {

using namespace std::string_view_literals;

/// Skips a byte order mark and blanks.
std::string_view text_start(std::string_view start) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (start.starts_with(kMark)) start.remove_prefix(kMark.size());
  const auto first = start.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view() : start.substr(first);
}

std::optional<Problem> recognize_text(std::string_view start) {
  if (start.starts_with("version https://git-lfs.github.com/spec/")) {
    constexpr std::string_view kSize = "\nsize ";
    const auto at = start.find(kSize);
    const std::string_view size =
        at == std::string_view::npos
            ? ""
            : start.substr(at + kSize.size(), start.find('\n', at + 1) - at - kSize.size());
    return unreadable_model(fmt::format("it is a git-LFS pointer, not the model itself{}",
                                        size.empty() ? "" : fmt::format(", which has {} bytes", size)),
                            "fetch the model: git lfs pull");
  }
  const std::string begin =
      base::lower_case(text_start(start.substr(0, std::min<std::size_t>(start.size(), 4096))));
  if (begin.starts_with("<!doctype html") || begin.starts_with("<html"))
    return unreadable_model("it is an HTML page, not a model",
                            "open the page: the download may need a login or another address");
  const bool is_xml = begin.starts_with("<?xml");
  if (begin.starts_with("<net ") || (is_xml && begin.find("<net ") != std::string::npos))
    return unreadable_model("it is an OpenVINO IR already", "use it with OpenVINO's read_model");
  if (is_xml) return unreadable_model("it is an XML file", {});
  return std::nullopt;
}

/// A format that is recognised by bytes at a certain offset.
struct FileSignature {
  std::size_t offset;
  std::string_view bytes;
  std::string_view what;
  std::string_view hint;
};

constexpr std::string_view kTorchHint = "export the model from PyTorch: torch.onnx.export";
constexpr std::string_view kKerasHint = "export the model with tf2onnx";

constexpr auto kSignatures = std::to_array<FileSignature>({
    {0, "\x1F\x8B"sv, "it is compressed with gzip", "decompress it: gunzip"},
    {0, "\x28\xB5\x2F\xFD"sv, "it is compressed with zstd", "decompress it: unzstd"},
    {0, "\xFD\x37zXZ\0"sv, "it is compressed with xz", "decompress it: unxz"},
    {0, "BZh"sv, "it is compressed with bzip2", "decompress it: bunzip2"},
    {4, "TFL3"sv, "it is a TensorFlow Lite model",
     "convert it to ONNX with tf2onnx: --tflite FILE --output model.onnx"},
    {4, "ORTM"sv, "it is a model in onnxruntime's own format",
     "convert the ONNX model that it was created from"},
    {0, "GGUF"sv, "it is a GGUF file of weights", "export the original model to ONNX"},
    {0, "\x89HDF\r\n\x1A\n"sv, "it is an HDF5 file, probably a Keras model", kKerasHint},
    {0, "\x93NUMPY"sv, "it is a NumPy array", {}},
    {0,
     "\x7F"
     "ELF"sv,
     "it is a program or a library",
     {}},
});

/// Recognises ZIP archives. torch.save writes one whose first file is data.pkl.
std::optional<Problem> recognize_zip(std::string_view start) {
  if (!start.starts_with("PK\x03\x04"sv)) return std::nullopt;
  const bool is_program = start.find("/constants.pkl") != std::string_view::npos ||
                          start.find("/code/") != std::string_view::npos;
  const bool is_torch = is_program || start.find("/data.pkl") != std::string_view::npos ||
                        start.find("/.format_version") != std::string_view::npos;
  if (is_torch) return unreadable_model("it is a PyTorch file (ZIP)", std::string(kTorchHint));
  if (start.find("config.json") != std::string_view::npos &&
      start.find("metadata.json") != std::string_view::npos)
    return unreadable_model("it is a Keras model (ZIP)", std::string(kKerasHint));
  return unreadable_model("it is a ZIP archive", "unpack it: unzip");
}

/// https://protobuf.dev/programming-guides/encoding/: tensorflow.SavedModel has a version and MetaGraphDefs,
/// whose first field is a message; tensorflow.GraphDef begins with its nodes, whose first field is a name.
std::optional<Problem> recognize_tensorflow(const std::filesystem::path& path, std::string_view start) {
  if (path.extension() != ".pb") return std::nullopt;
  if (path.filename() == "saved_model.pb" || start.starts_with("\x08\x01\x12"sv))
    return unreadable_model("it is a TensorFlow SavedModel",
                            "convert it to ONNX with tf2onnx: --saved-model FOLDER --output model.onnx");
  if (start.starts_with("\x0A"sv))
    return unreadable_model("it is a TensorFlow graph",
                            "convert it to ONNX with tf2onnx: --graphdef FILE --output model.onnx");
  return std::nullopt;
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  constexpr std::size_t kMax = 10'000;
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (names.size() == kMax) break;
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::optional<Problem> recognize_foreign_file(const std::filesystem::path& path, std::string_view start) {
  if (auto found = recognize_text(start)) return found;
  for (const FileSignature& signature : kSignatures) {
    if (start.size() > signature.offset && start.substr(signature.offset).starts_with(signature.bytes))
      return unreadable_model(std::string(signature.what), std::string(signature.hint));
  }
  if (auto found = recognize_zip(start)) return found;
  // Python's pickle, protocols 2 to 5, which torch.save wrote before version 1.6.
  if (start.size() >= 2 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5)
    return unreadable_model("it is a Python pickle, probably a PyTorch file", std::string(kTorchHint));
  if (auto found = recognize_tensorflow(path, start)) return found;
  // https://huggingface.co/docs/safetensors: 8 bytes with the length of a JSON header, then the header.
  if (start.size() >= 10 && start[8] == '{' && (start[9] == '"' || start[9] == '}' || start[9] == ' '))
    return unreadable_model("it is a safetensors file, which has weights but no graph",
                            "export the model to ONNX: torch.onnx.export, or optimum-cli export onnx");
  return std::nullopt;
}

Problem explain_path(const std::filesystem::path& path, std::string problem) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    const std::vector<std::string> names = names_in(path);
    if (std::ranges::find(names, "saved_model.pb") != names.end())
      return unreadable_model("it is the folder of a TensorFlow SavedModel",
                              "convert it to ONNX with tf2onnx: --saved-model FOLDER --output model.onnx");
    const auto model =
        std::ranges::find_if(names, [](const std::string& name) { return name.ends_with(".onnx"); });
    if (model != names.end())
      return unreadable_model(std::move(problem),
                              fmt::format("use the model in it: {}", (path / *model).string()));
  } else if (!std::filesystem::exists(path, error)) {
    const auto folder = path.parent_path();
    std::vector<std::string> names = names_in(folder.empty() ? "." : folder);
    std::erase(names, path.filename().string());  // a link to nothing or to itself
    const std::string_view nearest = base::nearest_name(path.filename().string(), names);
    if (!nearest.empty())
      return unreadable_model(std::move(problem),
                              fmt::format("did you mean '{}'?", (folder / nearest).string()));
  }
  return unreadable_model(std::move(problem));
}

}  // namespace onnx2ir::frontend
