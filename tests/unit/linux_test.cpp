// What the platform layer reads from the files of Linux.
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "platform/linux/memory.hpp"
#include "platform/process.hpp"
#include "temporary_folder.hpp"

using namespace onnx2ir::platform;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

void write(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << content;
}

}  // namespace

TEST_CASE("available memory is that of the machine or of a container", "[platform]") {
  const TemporaryFolder root("memory");
  CHECK(available_memory_below(root.path()) == 0);
  write(root / "proc/meminfo", "MemTotal: 8192000 kB\nMemFree: 1 kB\nMemAvailable:    4096000 kB\n");
  CHECK(available_memory_below(root.path()) == 4000 * kMiB);
  // Version 2: the limits of the groups around a group hold, too.
  write(root / "proc/self/cgroup", "0::/outer/inner\n");
  write(root / "sys/fs/cgroup/outer/inner/memory.max", "max\n");
  CHECK(available_memory_below(root.path()) == 4000 * kMiB);
  write(root / "sys/fs/cgroup/outer/memory.max", "1073741824\n");
  CHECK(available_memory_below(root.path()) == 1024 * kMiB);
  write(root / "sys/fs/cgroup/outer/inner/memory.max", "536870912\n");
  CHECK(available_memory_below(root.path()) == 512 * kMiB);
  // In a container, the name of the group may be that of the host.
  write(root / "proc/self/cgroup", "0::/../../host/group\n");
  write(root / "sys/fs/cgroup/memory.max", "268435456\n");
  CHECK(available_memory_below(root.path()) == 256 * kMiB);
  // Version 1; its value without a limit is nearly 2^63.
  write(root / "proc/self/cgroup", "7:cpu,memory:/docker/1\n1:name=systemd:/docker/1\n");
  write(root / "sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(available_memory_below(root.path()) == 4000 * kMiB);
  write(root / "sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "134217728\n");
  CHECK(available_memory_below(root.path()) == 128 * kMiB);
}

TEST_CASE("the memory of this process is known", "[platform]") {
  CHECK(available_memory() > kMiB);
  CHECK(reserved_memory() > 0);
}
