// Random numbers, names, types and tensors: preferably those that are likely to cause errors.
#pragma once

#include <string>

#include "frontend/reader/onnx_proto.hpp"
#include "mutator/random.hpp"

namespace onnx2ir::fuzz {

/// An axis, a size, a step, an index: most often small, sometimes an end of a range.
std::int64_t random_integer(Random& random);
/// Sometimes NaN, infinite, subnormal.
double random_real(Random& random);
/// Most often one of the numeric types, sometimes an invalid type.
int random_element_type(Random& random);

/// Another integer near `value`, or a random one.
std::int64_t mutated_integer(std::int64_t value, Random& random);
/// A value of an attribute (modes, paddings, equations, directions, patterns), or `text` with a change.
std::string mutated_text(std::string text, Random& random);

/// A small tensor, most often of i64, as operators take axes, shapes, indices and counts.
void fill_with_small_tensor(onnx::TensorProto& tensor, Random& random);
/// Changes elements, sizes, type, or the location of the data.
void mutate_tensor(onnx::TensorProto& tensor, Random& random);
/// Changes element type, rank or sizes; tensor, sequence or optional.
void mutate_type(onnx::TypeProto& type, Random& random);

}  // namespace onnx2ir::fuzz
