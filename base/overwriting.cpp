#include "base/overwriting.hpp"

#include <fmt/core.h>

#include <system_error>
#include <unordered_map>

namespace onnx2ir::base {
namespace {

/// The path that a program creates which opens `path` for writing: symbolic links to missing files are
/// followed. It may not exist, and neither may its folders.
std::filesystem::path created_path(std::filesystem::path path) {
  constexpr int kMaxLinks = 40;  // as in the kernel
  std::error_code no_error;
  for (int i = 0; i < kMaxLinks && std::filesystem::is_symlink(path, no_error); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path, no_error);
  const std::filesystem::path whole = std::filesystem::absolute(path, no_error).lexically_normal();
  const std::filesystem::path folder = std::filesystem::weakly_canonical(whole.parent_path(), no_error);
  return no_error ? whole : folder / whole.filename();
}

bool is_other_than_file(const std::filesystem::path& path) {
  std::error_code no_error;
  return std::filesystem::exists(path, no_error) && !std::filesystem::is_regular_file(path, no_error);
}

/// Equal for paths that are one target, see is_one_target().
std::string target_key(const std::filesystem::path& path,
                       const std::optional<platform::FileIdentity>& identity) {
  return identity ? fmt::format("{}:{}", identity->device, identity->inode) : created_path(path).string();
}

std::string problem_text(const std::filesystem::path& output, const UsedFile& file) {
  return fmt::format("'{}' would be written over '{}', which {}", output.string(), file.path.string(),
                     file.use);
}

}  // namespace

bool is_one_target(const std::filesystem::path& a, const std::filesystem::path& b) {
  return target_key(a, platform::identify(a)) == target_key(b, platform::identify(b));
}

std::optional<std::string> overwriting_problem(const std::filesystem::path& output,
                                               std::span<const UsedFile> used) {
  if (is_other_than_file(output)) return std::nullopt;
  const auto now = platform::identify(output);
  for (const UsedFile& file : used) {
    const bool is_used = file.identity ? now && platform::is_same_file(*now, *file.identity)
                                       : is_one_target(output, file.path);
    if (is_used) return problem_text(output, file);
  }
  return std::nullopt;
}

std::optional<std::string> overwriting_problem(std::span<const UsedFile> written,
                                               std::span<const UsedFile> used) {
  std::unordered_map<std::string, const UsedFile*> targets;
  for (const UsedFile& file : used) {
    const auto identity = file.identity ? file.identity : platform::identify(file.path);
    targets.emplace(target_key(file.path, identity), &file);
  }
  for (const UsedFile& file : written) {
    if (is_other_than_file(file.path)) continue;
    const auto [found, is_new] = targets.emplace(target_key(file.path, platform::identify(file.path)), &file);
    if (!is_new) return problem_text(file.path, *found->second);
  }
  return std::nullopt;
}

}  // namespace onnx2ir::base
