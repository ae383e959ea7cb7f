// The files that a command reads and writes.
#pragma once

#include <filesystem>
#include <functional>
#include <onnx2ir/onnx2ir.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"

namespace onnx2ir::cli {

/// What a run of the command reads and writes: nothing that it reads, and nothing else that it writes, is
/// overwritten.
class WrittenFiles {
 public:
  /// The files that the arguments name: models, the operator map and libraries are read, the report and the
  /// page are written.
  explicit WrittenFiles(const Arguments& arguments);

  /// The XML and the weights of `model` will be written.
  void add_pair(const std::filesystem::path& xml);
  /// `files` were read: see Conversion::files.
  void add_read(const std::vector<std::filesystem::path>& files, const std::string& model);

  /// The reason why one of the written files must not be written. To be asked before anything is written.
  std::optional<Diagnostic> problem() const { return problem(true); }
  /// The same before the only model is read, without the question whether its IR would be written over it: a
  /// model that is an IR already has another error.
  std::optional<Diagnostic> problem_before_reading() const { return problem(false); }
  /// Whether all `files` are among those that the arguments name or that were added: problem() has compared
  /// them.
  bool knows(const std::vector<std::filesystem::path>& files) const;
  /// Whether a file that will be written exists: only then can it be external data of a model.
  bool replaces_any() const;

 private:
  struct Written {
    std::filesystem::path path;
    std::string use;  ///< "the report is written to"
    bool is_of_pair = false;
  };
  std::optional<Diagnostic> problem(bool model_is_known) const;

  std::vector<UsedFile> models_;
  std::vector<UsedFile> read_;
  std::vector<Written> written_;
};

/// The reason why `output`, the value of -o, is invalid. `is_folder`: several models are written.
std::optional<std::string> output_name_problem(const std::string& output, bool is_folder);

/// As in ovc: if `output` is a folder, the XML has the name of `model`; otherwise `output` is the name of the
/// XML. `is_folder`: it is one even if it does not exist yet.
std::filesystem::path xml_path(const std::string& model, const std::string& output, bool is_folder);

/// If a signal is about to end the process, the temporary files of save_pair() are removed first
/// (platform/process.hpp lists the signals). Signal handlers are process-wide, so they belong to the program,
/// not to the library.
void handle_signals();

/// Creates the folder and writes the model.
std::optional<Diagnostic> save_pair(const Model& model, const std::filesystem::path& xml,
                                    SaveOptions options);

/// Writes `text` to the file `path`, which keeps its content if that fails; "-": standard output. Returns the
/// reason of a failure.
std::optional<std::string> write_text(const std::string& path, std::string_view text);

/// Writes what `page` returns to `path`, which the caller has checked with WrittenFiles; "-": standard
/// output. Returns the reason of a failure. `page` throws std::runtime_error if a file cannot be read any
/// more.
std::optional<Diagnostic> write_html_page(const std::string& path, const std::function<std::string()>& page);

}  // namespace onnx2ir::cli
