// What happens before a signal, or a console event of Windows, ends the process.
#pragma once

#include <cstddef>
#include <filesystem>

namespace onnx2ir::platform {

/// The longest path, with the final zero, that system calls take.
inline constexpr std::size_t kMaxPath = 4096;

/// Calls `clean_up` before one of the events ends the process: SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT and
/// SIGXCPU unless they are ignored; on Windows Ctrl+C, Ctrl+Break, closing the console, logging off and
/// shutting down. `clean_up` may only read lock-free atomic variables and call remove_in_handler(). Exceeding
/// a limit of file sizes becomes an error of the write, not a signal.
void before_termination(void (*clean_up)());

/// Removes a file; may be called by `clean_up`.
void remove_in_handler(const std::filesystem::path::value_type* path);

}  // namespace onnx2ir::platform
