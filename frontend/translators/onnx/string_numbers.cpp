// Decimal numbers in strings. Digits are computed in f32, which is exact for five of them, because the CPU
// plugin divides, compares and sums i32 in f32.
#include <algorithm>
#include <limits>

#include "frontend/translators/onnx/string_list.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr std::int64_t kHalf = 100000;

/// Reads the number at the beginning of each string, as `strtol` and `strtod` do. A string that begins with
/// no number gives 0. Values with one number for each string have the shape [strings, 1]. Marks are boolean,
/// one for each byte: [strings, longest + 1].
class NumberReader : ByteTable {
 public:
  NumberReader(NodeContext& node, const StringList& texts) : ByteTable(node, texts) {
    const Value all = widen_bytes(node, texts.bytes(), 1);
    bytes_ = gather_bytes(node, all, places_, op(ops::Less, {columns_, lengths_}));
    digits_ = op(ops::Subtract, {bytes_, number('0')});
    is_digit_ = is_between(bytes_, '0', '9');
    const Value is_space = op(ops::LogicalOr, {is(bytes_, ' '), is_between(bytes_, '\t', '\r')});
    const Value begin = count(mark_run(number(0), is_space));
    const Value sign = byte_at(begin);
    is_negative_ = is(sign, '-');
    start_ = add_marks(begin, is_sign(sign));
  }

  /// i32, which wraps around.
  Value read_integers() {
    const Value run = mark_run(start_, is_digit_);
    return signed_number(read_digits(run, count(run)), is_negative_);
  }

  /// f32
  Value read_floats() {
    const Value whole = mark_run(start_, is_digit_);
    const Value whole_count = count(whole);
    const Value point = op(ops::Add, {start_, whole_count});
    const Value has_point = is(byte_at(point), '.');
    const Value behind_point = add_marks(point, has_point);
    const Value fraction = op(ops::LogicalAnd, {has_point, mark_run(behind_point, is_digit_)});
    const Value run = op(ops::LogicalOr, {whole, fraction});
    const Value exponent = read_exponents(op(ops::Add, {behind_point, count(fraction)}));
    // Zeros at the end are left out, and so are more digits than f32 can represent.
    const Value is_positive = op(ops::LogicalAnd, {run, op(ops::Greater, {digits_, number(0)})});
    const Value is_leading_zero = op(ops::Equal, {count_marks(is_positive), number(0)});
    const Value zeros = count(op(ops::LogicalAnd, {run, is_leading_zero}));
    const Value order = op(ops::Select, {is_positive, count_marks(run), number(0)});
    const Value last = reduce_keep_dims(*node_, ops::ReduceMax, order, {1});
    const Value used = op(ops::Minimum, {last, op(ops::Add, {zeros, number(kGroup * kGroups)})});
    Value digits = node_->number(0, ElementType::f32);
    for (std::int64_t group = kGroups; group-- > 0;) {
      const Value sum = convert(*node_, sum_group(run, used, group), ElementType::f32);
      digits = op(ops::Add, {op(ops::Multiply, {digits, node_->number(kGroupSize, ElementType::f32)}), sum});
    }
    const Value power = op(ops::Add, {exponent, op(ops::Subtract, {whole_count, used})});
    const Value magnitude = insert_words(scale(digits, power));
    return signed_number(magnitude, is_negative_);
  }

 private:
  /// Digits are summed in groups, whose sums are exact in f32.
  static constexpr std::int64_t kGroup = 4;
  static constexpr std::int64_t kGroups = 4;
  static constexpr std::int64_t kGroupSize = 10000;

  Value is(Value bytes, char byte) { return op(ops::Equal, {bytes, number(byte)}); }
  Value is_between(Value bytes, char first, char last) {
    return op(ops::LogicalAnd,
              {op(ops::GreaterEqual, {bytes, number(first)}), op(ops::LessEqual, {bytes, number(last)})});
  }
  Value is_sign(Value byte) { return op(ops::LogicalOr, {is(byte, '-'), is(byte, '+')}); }
  Value lower(Value byte) { return op(ops::BitwiseOr, {byte, number('a' - 'A')}); }

