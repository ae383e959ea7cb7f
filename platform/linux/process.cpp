#include "platform/process.hpp"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <system_error>

#include "platform/linux/memory.hpp"

namespace onnx2ir::platform {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// The number in a file of a control group; unlimited if there is no such file, or if it has "max".
std::uint64_t limit_in(const std::filesystem::path& path) {
  std::uint64_t bytes = 0;
  std::ifstream file(path);
  return file >> bytes ? bytes : kUnlimited;
}

/// The lowest limit of the group `group` and of the groups around it. A container may see its own group as
/// "/", or only under the name that the host gives it, which its /sys does not have.
std::uint64_t group_limit(const std::filesystem::path& tree, std::filesystem::path group, const char* name) {
  std::uint64_t least = kUnlimited;
  for (group = group.relative_path(); !group.empty(); group = group.parent_path())
    least = std::min(least, limit_in(tree / group / name));
  return std::min(least, limit_in(tree / name));
}

/// /proc/self/cgroup has lines "0::/path" of version 2 and "5:cpu,memory:/path" of version 1.
std::uint64_t groups_limit(const std::filesystem::path& root) {
  std::uint64_t least = kUnlimited;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    const std::filesystem::path group = line.substr(second + 1);
    const auto tree = root / "sys/fs/cgroup";
    if (controllers == ",,") least = std::min(least, group_limit(tree, group, "memory.max"));
    if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, group_limit(tree / "memory", group, "memory.limit_in_bytes"));
  }
  return least;
}

}  // namespace

std::uint64_t available_memory_below(const std::filesystem::path& root) {
  constexpr std::uint64_t kKilobyte = 1024;
  std::uint64_t available = kUnlimited;
  std::ifstream machine(root / "proc/meminfo");
  for (std::string line; std::getline(machine, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kilobytes = 0;
    if (words >> name >> kilobytes && name == "MemAvailable:") available = kilobytes * kKilobyte;
  }
  available = std::min(available, groups_limit(root));
  return available == kUnlimited ? 0 : available;
}

std::uint64_t available_memory() {
  return available_memory_below("/");
}

std::uint64_t reserved_memory() {
  // Size, resident, shared, code, library, data and stack: pages.
  constexpr int kBefore = 5;
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  for (int i = 0; i <= kBefore; ++i) file >> pages;
  return file ? pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

void keep_freed_memory() {
#ifdef __GLIBC__
  // Larger buffers are returned at once: between them and small objects, freed ones would leave gaps that no
  // other one of this size fits into, up to twice the memory. This is the largest threshold that glibc takes.
  constexpr int kLarge = 32 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLarge);
  ::mallopt(M_TRIM_THRESHOLD, -1);
  ::mallopt(M_TOP_PAD, 1 << 20);
#endif
}

std::filesystem::path program_path() {
  std::error_code failed;
  auto path = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::filesystem::path() : path;
}

}  // namespace onnx2ir::platform
