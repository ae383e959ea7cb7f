// Removes temporary files if a signal ends the process. Signal handlers are process-wide, so they belong to
// the program, not to the library.
#pragma once

#include <filesystem>

namespace onnx2ir::cli {

/// If a signal is about to end the process, the files passed to note_temporary() are removed first
/// (platform/signals.hpp lists the signals).
void handle_signals();

/// To be used as SaveOptions::temporary.
void note_temporary(const std::filesystem::path& path, bool is_there);

}  // namespace onnx2ir::cli
