#include "cli/output_files.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/messages.hpp"
#include "platform/signals.hpp"

namespace onnx2ir::cli {
namespace {

/// A path that is too long or a link to itself is reported when the file is written.
bool is_existing_folder(const std::filesystem::path& path) {
  std::error_code no_error;
  return std::filesystem::is_directory(path, no_error);
}

bool write(const std::string& path, const std::string& page) {
  if (path == kStandardStream) return static_cast<bool>(std::cout << page << std::flush);
  std::ofstream file(path, std::ios::binary);
  return static_cast<bool>(file << page << std::flush);
}

/// A path that a signal handler can read at any time.
struct Slot {
  std::array<std::filesystem::path::value_type, platform::kMaxPath> path{};
  std::atomic<bool> is_used{false};
};
static_assert(std::atomic<bool>::is_always_lock_free);

// Two files for each of the models that can be written at the same time.
std::array<Slot, 128> slots;
std::mutex noting;

void remove_noted() {
  for (Slot& slot : slots) {
    if (slot.is_used) platform::remove_in_handler(slot.path.data());
  }
}

/// Tells the signal handler of the files: see SaveOptions::temporary.
void note_temporary(const std::filesystem::path& path, bool is_there) {
  // Excludes other writers; the handler reads complete slots without the lock.
  const std::scoped_lock lock(noting);
  const std::filesystem::path::string_type& name = path.native();
  for (Slot& slot : slots) {
    if (is_there && !slot.is_used && name.size() < slot.path.size()) {
      std::copy_n(name.c_str(), name.size() + 1, slot.path.data());
      slot.is_used = true;
      return;
    }
    if (!is_there && slot.is_used && name == slot.path.data()) {
      slot.is_used = false;
      return;
    }
  }
}

}  // namespace

void handle_signals() {
  platform::before_termination(remove_noted);
}

std::optional<std::string> output_name_problem(const std::string& output, bool is_folder) {
  if (output == kStandardStream)
    return "-o -: two files cannot go to standard output; use --check to convert without writing";
  const std::filesystem::path path = output;
  if (is_existing_folder(path)) return std::nullopt;
  const auto extension = path.extension();
  if (extension == ".bin" || extension == ".onnx")
    return "-o names the XML, and the weights are next to it: -o " +
           std::filesystem::path(path).replace_extension(".xml").string();
  if (is_folder && extension == ".xml")
    return "-o " + output + " names one file, but several models need a folder: -o " +
           std::filesystem::path(path).replace_extension().string() + '/';
  return std::nullopt;
}

std::filesystem::path xml_path(const std::string& model, const std::string& output, bool is_folder) {
  std::filesystem::path named = "model.xml";
  if (model != kStandardStream) named = std::filesystem::path(model).filename().replace_extension(".xml");
  if (output.empty()) return named;
  std::filesystem::path path = output;
  if (is_folder || is_existing_folder(path) || !path.has_filename()) return path / named;
  if (path.extension() != ".xml") path += ".xml";
  return path;
}

std::optional<Diagnostic> save_pair(const Model& model, const std::filesystem::path& xml,
                                    SaveOptions options) {
  if (const auto folder = xml.parent_path(); !folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
      return error_of(DiagnosticCode::cannot_write,
                      "the folder '" + folder.string() + "' cannot be created: " + error.message());
  }
  options.temporary = note_temporary;
  return model.save(xml, {}, options);
}

std::optional<Diagnostic> write_html_page(const std::string& path, const std::function<std::string()>& page) {
  try {
    if (write(path, page())) return std::nullopt;
  } catch (const std::runtime_error& error) {
    return error_of(DiagnosticCode::unreadable_input, error.what());
  }
  return error_of(DiagnosticCode::cannot_write, "the HTML page '" + path + "' cannot be written: " +
                                                    std::generic_category().message(errno));
}

}  // namespace onnx2ir::cli
