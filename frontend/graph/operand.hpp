// What a name of an ONNX graph can mean: a tensor, a sequence of tensors, or an optional. OpenVINO has
// tensors only; the others are kept as several tensors that travel together.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/builder.hpp"

namespace onnx2ir::frontend {

struct Sequence;
struct Optional;
using Values = ir::SmallVector<ir::Value, 2>;
/// A tensor (null: an input that was left out), a sequence or an optional.
using Operand = std::variant<ir::Value, std::shared_ptr<const Sequence>, std::shared_ptr<const Optional>>;
using Operands = ir::SmallVector<Operand, 2>;

/// Elements that are known one by one, or packed: `values` holds the elements of all tensors in C order, one
/// tensor after the other; row i of `shapes` (i64, [count, rank]) is the shape of tensor i, filled up with -1
/// where its rank is smaller. Scalars need no `shapes`: each is an element of `values`. ([count, 0] would
/// have no elements, and releases with Fault::empty_state_shape do not notice how such a state of a Loop
/// grows.)
struct Sequence {
  ir::ElementType type = ir::ElementType::dynamic;
  /// Holds the shape of every element. Of unknown rank as long as the sequence has had no element.
  ir::PartialShape element;
  /// Whether elements may have a smaller rank than `element`, whose dimensions say nothing then.
  bool mixed_rank = false;
  /// The model input this is, when the model leaves the rank of its elements open.
  std::string open_input;
  /// The elements, when their number is known at conversion time; otherwise the two tensors below.
  std::optional<Values> elements;
  ir::Value values;
  ir::Value shapes;  ///< may be null if the elements are scalars
  /// All elements along a new first axis, if a loop has stacked them; otherwise null. Only for readers that
  /// require elements of one shape.
  ir::Value stacked;
};

/// A value that may be absent at run time.
struct Optional {
  ir::Value has_value;  ///< boolean scalar
  /// Meaningless where has_value is false; null when it is always absent and nothing says of which kind it
  /// is.
  std::shared_ptr<const Operand> content;
};

/// Element type and shape of a tensor.
struct TensorType {
  ir::ElementType type;
  ir::PartialShape shape;
};

/// The kind, element type and shape of an operand: what has to agree along a back edge or between branches.
struct OperandType {
  enum class Kind : std::uint8_t { tensor, sequence, optional } kind = Kind::tensor;
  ir::ElementType type = ir::ElementType::dynamic;
  /// Of the tensor or of each element; of unknown rank for a sequence that has had no element yet.
  ir::PartialShape shape = {};
  bool mixed_rank = false;                          ///< as in Sequence
  std::shared_ptr<const OperandType> content = {};  ///< of an optional; null: not known
  std::string open_input = {};                      ///< as in Sequence

  friend bool operator==(const OperandType& a, const OperandType& b);
};

/// Thrown when the use of a sequence tells the rank of its elements, which the model input it comes from left
/// open: the conversion starts again, knowing it.
class RankLearned : public std::exception {
 public:
  RankLearned(std::string name, std::int64_t found) : input(std::move(name)), rank(found) {}
  const char* what() const noexcept override { return "the rank of a sequence's elements was found"; }

  std::string input;
  std::int64_t rank;
};

/// Extends what `sequence` says of its elements by one of shape `element`.
void widen_element(Sequence& sequence, const ir::PartialShape& element);

OperandType type_of(const Operand& operand);
/// The type that holds values of both; nothing, and why in `problem`, when there is none. Throws RankLearned.
std::optional<OperandType> widen(const OperandType& a, const OperandType& b, std::string& problem);
/// `type` with all dimensions unknown.
OperandType with_dynamic_dimensions(OperandType type);
/// "f32[2,?]", "sequence of f32[?]", "optional f32[]".
std::string to_string(const OperandType& type);

/// Whether all elements of a sequence are scalars.
bool holds_scalars(const Sequence& sequence);

/// Where the tensors of an operand go: into and out of bodies, or to the ports of the model, where a sequence
/// of scalars has shapes like any other.
enum class Boundary : std::uint8_t { body, model };
/// The tensors that carry a value of `type`. An operand of a narrower type is brought into that form.
Values flatten(ir::Builder& builder, const Operand& operand, const OperandType& type, Boundary boundary);
/// The operand of `type` that `tensors`, from `next` on, carry; `next` moves past them.
Operand unflatten(const OperandType& type, const Values& tensors, std::size_t& next, Boundary boundary);
/// Element type and shape of each tensor flatten() gives.
std::vector<TensorType> flattened_types(const OperandType& type, Boundary boundary);
/// What is added to the name of an operand to name each of its tensors: "", "/values", "/shapes",
/// "/has_value".
std::vector<std::string> flattened_suffixes(const OperandType& type, Boundary boundary);

Operand make_sequence(Sequence sequence);
Operand make_optional(Optional optional);
/// Whether `operand` is an input that was left out.
bool is_absent(const Operand& operand);
/// The tensor, null when `operand` is none.
ir::Value as_tensor(const Operand& operand);

}  // namespace onnx2ir::frontend
