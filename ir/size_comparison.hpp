// Dynamic sizes as sums of products of other sizes and constant factors: [n, 16, 8] reshaped to [-1, 4, 8]
// has the size 4 * n, and a cache of p rows to which n are appended has the size p + n.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "ir/size_steps.hpp"

namespace onnx2ir::ir {

class Sizes;

/// Compares sizes of the same graphs many times, each time in a few steps: it remembers what it has found.
/// The nodes may get other inputs of the same sizes meanwhile, but none may be removed. Not thread-safe.
class SizeComparison {
 public:
  SizeComparison();
  SizeComparison(const SizeComparison&) = delete;
  SizeComparison& operator=(const SizeComparison&) = delete;
  ~SizeComparison();

  /// Whether two sizes are provably the same sum of products.
  bool are_equal_products(const Place& a, const Place& b);

 private:
  std::unique_ptr<Sizes> sizes_;
};

/// The size that a Reshape of `data` to `pattern` leaves for a -1, if it is the same in every run in which no
/// size is 0. If a size is 0, onnxruntime gives this size (allowzero = 1) or an error.
std::optional<std::int64_t> remaining_size(Value data, Value pattern, bool special_zero);

}  // namespace onnx2ir::ir
