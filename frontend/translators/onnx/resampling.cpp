#include "frontend/translators/onnx/resampling.hpp"

#include <algorithm>

#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr ElementType kReal = ElementType::f32;

/// Resamples one axis in the terms of the ONNX reference; all values are scalars.
class AxisResampler {
 public:
  AxisResampler(NodeContext& node, const ResizePlan& plan, std::size_t index, Value scale, Value length)
      : node_(&node), plan_(&plan), axis_(plan.axes[index]), scale_(scale) {
    const Value size = dimension_of(node, plan.image, axis_);
    input_size_ = mark_precise(reshape_to_scalar(node, convert_to_real(size)));
    output_size_ = length;
    if (plan.roi) {
      const auto bound = [&](std::size_t place) {
        const Value found = gather(node, plan.roi, node.integers({static_cast<std::int64_t>(place)}));
        return reshape_to_scalar(node, found);
      };
      start_ = bound(index);
      end_ = bound(index + plan.axes.size());
    }
    x_ = compute_coordinates();
  }

  Value resample(Value image) {
    if (plan_->antialias) return sample_area(image);
    if (reads_first_only()) return gather(*node_, image, node_->integers({0}), axis_);
    return plan_->mode == "nearest" ? sample_nearest(image) : sample_neighbours(image);
  }

  /// Whether the coordinate is outside of the image: boolean, of rank `rank`.
  Value find_outside(std::int64_t rank) {
    const Value low = node_->op(ops::Less, {x_, number(0)});
    const Value high = node_->op(ops::Greater, {x_, subtract(input_size_, number(1))});
    const Value mask = node_->op(ops::LogicalOr, {low, high});
    return reshape(*node_, mask, node_->integers(shape_along(axis_, rank)));
  }

 private:
  // Coordinates and weights: bf16 has no fraction of a coordinate of 1,000.
  Value number(double value) { return node_->number(value, kReal); }
  Value add(Value a, Value b) { return mark_precise(node_->op(ops::Add, {a, b})); }
  Value subtract(Value a, Value b) { return mark_precise(node_->op(ops::Subtract, {a, b})); }
  Value multiply(Value a, Value b) { return mark_precise(node_->op(ops::Multiply, {a, b})); }
  Value divide(Value a, Value b) { return divide_exactly(*node_, a, b); }
  Value select(std::initializer_list<Value> inputs) { return mark_precise(node_->op(ops::Select, inputs)); }
  Value convert_to_real(Value value) { return mark_precise(convert(*node_, value, kReal)); }
  Value emit_range(Value start, Value stop, ElementType type) {
    const Value step = node_->number(1, start.type());
    return mark_precise(node_->op(ops::Range, {start, stop, step}, {{"output_type", type}}));
  }

  /// Whether the only output position reads position 0.
  bool reads_first_only() const {
    return (plan_->coordinates == "pytorch_half_pixel" || plan_->coordinates == "align_corners") &&
           ir::known_scalar(output_size_) == 1;
  }

