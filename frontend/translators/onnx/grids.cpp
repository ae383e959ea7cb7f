// Grids of positions in [-1, 1], and sampling of images and volumes at them: AffineGrid, GridSample.
#include <algorithm>
#include <cmath>
#include <optional>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// The number of spatial axes of AffineGrid: the number of rows of theta, two less than the length of `size`.
std::int64_t spatial_axes(NodeContext& node) {
  const Value theta = node.input(0);
  if (node.rank(theta) != 3) node.fail("theta must be a batch of matrices");
  if (theta.shape()[1].is_static()) return theta.shape()[1].size();
  if (theta.shape()[2].is_static()) return theta.shape()[2].size() - 1;
  if (const auto count = node.input(1).shape().element_count()) return static_cast<std::int64_t>(*count) - 2;
  if (const auto rank = node.declared_rank(0)) return *rank - 2;
  node.fail("whether the grid has two or three axes is not known", "declare the shape of theta in the model");
}

/// `size` positions from -1 to 1: pixel centres, or with the outermost ones at the ends if `align_corners`.
Value compute_positions(NodeContext& node, Value size, bool align_corners) {
  const auto number = [&](double value) { return node.number(value, ElementType::f32); };
  const Value count = reshape_to_scalar(node, size);
  Value index = convert(node, emit_range(node, count), ElementType::f32);
  Value steps = convert(node, count, ElementType::f32);
  if (align_corners) {
    // A single position is -1, as in ONNX's own definition.
    steps = node.op(ops::Maximum, {node.op(ops::Subtract, {steps, number(1)}), number(1)});
  } else {
    index = node.op(ops::Add, {index, number(0.5)});
  }
  const Value distance = node.op(ops::Multiply, {index, divide(node, number(2), steps)});
  return node.op(ops::Subtract, {distance, number(1)});
}

/// AffineGrid 20.
Values affine_grid_20(NodeContext& node) {
  const Value theta = node.input(0);
  const std::int64_t spatial = spatial_axes(node);
  if (spatial != 2 && spatial != 3) node.fail("theta must have two or three rows");
  const Value sizes = set_length(node, convert(node, node.input(1), ElementType::i64), spatial + 2);
  if (sizes.shape() != PartialShape{spatial + 2}) {
    node.fail("the size must be a list of " + std::to_string(spatial + 2) + " numbers");
  }
  const bool align_corners = node.flag_attribute("align_corners");
  Values axes;
  for (std::int64_t i = 0; i < spatial; ++i) axes.push_back(gather(node, sizes, node.integers({i + 2})));
  // Homogeneous coordinates [..., x, y, z, 1]: the last axis of the grid comes first.
  Values all_but_last{axes};
  all_but_last.push_back(node.integers({1}));
  const Value shape = concat(node, all_but_last);
  Values coordinates;
  for (std::int64_t i = spatial; i-- > 0;) {
    const Value along = compute_positions(node, axes[static_cast<std::size_t>(i)], align_corners);
    std::vector<std::int64_t> others = numbers_between(0, spatial + 1);
    std::erase(others, i);
    coordinates.push_back(broadcast_to(node, unsqueeze(node, along, others), shape));
  }
  coordinates.push_back(fill(node, 1, ElementType::f32, shape));
  const Value points = reshape(node, concat(node, coordinates, spatial), {-1, spatial + 1});
  const Value matrices = convert(node, theta, ElementType::f32);
  const Value moved = mat_mul(node, points, matrices, {.b = true});
  Values result{dimension_of(node, theta, 0)};
  result.append(axes.begin(), axes.end());
  result.push_back(node.integers({spatial}));
  return {convert(node, reshape(node, moved, concat(node, result)), theta.type())};
}

/// Whether a constant is small and has finite numbers only: exported linspaces with one step have NaNs.
bool is_finite(Value constant) {
  constexpr std::size_t kMaxBytes = std::size_t{64} << 10;
  if (constant.node->constant()->size() > kMaxBytes) return false;
  const auto numbers = ir::exact_numbers(constant);
  return numbers && std::ranges::all_of(*numbers, [](double number) { return std::isfinite(number); });
}

