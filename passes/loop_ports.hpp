// Surgery on control-flow nodes: ports come and go together with the indices that refer to them.
#pragma once

#include <cstdint>

#include "ir/builder.hpp"
#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// Removes input `index` of a Loop or If; nothing in its payload may refer to it any more.
void remove_input(ir::Node& node, std::uint32_t index);
/// Removes output `index` of a Loop or If, which must be unused; nothing in its payload may refer to it any
/// more.
void remove_output(ir::Node& node, std::uint32_t index);

/// Connects `outer` to a new Parameter of the loop's body and returns that.
ir::Value add_invariant(ir::Node& loop, ir::Value outer);
/// The same for a branch of an If.
ir::Value add_invariant(ir::Node& choice, ir::Branch& branch, ir::Value outer);

/// Removes invariants whose Parameters nobody reads, with their inputs. Returns whether there were any.
bool remove_unused_invariants(ir::Node& node);

/// Whether a use reads the value: a body need not read what it is handed. The runtime drops what is not read.
bool is_read(const ir::Use& use);
/// Whether anything reads the value.
bool is_read(ir::Value value);

/// A copy that OpenVINO does not remove: between Parameters and Results of a body, Reshape, Convert and
/// Concat vanish at compile time.
ir::Value copy_of(ir::Builder& builder, ir::Value value);

/// A boolean scalar that says in a run whether the loop's first iteration takes place.
ir::Value whether_it_runs(ir::Builder& builder, const ir::Node& loop);
/// The scan output of a loop that does not run: no rows of the element's shape, whose sizes that only a run
/// would tell are 0, as in onnxruntime.
ir::Value no_rows(ir::Builder& builder, const ir::Scan& scan);

}  // namespace onnx2ir::passes