  Value add_marks(Value place, Value marks) { return op(ops::Add, {place, convert(*node_, marks, kWhole)}); }
  Value count(Value marks) {
    return reduce_keep_dims(*node_, ops::ReduceSum, convert(*node_, marks, kWhole), {1});
  }
  Value signed_number(Value magnitude, Value is_negative) {
    const Value minus = node_->number_like(-1, magnitude);
    const Value sign = op(ops::Select, {is_negative, minus, node_->number_like(1, magnitude)});
    return op(ops::Multiply, {magnitude, sign});
  }

  /// The byte of each string at `place`, 0 after its end.
  Value byte_at(Value place) {
    const Value only = op(ops::Select, {op(ops::Equal, {columns_, place}), bytes_, number(0)});
    return reduce_keep_dims(*node_, ops::ReduceSum, only, {1});
  }

  /// The bytes from `start` on until the first one that is not a member.
  Value mark_run(Value start, Value is_member) {
    const Value after = op(ops::GreaterEqual, {columns_, start});
    const Value stops = op(ops::LogicalAnd, {after, op(ops::LogicalNot, {is_member})});
    return op(ops::LogicalAnd, {after, op(ops::Equal, {count_marks(stops), number(0)})});
  }

  /// The sum of the digits of the `group` among the first `used` digits of the run.
  Value sum_group(Value run, Value used, std::int64_t group) {
    const Value power =
        op(ops::Subtract, {op(ops::Subtract, {used, number(group * kGroup)}), count_marks(run)});
    const Value index =
        op(ops::Clamp, {op(ops::Add, {power, number(1)})}, {{"min", 0.0}, {"max", double{kGroup + 1}}});
    const Value weights = gather(*node_, node_->integers({0, 1, 10, 100, 1000, 0}, kWhole), index);
    const Value summands = op(ops::Select, {run, op(ops::Multiply, {digits_, weights}), number(0)});
    return reduce_keep_dims(*node_, ops::ReduceSum, summands, {1});
  }

  /// The integer of the `used` digits of the run.
  Value read_digits(Value run, Value used) {
    Value result = sum_group(run, used, 2);
    for (const std::int64_t group : {1, 0})
      result = op(ops::Add, {op(ops::Multiply, {result, number(kGroupSize)}), sum_group(run, used, group)});
    return result;
  }

  /// The exponents that begin with the letter e at `place`.
  Value read_exponents(Value place) {
    const Value has_exponent = is(lower(byte_at(place)), 'e');
    const Value behind = op(ops::Add, {place, number(1)});
    const Value sign = byte_at(behind);
    const Value run =
        op(ops::LogicalAnd, {has_exponent, mark_run(add_marks(behind, is_sign(sign)), is_digit_)});
    const Value magnitude = read_digits(run, count(run));
    return signed_number(magnitude, is(sign, '-'));
  }

  /// 10 to the power of i32 numbers from 0 to 38.
  Value power_of_ten(Value exponent) {
    std::vector<double> powers = {1};
    while (powers.size() <= 38) powers.push_back(powers.back() * 10);
    const Value index = op(ops::Clamp, {exponent}, {{"min", 0.0}, {"max", 38.0}});
    return gather(*node_, node_->numbers(powers, ElementType::f32), index);
  }

  /// digits * 10^power. It divides by positive powers, because negative ones are rounded.
  Value scale(Value digits, Value power) {
    const Value multiplied = op(ops::Multiply, {digits, power_of_ten(power)});
    const Value inverse = op(ops::Negative, {power});
    const Value divided = divide_exactly(*node_, digits, power_of_ten(inverse));
    const Value further = op(ops::Subtract, {inverse, number(38)});
    const Value tiny = divide_exactly(*node_, divided, power_of_ten(further));
    return op(ops::Select, {op(ops::Greater, {power, number(0)}), multiplied, tiny});
  }