/// Whether `value` can be NaN or infinite because it is an input, or comes from a division or a function with
/// poles: Deformable DETR divides by the sizes of masks. Bounded functions end the search.
bool may_lack_numbers(Value value) {
  static constexpr ir::OperationSet kBounded = {ops::Tanh, ops::Sigmoid, ops::Clamp, ops::HardSigmoid,
                                                ops::Sin,  ops::Cos,     ops::Range};
  static constexpr ir::OperationSet kKeepNumbers = {
      ops::Add,     ops::Subtract,      ops::Multiply, ops::MatMul,    ops::Maximum,
      ops::Minimum, ops::Concat,        ops::Gather,   ops::Slice,     ops::Broadcast,
      ops::Convert, ops::VariadicSplit, ops::Split,    ops::ReduceSum, ops::ReduceMean};
  constexpr std::size_t kMaxSteps = 64;
  std::vector<Value> pending{value};
  for (std::size_t step = 0; !pending.empty(); ++step) {
    const Value part = pending.back();
    const ir::Node& node = *part.node;
    pending.pop_back();
    const bool is_number = ir::is_integral(part.type()) || node.is_one_of(kBounded) ||
                           (node.constant() != nullptr && is_finite(part));
    if (is_number) continue;
    const auto divisor = node.is(ops::Divide) ? ir::exact_numbers(node.input(1)) : std::nullopt;
    const bool divides = divisor && std::ranges::count(*divisor, 0) == 0;
    const bool moves = node.op().traits.rearranges || node.op().traits.reshapes;
    if (step == kMaxSteps || !(divides || moves || node.is_one_of(kKeepNumbers))) return true;
    pending.insert(pending.end(), node.inputs().begin(), node.inputs().end());
  }
  return false;
}

/// PyTorch and onnxruntime read a position that is NaN as -1, onnxruntime also an infinite one. OpenVINO
/// gives NaN. The check takes as long as the sampling of a small image.
Value make_positions_finite(NodeContext& node, Value grid) {
  if (!may_lack_numbers(grid)) return grid;
  return node.op(ops::Select, {node.op(ops::IsFinite, {grid}), grid, node.number_like(-1, grid)});
}

/// Samples volumes, because OpenVINO's GridSample supports only images.
struct VolumeSampler {
  NodeContext& node;
  bool align_corners;
  std::string padding;
  Values sizes;  ///< of the spatial axes, scalars
  Value voxels;  ///< [N, C, voxels]

  /// [N, C, positions].
  Value sample(Value grid, bool nearest) const {
    std::vector<Value> places;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) places.push_back(compute_place(grid, axis));
    if (nearest) {
      for (Value& place : places) place = round_to_even(node, place);
      for (std::size_t axis = 0; axis < sizes.size(); ++axis) places[axis] = pad(places[axis], axis);
      return gather_voxels(places);
    }
    std::vector<Value> lower;
    std::vector<Value> fraction;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      const Value inside = pad(places[axis], axis);
      lower.push_back(node.op(ops::Floor, {inside}));
      fraction.push_back(node.op(ops::Subtract, {inside, lower.back()}));
    }
    Value sum;
    for (std::size_t corner = 0; corner < std::size_t{1} << sizes.size(); ++corner) {
      std::vector<Value> at;
      Value weight;
      for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        const bool upper = (corner >> axis & 1) != 0;
        at.push_back(upper ? node.op(ops::Add, {lower[axis], number(1)}) : lower[axis]);
        const Value part = upper ? fraction[axis] : node.op(ops::Subtract, {number(1), fraction[axis]});
        weight = weight ? node.op(ops::Multiply, {weight, part}) : part;
      }
      const Value weights = convert(node, unsqueeze(node, weight, {1}), voxels.type());
      const Value term = node.op(ops::Multiply, {gather_voxels(at), weights});
      sum = sum ? node.op(ops::Add, {sum, term}) : term;
    }
    return sum;
  }

  Value number(double value) const { return node.number(value, ElementType::f32); }
  Value length(std::size_t axis) const { return convert(node, sizes[axis], ElementType::f32); }
  Value last(std::size_t axis) const { return node.op(ops::Subtract, {length(axis), number(1)}); }
  Value clamp(Value value, std::size_t axis) const {
    return node.op(ops::Minimum, {node.op(ops::Maximum, {value, number(0)}), last(axis)});
  }

  /// The position of the grid along `axis` in voxels: [N, positions]. The grid lists the last axis first.
  Value compute_place(Value grid, std::size_t axis) const {
    const auto column = static_cast<std::int64_t>(sizes.size() - 1 - axis);
    const Value ratio = gather(node, grid, node.integer(column), 2);
    const Value scaled = node.op(ops::Add, {ratio, number(1)});
    const auto half = [&](Value value) { return node.op(ops::Multiply, {value, number(0.5)}); };
    if (align_corners) return half(node.op(ops::Multiply, {scaled, last(axis)}));
    return half(node.op(ops::Subtract, {node.op(ops::Multiply, {scaled, length(axis)}), number(1)}));
  }

  /// Moves positions outside of the volume inside according to the padding mode; zeros are handled when
  /// voxels are read.
  Value pad(Value place, std::size_t axis) const {
    if (padding == "zeros") return place;
    if (padding == "border") return clamp(place, axis);
    // Reflection at the ends: a triangle wave with twice the length as period.
    const Value start = number(align_corners ? 0 : -0.5);
    const Value range = align_corners ? node.op(ops::Maximum, {last(axis), number(0.5)}) : length(axis);
    const Value period = node.op(ops::Multiply, {range, number(2)});
    const Value distance = node.op(ops::Abs, {node.op(ops::Subtract, {place, start})});
    const Value whole = node.op(ops::Floor, {divide(node, distance, period)});
    const Value phase = node.op(ops::Subtract, {distance, node.op(ops::Multiply, {whole, period})});
    const Value folded = node.op(ops::Minimum, {phase, node.op(ops::Subtract, {period, phase})});
    return clamp(node.op(ops::Add, {folded, start}), axis);
  }

  /// Voxels at integer positions, 0 outside: [N, C, positions].
  Value gather_voxels(const std::vector<Value>& places) const {
    Value index;
    Value inside;
    for (std::size_t axis = 0; axis < places.size(); ++axis) {
      const Value limit = clamp(places[axis], axis);
      const Value here = node.op(ops::Equal, {limit, places[axis]});
      inside = inside ? node.op(ops::LogicalAnd, {inside, here}) : here;
      const Value step = convert(node, limit, ElementType::i64);
      index = index ? node.op(ops::Add, {node.op(ops::Multiply, {index, sizes[axis]}), step}) : step;
    }
    const Value values = gather_in_rows(node, voxels, index, 2);
    return node.op(ops::Select, {unsqueeze(node, inside, {1}), values, node.number_like(0, values)});
  }
};

