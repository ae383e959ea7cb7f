// The process: memory, standard streams, signals and other programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace onnx2ir::platform {

/// Makes allocations beyond `bytes` fail, for the whole process. 0: no limit.
void limit_memory(std::uint64_t bytes);
/// The bytes that the machine can still give without paging out, or the limit of the container if it is
/// lower. 0: the system does not say.
std::uint64_t available_memory();
/// The bytes that count for limit_memory() already. AddressSanitizer reserves terabytes. 0: the system does
/// not say.
std::uint64_t reserved_memory();

/// Keeps freed memory for later allocations, if the allocator has a setting for that.
void keep_freed_memory();

/// The arguments of main() without the first one, in UTF-8.
std::vector<std::string> arguments(int count, char** values);
/// The standard streams pass bytes on as they are, and the terminal reads them as UTF-8.
void use_plain_streams();
bool is_error_stream_a_terminal();

/// A path of the file that standard input was opened from; empty if the system has none.
std::filesystem::path standard_input_path();
/// The path of the running program; empty if the system does not report it.
std::filesystem::path program_path();
/// The file name of the Python interpreter in an environment.
std::string python_name();
/// Runs a program, which is looked up in PATH, instead of this one. Returns only if it cannot be started.
void run_instead(std::vector<std::string> words);

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
