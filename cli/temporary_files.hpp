// Removes temporary files if a signal ends the process. Signal handlers are process-wide, so they belong to
// the program, not to the library.
#pragma once

#include <filesystem>

namespace onnx2ir::cli {

/// Handles SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT and SIGXCPU unless they are ignored: removes the files
/// passed to note_temporary(), then lets the signal end the process. Exceeding a file size limit is an error
/// of write(), not a signal.
void handle_signals();

/// To be used as SaveOptions::temporary.
void note_temporary(const std::filesystem::path& path, bool is_there);

}  // namespace onnx2ir::cli
