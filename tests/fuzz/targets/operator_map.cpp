// Any text as an operator map, for a model with operators that the map can convert.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "targets/outcome.hpp"

namespace {

constexpr std::string_view kModel = R"(
<ir_version: 10, opset_import: ["" : 17, "d" : 2]>
m (float[2, 3] x, float[n, 3, 4] y, float u, int64[2] s, bool b) => (a, c, e, f, g, h)
<float[2] w = {1, 2}, int64 i = {1}, int64[2] j = {1, -1}> {
  a = d.A <dim = 1, name = "same", values = [1, 2], reals = [0.5, 1.0]> (x)
  c = d.B <dim = -1, to = 7, on = 1> (x, w)
  e, f = d.C <dim = 0, alpha = 0.5> (y, i, j)
  k = d.A <dim = 0> (y)
  g = d.B (k, s)
  h = If (b) <then_branch = t () => (p) { p = d.D (x, s, u) }, else_branch = o () => (q) { q = d.A (x) }>
})";

/// A file in memory that has a path.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("operator_map", 0)) {
    if (descriptor_ < 0) std::abort();
  }
  void write(const std::uint8_t* data, std::size_t size) const {
    if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, data, size, 0) != static_cast<ssize_t>(size))
      std::abort();
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace onnx2ir;
  static const MemoryFile file;
  file.write(data, size);
  Options options = fuzz::limited_options();
  options.operator_map = file.path();
  fuzz::check_outcome(convert_text(kModel, options));
  return 0;
}
