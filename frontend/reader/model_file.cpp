#include "frontend/reader/model_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <system_error>
#include <vector>

namespace onnx2ir::frontend {
namespace {

std::string system_reason(int error) {
  return std::generic_category().message(error);
}

std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace

FileResult take_descriptor(int descriptor, const std::filesystem::path& path) {
  auto fail = [&](std::string problem) {
    ::close(descriptor);
    return FileResult{nullptr, std::move(problem)};
  };
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return fail(system_reason(errno));
  if (!S_ISREG(status.st_mode)) return fail(fmt::format("it is {}, not a file", kind_of(status.st_mode)));
  const auto identity = ir::identify(descriptor);
  if (!identity) return fail(system_reason(errno));
  return {std::make_shared<const ir::InputFile>(descriptor, ir::Input{path.string(), *identity}), {}};
}

FileResult open_file(const std::filesystem::path& path) {
  // Checked before it is opened, because opening alone has effects on some devices. If it is replaced by a
  // named pipe in between, O_NONBLOCK prevents blocking, and take_descriptor checks again.
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {nullptr, system_reason(errno)};
  if (!S_ISREG(status.st_mode))
    return {nullptr, fmt::format("it is {}, not a file", kind_of(status.st_mode))};
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return {nullptr, system_reason(errno)};
  return take_descriptor(descriptor, path);
}

FileResult file_in_memory(const std::string& name, std::uint64_t size, const DataReader& read) {
  const auto failed = [&](std::string_view why) {
    return FileResult{nullptr, fmt::format("the data of '{}' that the program supplies {}", name, why)};
  };
  const int descriptor = ::memfd_create("onnx2ir external data", MFD_CLOEXEC);
  if (descriptor < 0) return failed(std::generic_category().message(errno));
  std::vector<std::byte> piece(std::min<std::uint64_t>(size, std::uint64_t{1} << 20U));
  for (std::uint64_t done = 0; done < size;) {
    const auto part = std::span(piece).first(std::min<std::uint64_t>(size - done, piece.size()));
    const bool is_read = read && read(done, part);
    if (!is_read || ::pwrite(descriptor, part.data(), part.size(), static_cast<off_t>(done)) !=
                        static_cast<ssize_t>(part.size())) {
      ::close(descriptor);
      return failed(is_read ? "needs more memory than is available" : "cannot be read");
    }
    done += part.size();
  }
  return take_descriptor(descriptor, name);
}

}  // namespace onnx2ir::frontend
