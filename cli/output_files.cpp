#include "cli/output_files.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "cli/messages.hpp"
#include "platform/new_file.hpp"
#include "platform/output_folder.hpp"
#include "platform/process.hpp"
#include "platform/temporary_file.hpp"

namespace onnx2ir::cli {
namespace {

/// A path that is too long or a link to itself is reported when the file is written.
bool is_existing_folder(const std::filesystem::path& path) {
  std::error_code no_error;
  return std::filesystem::is_directory(path, no_error);
}

std::filesystem::path weights_of(const std::filesystem::path& xml) {
  return std::filesystem::path(xml).replace_extension(".bin");
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

/// Writes to a file that cannot be replaced by another one.
std::error_code write_in_place(const std::filesystem::path& path, std::string_view text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (file.good()) return {};
  return errno == 0 ? std::make_error_code(std::errc::io_error)
                    : std::error_code(errno, std::generic_category());
}

std::error_code write_all(const platform::NewFile& file, std::string_view text) {
  std::error_code error;
  while (!text.empty() && !error) text.remove_prefix(file.write(text, error));
  return error;
}

/// Writes a file beside `path` that replaces it when it is complete. The target of a link is replaced.
std::error_code replace_file(const std::filesystem::path& path, std::string_view text) {
  std::error_code error;
  const std::filesystem::path target =
      std::filesystem::is_symlink(path, error) ? std::filesystem::canonical(path, error) : path;
  if (error && error != std::errc::no_such_file_or_directory) return error;
  const platform::OutputFolder folder(target);
  if (folder.error()) return folder.error();
  platform::TemporaryFile file(folder, target.filename(), "text", note_temporary);
  if (file.file() == nullptr) return file.error();
  if (const std::error_code failure = write_all(*file.file(), text)) return failure;
  if (!file.prepare(false) || !file.publish()) return file.error();
  file.finish();
  return {};
}

}  // namespace

WrittenFiles::WrittenFiles(const Arguments& arguments) {
  for (const std::string& model : arguments.models) {
    // A file that the shell opened as standard input.
    const bool is_stream = model == kStandardStream;
    const std::filesystem::path source =
        is_stream ? platform::standard_input_path() : std::filesystem::path(model);
    if (!source.empty()) models_.push_back({source, "the model is read from"});
    // An IR has its weights beside it.
    const std::filesystem::path path = model;
    if (path.extension() == ".xml" || path.extension() == ".ir")
      models_.push_back({weights_of(path), "the weights of '" + model + "' are read from"});
  }
  for (const auto& library : arguments.options.extensions)
    read_.push_back({library, "is a library with translators"});
  if (!arguments.options.operator_map.empty())
    read_.push_back({arguments.options.operator_map, "is the operator map"});
  if (!arguments.report.empty() && arguments.report != kStandardStream)
    written_.push_back({arguments.report, "the report is written to"});
  if (!arguments.html.empty() && arguments.html != kStandardStream)
    written_.push_back({arguments.html, "the page is written to"});
}

void WrittenFiles::add_pair(const std::filesystem::path& xml) {
  written_.push_back({xml, "the XML is written to", true});
  written_.push_back({weights_of(xml), "the weights are written to", true});
}

void WrittenFiles::add_read(const std::vector<std::filesystem::path>& files, const std::string& model) {
  for (const auto& file : files) read_.push_back({file, "'" + model + "' is read from"});
}

std::optional<Diagnostic> WrittenFiles::problem(bool model_is_known) const {
  std::vector<UsedFile> used = read_;
  std::vector<UsedFile> written;
  std::vector<UsedFile> alone;
  for (const Written& file : written_) {
    written.push_back({file.path, file.use});
    if (!file.is_of_pair) alone.push_back({file.path, file.use});
  }
  if (model_is_known) {
    used.insert(used.begin(), models_.begin(), models_.end());
  } else if (auto problem = output_problem(alone, models_)) {
    return problem;
  }
  return output_problem(written, used);
}

bool WrittenFiles::knows(const std::vector<std::filesystem::path>& files) const {
  return std::ranges::all_of(files, [&](const std::filesystem::path& path) {
    return std::ranges::find(models_, path, &UsedFile::path) != models_.end() ||
           std::ranges::find(read_, path, &UsedFile::path) != read_.end();
  });
}

bool WrittenFiles::replaces_any() const {
  std::error_code no_error;
  return std::ranges::any_of(
      written_, [&](const Written& file) { return std::filesystem::exists(file.path, no_error); });
}

void handle_signals() {
  platform::before_termination(remove_noted);
}

std::optional<std::string> output_name_problem(const std::string& output, bool is_folder) {
  if (output == kStandardStream)
    return "-o -: two files cannot go to standard output; use --check to convert without writing";
  const std::filesystem::path path = output;
  if (is_existing_folder(path)) return std::nullopt;
  std::error_code no_error;
  const auto status = std::filesystem::status(path, no_error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return "-o " + output + " is neither a file nor a folder; use --check to convert without writing";
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

std::optional<std::string> write_text(const std::string& path, std::string_view text) {
  if (path == kStandardStream) return write_to_standard_output(text);
  std::error_code no_error;
  const auto status = std::filesystem::status(path, no_error);
  // A device, a pipe, or a link to a file that does not exist.
  const bool is_special = std::filesystem::exists(status) ? !std::filesystem::is_regular_file(status)
                                                          : std::filesystem::is_symlink(path, no_error);
  if (const std::error_code error = is_special ? write_in_place(path, text) : replace_file(path, text))
    return error.message();
  return std::nullopt;
}

std::optional<Diagnostic> write_html_page(const std::string& path, const std::function<std::string()>& page) {
  try {
    const auto reason = write_text(path, page());
    if (!reason) return std::nullopt;
    return error_of(DiagnosticCode::cannot_write,
                    "the HTML page '" + path + "' cannot be written: " + *reason);
  } catch (const std::runtime_error& error) {
    return error_of(DiagnosticCode::unreadable_input, error.what());
  }
}

}  // namespace onnx2ir::cli
