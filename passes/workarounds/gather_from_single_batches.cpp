// Workaround for gather_of_one_batch: a Gather from batches of size 1, of static shape, reads outside of its
// data. Without these axes of the indices it is a Gather with no batches.
#include <algorithm>
#include <vector>

#include "ir/views/selection.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

bool is_affected(ir::GatherView gather) {
  const auto sizes = gather.indices().shape().sizes();
  const std::int64_t batches = gather.batch_dims();
  return sizes && batches > 0 &&
         std::ranges::all_of(sizes->begin(), sizes->begin() + batches,
                             [](std::int64_t size) { return size == 1; });
}

ir::Value remove_batches(ir::Builder& builder, ir::GatherView gather) {
  const auto sizes = *gather.indices().shape().sizes();
  const std::vector<std::int64_t> shape(sizes.begin() + gather.batch_dims(), sizes.end());
  const ir::Value indices =
      builder.op(ops::Reshape, {gather.indices(), builder.integers(shape)}, {{"special_zero", false}});
  return builder.op(ops::Gather, {gather.data(), indices, gather.axis()}, {{"batch_dims", 0}});
}

}  // namespace

Workaround gather_from_single_batches() {
  return {.stage = Stage::operations,
          .summary = "Gathers from batches of size 1 as if there were none",
          .rows = {row<is_affected, remove_batches>(Fault::gather_of_one_batch, {ops::Gather})}};
}

}  // namespace onnx2ir::passes
