// The values of an ONNX graph: tensors, sequences of tensors, and optionals. OpenVINO has only tensors; the
// others are represented by several tensors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/graph/element_list.hpp"
#include "ir/builder.hpp"

namespace onnx2ir::frontend {

struct Sequence;
struct Optional;

/// The rank of the elements of a sequence that is a model input, if the model does not declare it. An attempt
/// that finds the rank fails, and the model is translated again with it: see frontend/frontend.cpp.
struct OpenRank {
  std::string input;
  std::optional<std::int64_t> found = {};  ///< the first one: others follow from it, or contradict it
};

/// A tensor (null: an omitted input), a sequence or an optional.
using Operand = std::variant<ir::Value, std::shared_ptr<const Sequence>, std::shared_ptr<const Optional>>;
using Operands = base::SmallVector<Operand, 2>;

/// A value that may be absent at run time.
struct Optional {
  ir::Value has_value;  ///< boolean scalar
  /// Undefined if has_value is false; null if the optional is always absent and its kind is not known.
  std::shared_ptr<const Operand> content;
};

/// The kind, element type and shape of an operand, which must agree along a back edge and between branches.
struct OperandType {
  enum class Kind : std::uint8_t { tensor, sequence, optional } kind = Kind::tensor;
  ir::ElementType type = ir::ElementType::dynamic;
  /// The shape of the tensor or of each element; of dynamic rank for a sequence that has had no element yet.
  ir::PartialShape shape = {};
  /// Whether elements of a sequence may have a smaller rank than `shape`; its dimensions have no meaning
  /// then.
  bool mixed_rank = false;
  std::shared_ptr<const OperandType> content = {};  ///< of an optional; null: not known
  /// Set if a sequence comes from a model input whose element rank is not known yet.
  std::shared_ptr<OpenRank> open_rank = {};

  friend bool operator==(const OperandType& a, const OperandType& b);
};

/// A sequence is either a list of known elements or packed. Packed: `values` holds the elements of all
/// tensors in C order, one tensor after the other; row i of `shapes` (i64, [count, rank]) is the shape of
/// tensor i, padded with -1 if its rank is smaller. Sequences of scalars have no `shapes`: each scalar is an
/// element of `values`. ([count, 0] would be empty, and releases with Fault::empty_state_shape do not notice
/// when such a state of a Loop grows.)
struct Sequence : OperandType {
  Sequence() : OperandType{.kind = Kind::sequence} {}
  explicit Sequence(OperandType its_type) : OperandType(std::move(its_type)) {}
  const OperandType& operand_type() const { return *this; }

  /// The elements if their number is known at conversion time; otherwise the two tensors below.
  std::optional<ElementList> elements;
  ir::Value values;
  ir::Value shapes;  ///< may be null if the elements are scalars
  /// All elements along a new first axis if a loop has stacked them; otherwise null. Only valid for readers
  /// that require elements of one shape.
  ir::Value stacked;
};

/// Notes that the elements have the rank `rank`. Returns the reason why the current attempt fails.
std::string note_rank(OpenRank& open, std::int64_t rank);

/// Throws Failure (cannot_convert) if the operand is absent: bodies can return an input that the call of a
/// function omits.
OperandType type_of(const Operand& operand);
/// The type that holds values of both types. If the types differ too much, the problem (cannot_convert) is a
/// clause that follows the names of both.
Result<OperandType> widen(const OperandType& a, const OperandType& b);
/// `type` with all dimensions dynamic.
OperandType with_dynamic_dimensions(OperandType type);
/// "f32[2,?]", "sequence of f32[?]", "optional f32[]".
std::string to_string(const OperandType& type);

/// Whether all elements of a sequence are scalars.
bool holds_scalars(const OperandType& sequence);

/// Where the tensors of an operand are used: as inputs and outputs of bodies, or as ports of the model. At
/// ports of the model, sequences of scalars have shapes as well.
enum class Boundary : std::uint8_t { body, model };
/// The tensors that represent `operand` as a value of `type`, which may be wider than its own type.
Values split_operand(ir::Builder& builder, const Operand& operand, const OperandType& type,
                     Boundary boundary);
/// The operand of `type` that is represented by `tensors` from `next` on; advances `next`.
Operand join_operand(const OperandType& type, const Values& tensors, std::size_t& next, Boundary boundary);
/// A tensor that represents an operand or a part of it.
struct TensorPart {
  std::string_view suffix;  ///< of its name: "", "/values", "/shapes", "/has_value"
  ir::ElementType type;
  ir::PartialShape shape;
};
/// The tensors of split_operand().
std::vector<TensorPart> parts_of_operand(const OperandType& type, Boundary boundary);

Operand make_sequence(Sequence sequence);
Operand make_optional(Optional optional);
/// Whether `operand` is an omitted input.
bool is_absent(const Operand& operand);
/// The tensor; null if `operand` is not a tensor.
ir::Value as_tensor(const Operand& operand);

}  // namespace onnx2ir::frontend
