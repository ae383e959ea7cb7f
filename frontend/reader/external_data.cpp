#include "frontend/reader/external_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>

#include "base/number_text.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "platform/file_reference.hpp"
#include "platform/read_file.hpp"

namespace onnx2ir::frontend {
namespace {

bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

std::string location_problem(std::string_view location) {
  if (location.empty()) return "its location is empty";
  if (location.find('\0') != std::string_view::npos) return "its location contains a zero byte";
  // onnxruntime's marker for a memory address in place of a file offset
  if (location.find("_ORT_MEM_ADDR_") != std::string_view::npos) {
    return "its location is an address in the memory of the program that made the model";
  }
  const std::filesystem::path path(location);
  if (path.is_absolute()) return "its location is an absolute path";
  if (std::find(path.begin(), path.end(), "..") != path.end()) return "its location contains '..'";
  return {};
}

/// A file in memory that has no name in the file system, with the supplied data. `name` is for messages.
base::FileResult file_in_memory(const std::string& name, const SuppliedData& data) {
  const auto failed = [&](std::string_view why) {
    return Problem{DiagnosticCode::unreadable_input,
                   fmt::format("the data of '{}' that the program supplies {}", name, why)};
  };
  if (!data.read) return failed("cannot be read");
  std::error_code error;
  auto file = platform::make_memory_file(data.size, data.read, error);
  if (!file) return failed(error ? "cannot be stored: " + error.message() : "cannot be read");
  return std::make_shared<const base::InputFile>(std::move(*file), name);
}

}  // namespace

Result<ExternalRange> parse_external_range(const onnx::TensorProto& tensor) {
  const auto malformed = [](std::string message) {
    return Problem{DiagnosticCode::bad_external_data, std::move(message)};
  };
  ExternalRange range;
  std::set<std::string_view> seen;
  for (const auto& entry : tensor.external_data()) {
    const std::string_view key = entry.key();
    const bool known = key == "location" || key == "offset" || key == "length" || key == "checksum";
    if (!known) continue;
    if (!seen.insert(key).second)
      return malformed(fmt::format("its external data has more than one '{}'", key));
    if (key == "location") range.location = entry.value();
    if (key != "offset" && key != "length") continue;
    const auto number = base::parse_number<std::uint64_t>(entry.value());
    if (!number) {
      return malformed(
          fmt::format("the {} of its external data, '{}', is not a decimal number that fits into 64 bits",
                      key, entry.value()));
    }
    if (key == "offset") range.offset = *number;
    if (key == "length") range.length = *number;
  }
  if (!seen.contains("location")) return malformed("its external data has no location");
  return range;
}

ExternalFolders ExternalFolders::only(const std::filesystem::path& folder) {
  ExternalFolders result;
  std::error_code error;
  auto real = std::filesystem::canonical(folder, error);
  if (!error) result.folders_.push_back(std::move(real));
  return result;
}

ExternalFolders ExternalFolders::of_model(const std::filesystem::path& model) {
  std::error_code error;
  const auto parent = model.parent_path();
  ExternalFolders result = only(parent.empty() ? "." : parent);
  const auto real_parent = std::filesystem::canonical(model, error).parent_path();
  if (!error && std::ranges::find(result.folders_, real_parent) == result.folders_.end())
    result.folders_.push_back(real_parent);
  return result;
}

base::FileResult ExternalFolders::open(std::string_view location) const {
  auto refuse = [](std::string problem, std::string hint = {}) -> base::FileResult {
    return Problem{DiagnosticCode::bad_external_data, std::move(problem), std::move(hint)};
  };
  if (auto refusal = location_problem(location); !refusal.empty()) return refuse(std::move(refusal));
  if (folders_.empty()) {
    return refuse(
        fmt::format("its elements are in the file '{}', but the model has no folder to look in", location),
        "name the folder of the model's external data with --external-data-folder");
  }
  auto reason = std::make_error_code(std::errc::no_such_file_or_directory);
  for (const auto& folder : folders_) {
    // All checks are made on this reference, and the same file is opened through it, so that it cannot be
    // replaced in between.
    std::error_code error;
    const auto file = platform::FileReference::find(folder / location, error);
    if (!file) {
      if (reason == std::errc::no_such_file_or_directory) reason = error;
      continue;
    }
    const auto path = file->real_path();
    if (!path) return refuse("the path of its file cannot be checked: /proc is not available");
    if (std::ranges::none_of(folders_, [&](const auto& real) { return is_inside(*path, real); })) {
      return refuse(fmt::format("its file '{}' is a link to '{}', outside the model's folder", location,
                                path->string()));
    }
    const auto status = file->status(error);
    if (!status) return refuse(fmt::format("its file '{}': {}", location, error.message()));
    if (status->kind != platform::FileKind::regular)
      return refuse(fmt::format("'{}', where its elements are, is not a file", location));
    if (status->links > 1) {
      return refuse(
          fmt::format("its file '{}' has hard links, so that it may be a file from elsewhere", location));
    }
    platform::OpenFailure failure;
    auto opened = file->open(failure);
    if (!opened)
      return refuse(fmt::format("its file '{}' cannot be opened: {}", location, to_string(failure)));
    return std::make_shared<const base::InputFile>(std::move(*opened), std::string(location));
  }
  const bool is_missing = reason == std::errc::no_such_file_or_directory;
  return refuse(fmt::format("its file '{}' cannot be opened: {}", location, reason.message()),
                is_missing ? fmt::format("there is no file '{}': put it beside the model, or name its folder "
                                         "with --external-data-folder",
                                         (folders_.front() / location).string())
                           : std::string());
}

base::FileResult ExternalFiles::opened(std::string_view location) {
  if (source_ && location_problem(location).empty()) {
    const std::string name(location);
    if (const auto supplied = source_(name)) {
      supplied_.emplace(name);
      return file_in_memory(name, *supplied);
    }
  }
  return folders_.open(location);
}

const base::FileResult& ExternalFiles::open(std::string_view location) {
  auto found = files_.find(location);
  if (found == files_.end()) found = files_.emplace(location, opened(location)).first;
  return found->second;
}

std::vector<std::filesystem::path> ExternalFiles::paths() const {
  std::vector<std::filesystem::path> result;
  for (const auto& [location, opened] : files_) {
    if (supplied_.contains(location)) continue;
    for (const auto& folder : folders_.folders()) result.push_back(folder / location);
  }
  return result;
}

std::vector<std::shared_ptr<const base::InputFile>> ExternalFiles::files() const {
  std::vector<std::shared_ptr<const base::InputFile>> result;
  for (const auto& [location, opened] : files_) {
    if (opened) result.push_back(*opened);
  }
  return result;
}

const base::FileResult* ExternalFiles::find(std::string_view location) const {
  auto found = files_.find(location);
  return found == files_.end() ? nullptr : &found->second;
}

}  // namespace onnx2ir::frontend
