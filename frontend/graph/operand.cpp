#include "frontend/graph/operand.hpp"

#include <algorithm>
#include <utility>

#include "frontend/graph/packed_sequence.hpp"
#include "ir/checked_arithmetic.hpp"

namespace onnx2ir::frontend {
namespace {

using ir::ElementType;
using ir::PartialShape;
using packed::rank_of;
using Kind = OperandType::Kind;

/// The tensor of an absent optional: zeros. The size of a dynamic dimension is 1, or its minimum if that is
/// larger, because 1 can be broadcast to any size.
ir::Value emit_placeholder(ir::Builder& builder, const OperandType& type) {
  std::vector<std::int64_t> shape;
  std::int64_t count = 1;
  for (const ir::Dimension& dimension : type.shape) {
    shape.push_back(std::max<std::int64_t>(dimension.min, dimension.is_static() ? 0 : 1));
    count = ir::checked_multiply(count, shape.back());
  }
  const std::vector<double> zeros(ir::checked_count(count), 0.0);
  return builder.numbers(zeros, shape, type.type);
}

/// Whether the element rank of `sequence` is open, and found to be that of `other`, unless that has mixed
/// ranks.
bool finds_rank(const OperandType& sequence, const OperandType& other) {
  if (sequence.open_rank == nullptr || !other.shape.has_rank()) return false;
  if (sequence.shape.has_rank() && (sequence.shape.rank() == other.shape.rank() || other.mixed_rank))
    return false;
  note_rank(*sequence.open_rank, rank_of(other.shape));
  return true;
}

/// Whether a sequence of `type` has had no element and no known element rank: it is represented by no
/// tensors.
bool is_always_empty(const OperandType& type) {
  return !type.shape.has_rank() && type.open_rank == nullptr;
}

/// Whether a sequence is represented with a tensor of shapes.
bool has_shapes(const OperandType& type, Boundary boundary) {
  return boundary == Boundary::model || !holds_scalars(type);
}

/// The tensors of the content of `optional` as a value of `type`.
Values split_content(ir::Builder& builder, const Optional& optional, const OperandType& type,
                     Boundary boundary) {
  if (optional.content != nullptr) return split_operand(builder, *optional.content, type, boundary);
  if (type.kind == Kind::tensor) return {emit_placeholder(builder, type)};
  Sequence empty;
  empty.type = type.type;
  empty.elements.emplace();
  return split_operand(builder, make_sequence(std::move(empty)), type, boundary);
}

}  // namespace

std::string note_rank(OpenRank& open, std::int64_t rank) {
  if (!open.found) open.found = rank;
  return "the elements of '" + open.input + "' have the rank " + std::to_string(*open.found);
}

bool operator==(const OperandType& a, const OperandType& b) {
  if (a.kind != b.kind || a.type != b.type || a.shape != b.shape) return false;
  if (a.mixed_rank != b.mixed_rank || a.open_rank != b.open_rank) return false;
  if (a.content == nullptr || b.content == nullptr) return a.content == b.content;
  return *a.content == *b.content;
}

OperandType type_of(const Operand& operand) {
  if (const auto* tensor = std::get_if<ir::Value>(&operand)) {
    if (!*tensor)
      throw base::Failure(DiagnosticCode::cannot_convert,
                          "it uses a value that the call of the enclosing function omits");
    return {.type = tensor->type(), .shape = tensor->shape()};
  }
  if (const auto* sequence = std::get_if<std::shared_ptr<const Sequence>>(&operand))
    return (*sequence)->operand_type();
  const Optional& optional = *std::get<std::shared_ptr<const Optional>>(operand);
  OperandType type{.kind = Kind::optional};
  if (optional.content != nullptr)
    type.content = std::make_shared<const OperandType>(type_of(*optional.content));
  return type;
}

Result<OperandType> widen(const OperandType& a, const OperandType& b) {
  const auto differ = [&](std::string_view what) {
    return Problem{DiagnosticCode::cannot_convert,
                   "differ in " + std::string(what) + ": " + to_string(a) + " and " + to_string(b)};
  };
  if (a.kind != b.kind && (a.kind == Kind::optional || b.kind == Kind::optional)) {
    // A value that is always present is a valid optional.
    const auto optional = [](const OperandType& type) {
      if (type.kind == Kind::optional) return type;
      return OperandType{.kind = Kind::optional, .content = std::make_shared<const OperandType>(type)};
    };
    return widen(optional(a), optional(b));
  }
  if (a.kind != b.kind) return differ("kind");
  OperandType result = a;
  if (a.kind == Kind::optional) {
    if (a.content == nullptr || b.content == nullptr) {
      result.content = a.content == nullptr ? b.content : a.content;
      return result;
    }
    auto content = widen(*a.content, *b.content);
    if (!content) return content;
    result.content = std::make_shared<const OperandType>(*content);
    return result;
  }
  const bool has_no_type = a.kind == Kind::sequence && a.type == ir::ElementType::dynamic;
  if (has_no_type) result.type = b.type;
  if (a.type != b.type && !has_no_type && (a.kind != Kind::sequence || b.type != ir::ElementType::dynamic))
    return differ("element type");
  if (a.kind == Kind::sequence) {
    if (finds_rank(a, b) || finds_rank(b, a)) return differ("rank");
    // A sequence whose rank is certain confirms the rank.
    if (b.shape.has_rank() && b.open_rank == nullptr) result.open_rank.reset();
    if (!a.shape.has_rank() && a.open_rank == nullptr) result.open_rank = b.open_rank;
    widen_element(result.shape, result.mixed_rank, b.shape, b.mixed_rank);
    return result;
  }
  result.shape = ir::widen(a.shape, b.shape);
  if (!result.shape.has_rank() && a.shape.has_rank() && b.shape.has_rank()) return differ("rank");
  return result;
}

OperandType with_dynamic_dimensions(OperandType type) {
  if (type.shape.has_rank()) type.shape = PartialShape::of_rank(type.shape.rank());
  if (type.content != nullptr) {
    type.content = std::make_shared<const OperandType>(with_dynamic_dimensions(*type.content));
  }
  return type;
}

std::string to_string(const OperandType& type) {
  if (type.kind == Kind::optional) {
    return "optional " + (type.content == nullptr ? std::string("?") : to_string(*type.content));
  }
  std::string tensor = std::string(ir::info(type.type).name) + ir::to_string(type.shape);
  if (type.kind == Kind::tensor) return tensor;
  return "sequence of " + tensor + (type.mixed_rank ? " and smaller ranks" : "");
}

Values split_operand(ir::Builder& builder, const Operand& operand, const OperandType& type,
                     Boundary boundary) {
  if (type.kind == Kind::optional && !std::holds_alternative<std::shared_ptr<const Optional>>(operand)) {
    const Optional present{builder.boolean(true), std::make_shared<const Operand>(operand)};
    return split_operand(builder, make_optional(present), type, boundary);
  }
  if (const auto* tensor = std::get_if<ir::Value>(&operand)) return {*tensor};
  if (const auto* sequence = std::get_if<std::shared_ptr<const Sequence>>(&operand)) {
    if (is_always_empty(type)) return {};
    Sequence typed = **sequence;
    typed.type = type.type;  // not known before the first element if SequenceEmpty does not give it
    const Sequence packed = pack(builder, typed, type.shape.has_rank() ? rank_of(type.shape) : 0);
    if (!has_shapes(type, boundary)) return {packed.values};
    return {packed.values, packed.shapes ? packed.shapes : emit_shapes_of_scalars(builder, packed)};
  }
  const Optional& optional = *std::get<std::shared_ptr<const Optional>>(operand);
  Values tensors{optional.has_value};
  if (type.content != nullptr) {
    const Values content = split_content(builder, optional, *type.content, boundary);
    tensors.append(content.begin(), content.end());
  }
  return tensors;
}

Operand join_operand(const OperandType& type, const Values& tensors, std::size_t& next, Boundary boundary) {
  switch (type.kind) {
    case Kind::tensor:
      return tensors[next++];
    case Kind::sequence: {
      Sequence sequence(type);
      if (is_always_empty(type)) {
        sequence.elements.emplace();
      } else {
        sequence.values = tensors[next++];
        if (has_shapes(type, boundary)) sequence.shapes = tensors[next++];
      }
      return make_sequence(std::move(sequence));
    }
    case Kind::optional:
      break;
  }
  Optional optional;
  optional.has_value = tensors[next++];
  if (type.content != nullptr) {
    optional.content = std::make_shared<const Operand>(join_operand(*type.content, tensors, next, boundary));
  }
  return make_optional(std::move(optional));
}

std::vector<TensorPart> parts_of_operand(const OperandType& type, Boundary boundary) {
  switch (type.kind) {
    case Kind::tensor:
      return {{"", type.type, type.shape}};
    case Kind::sequence: {
      if (is_always_empty(type)) return {};
      const TensorPart values{"/values", type.type, PartialShape{-1}};
      if (!has_shapes(type, boundary)) return {values};
      const std::int64_t rank = type.shape.has_rank() ? rank_of(type.shape) : -1;
      return {values, {"/shapes", ElementType::i64, PartialShape{-1, rank}}};
    }
    case Kind::optional:
      break;
  }
  std::vector<TensorPart> parts{{"/has_value", ElementType::boolean, PartialShape::scalar()}};
  if (type.content != nullptr) {
    for (TensorPart& part : parts_of_operand(*type.content, boundary)) parts.push_back(std::move(part));
  }
  return parts;
}

bool holds_scalars(const OperandType& sequence) {
  return sequence.shape.is_scalar() && !sequence.mixed_rank;
}

Operand make_sequence(Sequence sequence) {
  return std::make_shared<const Sequence>(std::move(sequence));
}
Operand make_optional(Optional optional) {
  return std::make_shared<const Optional>(std::move(optional));
}

bool is_absent(const Operand& operand) {
  const auto* tensor = std::get_if<ir::Value>(&operand);
  return tensor != nullptr && !*tensor;
}

ir::Value as_tensor(const Operand& operand) {
  const auto* tensor = std::get_if<ir::Value>(&operand);
  return tensor != nullptr ? *tensor : ir::Value{};
}

}  // namespace onnx2ir::frontend