  /// `magnitude`, or the infinity or NaN that the string begins with.
  Value insert_words(Value magnitude) {
    Value word = number(0);
    for (std::int64_t i = 0; i < 3; ++i) {
      const Value letter = lower(byte_at(op(ops::Add, {start_, number(i)})));
      word = op(ops::BitwiseOr, {op(ops::BitwiseLeftShift, {word, number(8)}), letter});
    }
    const auto insert = [&](std::int64_t text, double value) {
      magnitude = op(ops::Select,
                     {op(ops::Equal, {word, number(text)}), node_->number_like(value, magnitude), magnitude});
    };
    insert(('i' << 16) + ('n' << 8) + 'f', std::numeric_limits<double>::infinity());
    insert(('n' << 16) + ('a' << 8) + 'n', std::numeric_limits<double>::quiet_NaN());
    return magnitude;
  }

  Value bytes_;   ///< i32; 0 after the end
  Value digits_;  ///< what the bytes are if they are digits
  Value is_digit_;
  Value is_negative_;
  Value start_;  ///< after spaces and the sign
};

}  // namespace

Value write_integers(NodeContext& node, Value integers) {
  const auto number = [&](std::int64_t value) { return node.integer(value, kWhole); };
  const auto real = [&](Value value) { return convert(node, value, ElementType::f32); };
  const auto floor_quotients = [&](Value wholes, const std::vector<double>& inverses) {
    const Value factors = node.numbers(inverses, ElementType::f32);
    // A quotient is never nearer to a whole number than its rounding error.
    const Value between = node.op(ops::Add, {wholes, node.number_like(0.5, wholes)});
    return node.op(ops::Floor, {node.op(ops::Multiply, {between, factors})});
  };
  const Value x = unsqueeze(node, convert(node, flatten(node, integers), kWhole), {1});
  const Value is_negative = node.op(ops::Less, {x, number(0)});
  const Value sign = node.op(ops::Select, {is_negative, number(-1), number(1)});
  // The first quotient is rounded, so that it may differ by 1.
  const Value scaled = multiply_by(node, node.op(ops::Abs, {real(x)}), 1.0 / kHalf);
  const Value rough = convert(node, node.op(ops::Floor, {scaled}), kWhole);
  const Value signed_rough = node.op(ops::Multiply, {sign, node.op(ops::Multiply, {rough, number(kHalf)})});
  const Value rest = node.op(ops::Multiply, {sign, node.op(ops::Subtract, {x, signed_rough})});
  const Value carry = floor_quotients(real(rest), {1.0 / kHalf});
  const Value high = node.op(ops::Add, {real(rough), carry});
  const Value low =
      node.op(ops::Subtract, {real(rest), node.op(ops::Multiply, {carry, node.number_like(kHalf, carry)})});
  const Value halves = unsqueeze(node, concat(node, {high, low}, 1), {2});
  const Value to_digit = floor_quotients(halves, {1e-4, 1e-3, 1e-2, 1e-1, 1});
  const Value before_digit = floor_quotients(halves, {1e-5, 1e-4, 1e-3, 1e-2, 1e-1});
  const Value digit = node.op(
      ops::Subtract, {to_digit, node.op(ops::Multiply, {before_digit, node.number_like(10, halves)})});
  const Value digits = reshape_keeping(node, convert(node, digit, kWhole), std::vector<std::int64_t>{0, 10});
  // Zeros before the first digit are left out, except the last one.
  const Value is_positive = convert(node, node.op(ops::Greater, {digits, number(0)}), kWhole);
  const Value last = node.integers({0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, kWhole);
  const Value marks = node.op(ops::Add, {cumulative_sum(node, is_positive, 1), last});
  const Value inside = concat(node, {is_negative, node.op(ops::Greater, {marks, number(0)})}, 1);
  const Value minus = node.op(ops::Add, {node.op(ops::Multiply, {sign, number(0)}), number('-')});
  const Value bytes = concat(node, {minus, node.op(ops::Add, {digits, number('0')})}, 1);
  const Value lengths = reduce(node, ops::ReduceSum, convert(node, inside, kWhole), {1});
  return pack_rows(node, bytes, inside, lengths, shape_of(node, integers));
}

Value read_numbers(NodeContext& node, Value texts, ElementType type) {
  if (texts.shape().element_count() == 0) return fill(node, 0, type, shape_of(node, texts));
  const StringList list(node, texts);
  NumberReader reader(node, list);
  const Value read = ir::is_floating(type) ? reader.read_floats() : reader.read_integers();
  return list.reshape_to_tensor(node, read);
}

}  // namespace onnx2ir::frontend
