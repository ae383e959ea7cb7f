#include <utility>

#include "ir/element_moves.hpp"
#include "ir/operation_rules.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/selection.hpp"
#include "ir/views/unary.hpp"

namespace onnx2ir::ir {
namespace {

/// The rules of the elements of a node's outputs.
class ElementRule {
 public:
  ElementRule(const Node& node, std::size_t output, std::size_t count)
      : node_(node), output_(output), count_(count), table_(node.graph().sizes()) {}

  /// Null where nothing is known.
  Sizes all() const {
    if (node_.inputs().empty() || node_.op().traits.has_bodies) return none();
    if (const auto shape = match<ShapeOfView>(node_)) return of_shape(*shape);
    if (node_.op().traits.reshapes || node_.is_one_of({ops::Identity, ops::Result})) return copied();
    if (const auto convert = match<ConvertView>(node_)) return of_convert(*convert);
    if (const auto concat = match<ConcatView>(node_)) return of_concat(*concat);
    if (node_.is_one_of(kElementMoves)) return moved();
    if (const auto scatter = match<AnyScatterView>(node_)) return of_scatter(*scatter);
    if (node_.is_one_of({ops::ReduceProd, ops::ReduceSum, ops::ReduceMax, ops::ReduceMin}))
      return of_reduction();
    if (node_.is(ops::LogicalNot)) return of_each([&](Size a) { return negated(a); });
    if (node_.is(ops::Negative))
      return of_each([&](Size a) { return table_.product(table_.constant(-1), a); });
    if (node_.is(ops::Select)) return of_select();
    return of_pairs();
  }

 private:
  Sizes none() const { return Sizes(count_); }
  Size negated(Size a) const { return table_.difference(table_.constant(1), a); }

  /// Input 0 or others with as many elements as the output.
  Sizes copied(std::size_t input = 0) const {
    auto elements = elements_of(node_.input(input));
    return elements && elements->size() == count_ ? *std::move(elements) : none();
  }

  /// The elements of an input that is broadcast to the output: one element, or all in their order.
  std::optional<Sizes> broadcast(std::size_t input) const {
    auto elements = elements_of(node_.input(input));
    if (!elements || (elements->size() != 1 && elements->size() != count_)) return std::nullopt;
    const Size first = elements->empty() ? nullptr : elements->front();
    while (elements->size() < count_) elements->push_back(first);
    if (elements->size() > count_) elements->resize(count_);
    return elements;
  }

  Sizes moved() const {
    Sizes result = none();
    const auto elements = elements_of(node_.input(0));
    const auto from = elements ? moved_from(node_, output_, exact_sizes) : std::nullopt;
    for (std::size_t i = 0; from && i < count_; ++i) {
      const auto place = static_cast<std::size_t>((*from)[i]);
      if (place < elements->size()) result[i] = (*elements)[place];
    }
    return result;
  }

  Sizes of_shape(ShapeOfView shape) const {
    Sizes result = none();
    for (std::size_t i = 0; i < count_; ++i) result[i] = size_along(shape.data(), i);
    return result;
  }

  /// Sizes fit into 32 bits.
  Sizes of_convert(ConvertView convert) const {
    Sizes result = copied();
    const bool is_truth =
        convert.output(0).type == ElementType::boolean && convert.data().type() != ElementType::boolean;
    for (Size& element : result) {
      if (is_truth) element = negated(table_.is_zero(element));
    }
    return result;
  }

  Sizes of_concat(ConcatView concat) const {
    if (concat.output(0).shape.rank() != 1) return none();
    Sizes result;
    for (const Value part : concat.parts()) {
      const auto elements = elements_of(part);
      if (!elements) return none();
      result.append(elements->begin(), elements->end());
    }
    return result.size() == count_ ? result : none();
  }

  Sizes of_scatter(AnyScatterView scatter) const {
    Sizes result = copied();
    const auto updates = elements_of(scatter.updates());
    const auto positions = updated_positions(scatter, count_);
    if (!updates || !positions || positions->size() != updates->size()) return none();
    for (std::size_t i = 0; i < positions->size(); ++i) result[(*positions)[i]] = (*updates)[i];
    return result;
  }