  /// Image coordinates of all output positions: f32 [output size].
  Value compute_coordinates() {
    const Value i = emit_range(node_->integer(0), output_size_, kReal);
    const Value length = convert_to_real(output_size_);
    const Value half = number(0.5);
    const Value one = number(1);
    const auto half_pixel = [&] { return subtract(divide(add(i, half), scale_), half); };
    const std::string& mode = plan_->coordinates;
    if (mode == "half_pixel") return half_pixel();
    if (mode == "asymmetric") return divide(i, scale_);
    if (mode == "tf_half_pixel_for_nn") return divide(add(i, half), scale_);
    const auto count = ir::known_scalar(output_size_);
    const bool has_several = count && *count > 1;
    if (mode == "pytorch_half_pixel") {
      if (has_several) return half_pixel();
      const Value several = node_->op(ops::Greater, {length, one});
      const Value middle = half_pixel();
      return select({several, middle, multiply(i, number(0))});
    }
    if (mode == "half_pixel_symmetric") {
      // The specified formula, simplified so that only the division rounds: a coordinate that is a whole
      // number must be exact, because floor and ceil follow.
      const Value centre = multiply(subtract(input_size_, one), half);
      const Value from_centre = subtract(add(multiply(i, number(2)), one), length);
      return add(centre, divide(from_centre, multiply(scale_, number(2))));
    }
    if (mode == "align_corners") {
      // As PyTorch and onnxruntime: the specification has the size before it is rounded.
      const Value room = subtract(length, one);
      const Value way = multiply(i, subtract(input_size_, one));
      if (has_several) return divide(way, room);
      const Value single = node_->op(ops::Equal, {room, number(0)});
      const Value steps = divide(way, select({single, one, room}));
      return select({single, multiply(i, number(0)), steps});
    }
    if (mode == "tf_crop_and_resize") {
      const Value last = subtract(input_size_, one);
      const Value room = subtract(length, one);
      const Value several = node_->op(ops::Greater, {length, one});
      const Value way = multiply(subtract(end_, start_), last);
      const Value step = divide(way, select({several, room, one}));
      const Value begin = multiply(start_, last);
      const Value many = add(begin, multiply(i, step));
      const Value single = multiply(multiply(half, add(start_, end_)), last);
      return select({several, many, add(single, multiply(i, number(0)))});
    }
    node_->fail("coordinate_transformation_mode '" + mode + "' does not exist");
  }

  /// The whole number that is nearest to each coordinate, as the node rounds.
  Value round_coordinates() {
    const std::string& mode = plan_->nearest;
    if (mode == "round_prefer_floor") return node_->op(ops::Ceiling, {subtract(x_, number(0.5))});
    if (mode == "round_prefer_ceil") return node_->op(ops::Floor, {add(x_, number(0.5))});
    if (mode == "floor") return node_->op(ops::Floor, {x_});
    if (mode == "ceil") return node_->op(ops::Ceiling, {x_});
    if (mode != "simple") node_->fail("nearest_mode '" + mode + "' does not exist");
    const Value shrinks = node_->op(ops::Less, {scale_, number(1)});
    const Value up = node_->op(ops::Ceiling, {x_});
    return select({shrinks, up, node_->op(ops::Floor, {x_})});
  }

  Value sample_nearest(Value image) {
    const Value least = node_->op(ops::Minimum, {round_coordinates(), subtract(input_size_, number(1))});
    const Value index = node_->op(ops::Maximum, {least, number(0)});
    return gather(*node_, image, convert(*node_, index, ElementType::i64), axis_);
  }

  /// The cubic kernel at |distance|.
  Value emit_cubic(Value distance) {
    const auto polynomial = [&](double c3, double c2, double c1, double c0) {
      Value result = number(c3);
      for (const double coefficient : {c2, c1, c0}) {
        const Value product = multiply(result, distance);
        result = add(product, number(coefficient));
      }
      return result;
    };
    const double c = plan_->cubic;
    const Value near = polynomial(c + 2, -(c + 3), 0, 1);
    const Value far = polynomial(c, -5 * c, 8 * c, -4 * c);
    const Value zero = multiply(distance, number(0));
    const Value beyond = select({node_->op(ops::Less, {distance, number(2)}), far, zero});
    return select({node_->op(ops::LessEqual, {distance, number(1)}), near, beyond});
  }

  /// The weight of a position at a distance that is not negative.
  Value weigh(Value distance) {
    if (plan_->mode == "cubic") return emit_cubic(distance);
    return node_->op(ops::Maximum, {subtract(number(1), distance), number(0)});
  }

  /// `list`, a number for each position along the axis, in a shape that is broadcast over the other axes.
  Value spread(Value list, std::int64_t rank) {
    return axis_ == rank - 1 ? list : reshape(*node_, list, node_->integers(shape_along(axis_, rank)));
  }