Value sample_volume(NodeContext& node, bool align_corners, bool nearest, std::string padding) {
  const Value input = node.input(0);
  const std::int64_t spatial = node.rank(input) - 2;
  // Linear sampling reads 2^spatial voxels for each position.
  constexpr std::int64_t kMaxSpatial = 6;
  if (spatial < 1 || spatial > kMaxSpatial) {
    node.fail("the input must have 1 to " + std::to_string(kMaxSpatial) + " spatial axes");
  }
  if (padding != "zeros" && padding != "border" && padding != "reflection")
    node.fail("padding_mode '" + padding + "' does not exist");
  const Value grid = make_positions_finite(node, node.input(1));
  if (node.rank(grid) != spatial + 2) node.fail("the grid must have as many axes as the input");
  const Value batch = dimension_of(node, grid, 0);
  const Value places = convert(node, grid, ElementType::f32);
  const Value flat = reshape(node, places, concat(node, {batch, node.integers({-1, spatial})}));
  Values sizes;
  for (std::int64_t i = 2; i < spatial + 2; ++i)
    sizes.push_back(reshape_to_scalar(node, dimension_of(node, input, i)));
  const Value voxel_shape = concat(
      node,
      {dimension_of(node, input, 0), dimension_of(node, input, 1),
       reduce_keep_dims(node, ops::ReduceProd, slice(node, shape_of(node, input), 2, kFarEnd, 0), {0})});
  const Value voxels = reshape(node, input, voxel_shape);
  const VolumeSampler sampler{node, align_corners, std::move(padding), sizes, voxels};
  const Value samples = sampler.sample(flat, nearest);
  Values shape{batch, dimension_of(node, input, 1)};
  for (std::int64_t i = 1; i <= spatial; ++i) shape.push_back(dimension_of(node, grid, i));
  return reshape(node, samples, concat(node, shape));
}

/// GridSample 16, 20 (other names of the modes, volumes), 22.
Values grid_sample_16(NodeContext& node) {
  std::string mode = node.text_attribute("mode", node.opset() < 20 ? "bilinear" : "linear");
  if (mode == "linear") mode = "bilinear";
  if (mode == "cubic") mode = "bicubic";
  const bool align_corners = node.flag_attribute("align_corners");
  const std::string padding = node.text_attribute("padding_mode", "zeros");
  if (node.rank(node.input(0)) != 4) {
    if (mode != "bilinear" && mode != "nearest") node.fail("mode '" + mode + "' is for images only");
    return {sample_volume(node, align_corners, mode == "nearest", padding)};
  }
  return {node.op(ops::GridSample, {node.input(0), make_positions_finite(node, node.input(1))},
                  {{"align_corners", align_corners}, {"mode", mode}, {"padding_mode", padding}})};
}

}  // namespace

std::vector<TranslatorRow> grid_translators() {
  return {
      {"AffineGrid", 20, affine_grid_20},
      {"GridSample", 16, grid_sample_16, "cubic in volumes"},
  };
}

}  // namespace onnx2ir::frontend