  Sizes of_reduction() const {
    const auto elements = elements_of(node_.input(0));
    if (count_ != 1 || !elements || elements->empty()) return none();
    Size result = elements->front();
    for (std::size_t i = 1; i < elements->size(); ++i) {
      const Size element = (*elements)[i];
      result = node_.is(ops::ReduceProd)  ? table_.product(result, element)
               : node_.is(ops::ReduceSum) ? table_.sum(result, element)
               : node_.is(ops::ReduceMax) ? table_.maximum(result, element)
                                          : table_.minimum(result, element);
    }
    return {result};
  }

  template <typename Function>
  Sizes of_each(Function function) const {
    Sizes result = copied();
    for (Size& element : result) element = function(element);
    return result;
  }

  Sizes of_select() const {
    Sizes result = none();
    const auto condition = broadcast(0);
    const auto yes = broadcast(1);
    const auto no = broadcast(2);
    if (!yes || !no) return result;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto chosen = condition ? constant((*condition)[i]) : std::nullopt;
      if (chosen || are_equal((*yes)[i], (*no)[i])) result[i] = chosen == 0 ? (*no)[i] : (*yes)[i];
    }
    return result;
  }

  Sizes of_pairs() const {
    if (!node_.op().traits.broadcasts || node_.inputs().size() != 2) return none();
    const auto a = broadcast(0);
    const auto b = broadcast(1);
    if (!a || !b) return none();
    Sizes result = none();
    for (std::size_t i = 0; i < count_; ++i) {
      if ((*a)[i] != nullptr && (*b)[i] != nullptr) result[i] = of_pair((*a)[i], (*b)[i]);
    }
    return result;
  }

  Size of_pair(Size a, Size b) const {
    const auto less = [&](Size x, Size y) {
      return may_be_ordered(x, y) ? table_.is_negative(table_.difference(x, y)) : nullptr;
    };
    if (node_.is(ops::Add)) return table_.sum(a, b);
    if (node_.is(ops::Subtract)) return table_.difference(a, b);
    if (node_.is(ops::Multiply) || node_.is(ops::LogicalAnd)) return table_.product(a, b);
    if (node_.is(ops::LogicalOr)) return table_.difference(table_.sum(a, b), table_.product(a, b));
    if (node_.is(ops::Maximum)) return may_be_ordered(a, b) ? table_.maximum(a, b) : nullptr;
    if (node_.is(ops::Minimum)) return may_be_ordered(a, b) ? table_.minimum(a, b) : nullptr;
    if (node_.is(ops::Divide)) return divided(a, b);
    if (node_.is(ops::Mod) || node_.is(ops::FloorMod))
      return table_.difference(a, table_.product(divided(a, b), b));
    if (node_.is(ops::Equal)) return table_.is_zero(table_.difference(a, b));
    if (node_.is(ops::NotEqual)) return negated(table_.is_zero(table_.difference(a, b)));
    if (node_.is(ops::Less)) return less(a, b);
    if (node_.is(ops::Greater)) return less(b, a);
    if (node_.is(ops::LessEqual)) return negated(less(b, a));
    if (node_.is(ops::GreaterEqual)) return negated(less(a, b));
    return nullptr;
  }

  /// Sizes do not overflow. Of other integers, n < n + 1 can be false.
  static bool may_be_ordered(Size a, Size b) {
    return (a->least() && b->least()) || a->constant() || b->constant();
  }

  /// Rounding toward zero and rounding down differ only below 0.
  Size divided(Size a, Size b) const {
    return a->least().value_or(-1) >= 0 && b->least().value_or(-1) > 0 ? table_.floor_quotient(a, b)
                                                                       : nullptr;
  }

  const Node& node_;
  std::size_t output_;
  std::size_t count_;
  SizeTable& table_;
};

}  // namespace

Sizes computed_elements(const Node& node, std::size_t output, std::size_t count) {
  return ElementRule(node, output, count).all();
}

}  // namespace onnx2ir::ir
