#include "platform/process.hpp"

#include <windows.h>
// After <windows.h>, whose types they use.
#include <fcntl.h>
#include <io.h>
#include <shellapi.h>

#include <atomic>
#include <cstddef>
#include <string_view>

#include "platform/windows/system.hpp"

namespace onnx2ir::platform {
namespace {

std::atomic<void (*)()> clean_up_function{nullptr};

/// Called in a thread of its own.
BOOL WINAPI clean_up(DWORD /*event*/) {
  if (void (*const function)() = clean_up_function; function != nullptr) function();
  return FALSE;  // the next handler ends the process
}

/// A word of a command line as programs split it (CommandLineToArgvW): backslashes are doubled before quotes.
std::wstring quoted_word(std::wstring_view word) {
  std::wstring result = L"\"";
  std::size_t backslashes = 0;
  for (const wchar_t letter : word) {
    if (letter == L'"') result.append(backslashes + 1, L'\\');
    backslashes = letter == L'\\' ? backslashes + 1 : 0;
    result += letter;
  }
  result.append(backslashes, L'\\');
  return result + L'"';
}

}  // namespace

void limit_memory(std::uint64_t bytes) {
  if (bytes == 0) return;
  // The job exists as long as its process; closing the handle does not end it.
  const Handle job = windows::taken(::CreateJobObjectW(nullptr, nullptr));
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_PROCESS_MEMORY;
  limits.ProcessMemoryLimit = static_cast<SIZE_T>(bytes);
  ::SetInformationJobObject(windows::native(job), JobObjectExtendedLimitInformation, &limits, sizeof limits);
  ::AssignProcessToJobObject(windows::native(job), ::GetCurrentProcess());
}

std::uint64_t available_memory() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  return ::GlobalMemoryStatusEx(&status) != FALSE ? status.ullAvailPhys : 0;
}

std::uint64_t reserved_memory() {
  return 0;
}

void keep_freed_memory() {}

std::vector<std::string> arguments(int /*count*/, char** /*values*/) {
  // Those of main() are in the code page of the system, which cannot represent all names of files.
  int count = 0;
  wchar_t** const words = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  std::vector<std::string> result;
  for (int i = 1; i < count; ++i) result.push_back(windows::to_utf8(words[i]));
  ::LocalFree(words);
  return result;
}

void use_plain_streams() {
  constexpr int kStreams = 3;
  for (int stream = 0; stream < kStreams; ++stream) ::_setmode(stream, _O_BINARY);
  ::SetConsoleOutputCP(CP_UTF8);
}

bool is_error_stream_a_terminal() {
  DWORD mode = 0;
  return ::GetConsoleMode(::GetStdHandle(STD_ERROR_HANDLE), &mode) != FALSE &&
         (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

std::filesystem::path standard_input_path() {
  const HANDLE input = ::GetStdHandle(STD_INPUT_HANDLE);
  if (::GetFileType(input) != FILE_TYPE_DISK) return {};
  return windows::without_prefix(windows::final_path(input).value_or(std::wstring()));
}

std::filesystem::path program_path() {
  std::wstring path(MAX_PATH, L'\0');
  while (true) {
    const DWORD size = ::GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
    if (size == 0) return {};
    if (size < path.size()) return path.substr(0, size);
    path.resize(2 * path.size());
  }
}

std::string python_name() {
  return "python.exe";
}

void run_instead(std::vector<std::string> words) {
  std::wstring line;
  for (const std::string& word : words)
    line += (line.empty() ? L"" : L" ") + quoted_word(windows::from_utf8(word));
  STARTUPINFOW start{};
  start.cb = sizeof start;
  PROCESS_INFORMATION process{};
  if (::CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr, &start, &process) ==
      FALSE)
    return;
  // The other program decides what Ctrl+C does.
  ::SetConsoleCtrlHandler(nullptr, TRUE);
  ::WaitForSingleObject(process.hProcess, INFINITE);
  DWORD code = 1;
  ::GetExitCodeProcess(process.hProcess, &code);
  ::ExitProcess(code);
}

void before_termination(void (*clean_up_files)()) {
  clean_up_function = clean_up_files;
  ::SetConsoleCtrlHandler(clean_up, TRUE);
}

void remove_in_handler(const std::filesystem::path::value_type* path) {
  ::DeleteFileW(path);
}

}  // namespace onnx2ir::platform
