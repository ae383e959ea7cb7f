#include "frontend/mapping/extension_library.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <span>
#include <string_view>
#include <utility>

#include "base/failure.hpp"
#include "base/input_file.hpp"
#include "platform/dynamic_library.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr std::string_view kRegister = "onnx2ir_extension_register";
constexpr std::string_view kVersion = "onnx2ir_extension_version";
/// Exported by OpenVINO's own extension libraries.
constexpr std::string_view kOpenVino = "create_extensions";

/// Why a library cannot be used, and what the user can do.
Problem unusable(std::string reason,
                 std::string hint = "`onnx2ir explain extensions` describes libraries with translators") {
  return {DiagnosticCode::bad_extension, std::move(reason), std::move(hint)};
}

/// Whether each of `names` is a name in the file, with a zero byte before and after it, as in tables of
/// symbols.
std::vector<bool> find_names(const base::InputFile& file, std::span<const std::string_view> names) {
  constexpr std::uint64_t kPart = std::uint64_t{1} << 20U;
  constexpr std::uint64_t kOverlap = 64;
  std::vector<bool> found(names.size());
  std::string part;
  for (std::uint64_t offset = 0; offset < file.size(); offset += kPart) {
    part.resize(static_cast<std::size_t>(std::min(kPart + kOverlap, file.size() - offset)));
    file.read(offset, std::as_writable_bytes(std::span(part)));
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string entry = '\0' + std::string(names[i]) + '\0';
      found[i] = found[i] || part.find(entry) != std::string::npos;
    }
  }
  return found;
}

/// What a library registers.
struct Registration {
  std::string library;
  ExtensionTable* table;
  std::vector<std::string> problems;
  int rows = 0;
};

void add_row(Registration& registration, std::string_view domain, std::string_view name, std::int64_t since,
             onnx2ir_translate translate, void* data) {
  ++registration.rows;
  if (name.empty() || since < 1 || translate == nullptr) {
    registration.problems.push_back(
        fmt::format("it registers '{}' of the domain '{}' and version {} without a {}", name, domain, since,
                    name.empty() ? "name"
                    : since < 1  ? "version of at least 1"
                                 : "translator"));
    return;
  }
  const ExtensionTranslator* const other =
      registration.table->translators.add(domain, name, since, {registration.library, translate, data});
  if (other == nullptr) return;
  registration.problems.push_back(
      fmt::format("it registers version {} of the operator '{}{}{}', which {} already", since, domain,
                  domain.empty() ? "" : ".", name,
                  other->library == registration.library ? "it has registered"
                                                         : fmt::format("'{}' registers", other->library)));
}

void add(void* table, onnx2ir_text domain, onnx2ir_text name, std::int64_t since, onnx2ir_translate translate,
         void* data) noexcept {
  add_row(*static_cast<Registration*>(table), view(domain), view(name), since, translate, data);
}

void fail(void* table, onnx2ir_text reason) noexcept {
  static_cast<Registration*>(table)->problems.emplace_back(view(reason));
}

template <typename Function>
Function* find_function(void* library, std::string_view name) {
  return reinterpret_cast<Function*>(platform::find_symbol(library, name.data()));
}

std::optional<Problem> register_translators(void* library, Registration& registration) {
  auto* const version = find_function<int()>(library, kVersion);
  auto* const enter = find_function<void(const onnx2ir_registry*)>(library, kRegister);
  if (version == nullptr || enter == nullptr)
    return unusable(fmt::format("it does not export {}", version == nullptr ? kVersion : kRegister));
  try {
    if (const int its = version(); its != ONNX2IR_EXTENSION_VERSION)
      return unusable(fmt::format("it has version {} of the extension interface, this onnx2ir has version {}",
                                  its, ONNX2IR_EXTENSION_VERSION),
                      "build it with the headers of this onnx2ir");
    const onnx2ir_registry registry{sizeof(onnx2ir_registry), &registration, add, fail};
    enter(&registry);
  } catch (const std::exception& exception) {
    return unusable(fmt::format("its {} has thrown an exception: {}", kRegister, exception.what()));
  } catch (...) {
    return unusable(fmt::format("its {} has thrown an exception", kRegister));
  }
  if (!registration.problems.empty()) return unusable(fmt::format("{}", registration.problems.front()));
  if (registration.rows == 0) return unusable("it registers no translator");
  return std::nullopt;
}

std::optional<Problem> load(const std::filesystem::path& path, Registration& registration) {
  const auto file = base::open_file(path);
  if (!file) return unusable(file.error().message);
  constexpr std::array kNames{kRegister, kOpenVino};
  const std::vector<bool> has = find_names(**file, kNames);
  if (has[1] && !has[0])
    return unusable("it is an extension of OpenVINO",
                    "pass --keep-unknown instead: it keeps unknown operators as layers of the IR, and the "
                    "program that runs "
                    "the IR loads the library with core.add_extension(); see `onnx2ir explain extensions`");
  if (!platform::can_load_libraries())
    return unusable("this onnx2ir is linked statically and cannot load libraries",
                    "use onnx2ir of the Python wheel or of the Debian package");
  std::error_code no_error;
  const auto library = platform::load_library(std::filesystem::absolute(path, no_error));
  if (!library) return unusable(library.error().message);
  return register_translators(*library, registration);
}

}  // namespace

std::optional<ExtensionTable> load_extensions(const std::vector<std::filesystem::path>& paths,
                                              DiagnosticSink& sink) {
  ExtensionTable table;
  bool is_complete = true;
  for (const std::filesystem::path& path : paths) {
    Registration registration{path.string(), &table, {}, 0};
    auto problem = load(path, registration);
    if (!problem) continue;
    is_complete = false;
    problem->message =
        fmt::format("the extension '{}' cannot be used: {}", registration.library, problem->message);
    sink.report(base::diagnostic_of(*std::move(problem)));
  }
  if (!is_complete) return std::nullopt;
  return table;
}

}  // namespace onnx2ir::frontend
