// The files that a run of the command reads and writes: nothing that it reads, and nothing else that it
// writes, is overwritten.
#pragma once

#include <filesystem>
#include <onnx2ir/onnx2ir.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"

namespace onnx2ir::cli {

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

}  // namespace onnx2ir::cli