  /// The weighted sum of the two (linear) or four (cubic) neighbours of each position. The image repeats its
  /// borders.
  Value sample_neighbours(Value image) {
    const bool is_cubic = plan_->mode == "cubic";
    const Value floor = node_->op(ops::Floor, {x_});
    const Value last = subtract(input_size_, number(1));
    Values indices;
    Values weights;
    for (int offset = is_cubic ? -1 : 0; offset <= (is_cubic ? 2 : 1); ++offset) {
      const Value position = offset == 0 ? floor : add(floor, number(offset));
      const Value limited = node_->op(ops::Minimum, {position, last});
      const Value index = node_->op(ops::Maximum, {limited, number(0)});
      Value weight = weigh(node_->op(ops::Abs, {subtract(x_, position)}));
      if (plan_->exclude_outside) {
        const Value is_inside = node_->op(ops::Equal, {position, index});
        weight = multiply(weight, convert(*node_, is_inside, kReal));
      }
      indices.push_back(convert(*node_, index, ElementType::i64));
      weights.push_back(weight);
    }
    Value total = plan_->exclude_outside ? weights.front() : Value{};
    for (std::size_t i = 1; total && i < weights.size(); ++i) total = add(total, weights[i]);
    const std::int64_t rank = node_->rank(image);
    Value sum;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const Value neighbour = gather(*node_, image, indices[i], axis_);
      const Value weight = total ? divide(weights[i], total) : weights[i];
      const Value product = node_->op(ops::Multiply, {neighbour, spread(weight, rank)});
      sum = sum ? node_->op(ops::Add, {sum, product}) : product;
    }
    return sum;
  }

  /// Multiplies the image, extended by repeating its borders, by a matrix of weights. If the image shrinks, a
  /// position has weights for all pixels of its part of the image.
  Value sample_area(Value image) {
    const double reach = plan_->mode == "cubic" ? 2 : 1;
    const Value shrinking = node_->op(ops::Minimum, {scale_, number(1)});
    const Value reached = node_->op(ops::Ceiling, {divide(number(reach), shrinking)});
    // The scale of an empty result is 0.
    const Value limited_reach = node_->op(ops::Minimum, {reached, multiply(input_size_, number(reach))});
    const Value neighbours = convert(*node_, limited_reach, ElementType::i64);
    const Value margin = add(neighbours, node_->integer(1));
    const Value whole_size = convert(*node_, input_size_, ElementType::i64);
    const Value first = subtract(node_->integer(0), margin);
    const Value positions = emit_range(first, add(whole_size, margin), ElementType::i64);
    const Value last = subtract(whole_size, node_->integer(1));
    const Value limited = node_->op(ops::Minimum, {positions, last});
    const Value inside = node_->op(ops::Maximum, {limited, node_->integer(0)});
    const Value extended = gather(*node_, image, inside, axis_);
    const Value columns = mark_precise(unsqueeze(*node_, convert_to_real(positions), {0}));
    const Value rows = mark_precise(unsqueeze(*node_, x_, {1}));
    const Value distance = node_->op(ops::Abs, {subtract(rows, columns)});
    Value weights = weigh(multiply(distance, shrinking));
    if (plan_->exclude_outside) {
      const Value valid = unsqueeze(*node_, node_->op(ops::Equal, {positions, inside}), {0});
      weights = multiply(weights, convert(*node_, valid, kReal));
    }
    weights = divide(weights, reduce_keep_dims(*node_, ops::ReduceSum, weights, {1}));
    // Moves the axis to the end, multiplies by the transposed weights, and moves it back.
    const std::int64_t rank = node_->rank(image);
    std::vector<std::int64_t> order = numbers_between(0, rank);
    std::swap(order[static_cast<std::size_t>(axis_)], order.back());
    const bool moved = axis_ != rank - 1;
    const Value left = moved ? transpose(*node_, extended, order) : extended;
    const Value product = mat_mul(*node_, left, weights, {.b = true});
    return moved ? transpose(*node_, product, order) : product;
  }

  NodeContext* node_;
  const ResizePlan* plan_;
  std::int64_t axis_;
  Value scale_;
  Value input_size_;   ///< f32
  Value output_size_;  ///< i64
  Value start_;
  Value end_;
  Value x_;
};

