// Removes temporary files when a signal ends the process. Handlers belong to the whole process, so the
// program has them, not the library.
#pragma once

#include <filesystem>

namespace onnx2ir::cli {

/// Handles SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT and SIGXCPU, unless they are ignored: removes the files
/// that note_temporary() was told of, then lets the signal end the process. A limit of the size of files is
/// an error of write(), no signal.
void handle_signals();

/// For SaveOptions::temporary.
void note_temporary(const std::filesystem::path& path, bool is_there);

}  // namespace onnx2ir::cli
