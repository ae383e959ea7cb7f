#include "cli/html_page.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <system_error>

#include "cli/messages.hpp"

namespace onnx2ir::cli {
namespace {

bool write(const std::string& path, const std::string& page) {
  if (path == kStandardStream) return static_cast<bool>(std::cout << page << std::flush);
  std::ofstream file(path, std::ios::binary);
  return static_cast<bool>(file << page << std::flush);
}

std::optional<Diagnostic> write_page(const std::string& path, const std::function<std::string()>& page) {
  try {
    if (write(path, page())) return std::nullopt;
  } catch (const std::runtime_error& error) {
    return error_of(DiagnosticCode::unreadable_input, error.what());
  }
  return error_of(DiagnosticCode::cannot_write, "the HTML page '" + path + "' cannot be written: " +
                                                    std::generic_category().message(errno));
}

}  // namespace

std::optional<Diagnostic> write_html_page(const Model& model, const std::string& path) {
  return write_page(path, [&] { return model.html(); });
}

std::optional<Diagnostic> write_html_page(const Model& model, const Stats& stats, const std::string& path) {
  return write_page(path, [&] { return model.html(stats); });
}

std::optional<Diagnostic> write_html_page(const Model& before, const Model& after, const DiffOptions& options,
                                          const std::string& path) {
  return write_page(path, [&] { return differences_html(before, after, options); });
}

}  // namespace onnx2ir::cli