/// `image` rounded and limited to the numbers of an integer `type`. Numbers of 32 bits are not limited: f32
/// does not have the largest.
Value round_to(NodeContext& node, Value image, ElementType type) {
  constexpr double kMost = 1 << 16;
  const Value rounded = node.op(ops::Round, {image}, {{"mode", "half_away_from_zero"}});
  const auto [low, high] = ir::limits_of(type);
  return high < kMost ? node.op(ops::Clamp, {rounded}, {{"min", low}, {"max", high}}) : rounded;
}

}  // namespace

Value resample_axes(NodeContext& node, const ResizePlan& plan) {
  const std::size_t count = plan.axes.size();
  const auto entry = [&](Value list, std::size_t i) {
    return gather(node, list, node.integer(static_cast<std::int64_t>(i)));
  };
  Values sizes;  // of the image, f32
  for (const std::int64_t axis : plan.axes) {
    const Value size = mark_precise(convert(node, dimension_of(node, plan.image, axis), kReal));
    sizes.push_back(mark_precise(reshape_to_scalar(node, size)));
  }
  Values scales;
  Values lengths;
  for (std::size_t i = 0; i < count; ++i) {
    if (plan.scales) {
      scales.push_back(entry(plan.scales, i));
      const Value length = node.op(ops::Floor, {node.op(ops::Multiply, {sizes[i], scales[i]})});
      lengths.push_back(convert(node, length, ElementType::i64));
    } else {
      lengths.push_back(entry(plan.sizes, i));
      const Value length = mark_precise(convert(node, lengths[i], kReal));
      scales.push_back(divide_exactly(node, length, sizes[i]));
    }
  }
  if (plan.sizes && plan.policy != "stretch") {
    Value common = scales.front();
    for (const Value& scale : scales) {
      common = node.op(plan.policy == "not_larger" ? ops::Minimum : ops::Maximum, {common, scale});
    }
    for (std::size_t i = 0; i < count; ++i) {
      const Value length =
          node.op(ops::Floor,
                  {node.op(ops::Add, {node.op(ops::Multiply, {common, sizes[i]}), node.number(0.5, kReal)})});
      lengths[i] = convert(node, length, ElementType::i64);
      scales[i] = common;
    }
  }
  Value image = convert(node, plan.image, kReal);
  std::vector<AxisResampler> axes;
  for (std::size_t i = 0; i < count; ++i) axes.emplace_back(node, plan, i, scales[i], lengths[i]);
  // Of integers, onnxruntime and PyTorch store the result of each axis, the last axis first. This order also
  // transposes the smaller image.
  const bool rounds_each = plan.antialias && !ir::is_floating(plan.image.type());
  if (plan.antialias) std::ranges::reverse(axes);
  for (AxisResampler& axis : axes) {
    image = axis.resample(image);
    if (rounds_each) image = round_to(node, image, plan.image.type());
  }
  if (plan.coordinates == "tf_crop_and_resize") {
    const std::int64_t rank = node.rank(image);
    for (AxisResampler& axis : axes) {
      image = node.op(ops::Select, {axis.find_outside(rank), node.number(plan.extrapolation, kReal), image});
    }
  }
  return image;
}

Value convert_resampled(NodeContext& node, Value image, const ResizePlan& plan) {
  const ElementType type = plan.image.type();
  const bool overshoots = plan.mode == "cubic" && !plan.antialias && !ir::is_floating(type);
  return convert(node, overshoots ? round_to(node, image, type) : image, type);
}

}  // namespace onnx2ir::frontend
