// Decodes bytes to characters, maps their case, and encodes them again. There is one row per byte; bytes that
// do not begin a character give nothing.
#include "frontend/translators/onnx/string_case.hpp"

#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr ElementType kWhole = ElementType::i32;
constexpr std::int64_t kMaxBytes = 4;

class CaseWriter {
 public:
  explicit CaseWriter(NodeContext& node) : node_(&node) {}

  /// The characters that begin at each of the `count` bytes (i32, followed by zeros).
  Value decode_characters(Value bytes, Value places) {
    const auto byte = [&](std::int64_t index) {
      return gather(*node_, bytes, op(ops::Add, {places, number(index)}));
    };
    const Value lead = byte(0);
    Value code = lead;
    constexpr std::int64_t kLeads[] = {0xC0, 0xE0, 0xF0};
    Value longer = lead;
    for (std::int64_t more = 1; more < kMaxBytes; ++more) {
      const Value low = op(ops::BitwiseAnd, {byte(more), number(0x3F)});
      longer = op(ops::BitwiseOr, {op(ops::BitwiseLeftShift, {longer, number(6)}), low});
      // The bits of the lead byte that mark the length are above the bits of the character.
      const Value own = op(ops::BitwiseAnd, {longer, number((std::int64_t{1} << (5 * more + 6)) - 1)});
      code = select({op(ops::GreaterEqual, {lead, number(kLeads[more - 1])}), own, code});
    }
    return code;
  }

  Value map_codes(Value codes, const CaseTable& table) {
    const Value pages = node_->integers(table.pages, kWhole);
    const Value page = gather(*node_, pages, op(ops::BitwiseRightShift, {codes, number(8)}));
    const Value begin = op(ops::Multiply, {page, number(256)});
    const Value index = op(ops::Add, {begin, op(ops::BitwiseAnd, {codes, number(0xFF)})});
    return op(ops::Add, {codes, gather(*node_, node_->integers(table.distances, kWhole), index)});
  }

  /// The number of bytes of each character.
  Value count_bytes(Value codes) {
    Value result = number(1);
    for (const std::int64_t first : {0x80, 0x800, 0x10000}) {
      result = op(ops::Add, {result, convert(*node_, op(ops::GreaterEqual, {codes, number(first)}), kWhole)});
    }
    return result;
  }

  /// The bytes of each character, padded to four: [characters, 4].
  Value encode(Value codes, Value sizes) {
    const Value column = node_->integers({0, 1, 2, 3}, kWhole);
    const Value counts = unsqueeze(*node_, sizes, {1});
    const Value last = op(ops::Subtract, {counts, number(1)});
    const Value distance = op(ops::Subtract, {last, column});
    const Value following = op(ops::Maximum, {distance, number(0)});
    const Value code_column = unsqueeze(*node_, codes, {1});
    const Value high = op(ops::BitwiseRightShift, {code_column, op(ops::Multiply, {following, number(6)})});
    const Value marks = gather(*node_, node_->integers({0, 0xC0, 0xE0, 0xF0}, kWhole), last);
    const Value is_lead = op(ops::Equal, {column, number(0)});
    const Value low = op(ops::BitwiseAnd, {high, node_->integers({0xFF, 0x3F, 0x3F, 0x3F}, kWhole)});
    return op(ops::BitwiseOr, {low, select({is_lead, marks, number(0x80)})});
  }

  Value op(ir::Op id, std::initializer_list<Value> inputs) { return node_->op(id, inputs); }
  Value select(std::initializer_list<Value> inputs) { return node_->op(ops::Select, inputs); }
  Value number(std::int64_t value) { return node_->integer(value, kWhole); }

 private:
  NodeContext* node_;
};

}  // namespace

Value convert_case(NodeContext& node, Value texts, LetterCase to) {
  CaseWriter writer(node);
  ir::Node& unpacked = node.node(ops::StringTensorUnpack, {texts}, {}, 3);
  const Value bytes = concat(node, {convert(node, unpacked.value(2), kWhole),
                                    node.integers(std::vector<std::int64_t>(kMaxBytes, 0), kWhole)});
  // One position more than there are bytes, for the end of the last string.
  const Value count = convert(node, size_of(node, unpacked.value(2), 0), kWhole);
  const Value places = emit_range(node, writer.op(ops::Add, {count, writer.number(1)}), kWhole);
  const Value codes = writer.map_codes(writer.decode_characters(bytes, places), case_table(to));
  const Value read = gather(node, bytes, places);
  const Value leading_bits = writer.op(ops::BitwiseAnd, {read, writer.number(0xC0)});
  const Value is_lead = writer.op(ops::NotEqual, {leading_bits, writer.number(0x80)});
  const Value lead_sizes = writer.count_bytes(codes);
  const Value sizes = writer.select({is_lead, lead_sizes, writer.number(0)});
  const Value columns = node.integers({0, 1, 2, 3}, kWhole);
  const Value inside = writer.op(ops::Less, {columns, unsqueeze(node, sizes, {1})});
  const Value kept = find_true(node, flatten(node, inside));
  const Value written = gather(node, flatten(node, writer.encode(codes, sizes)), kept);
  const Value offsets =
      node.op(ops::CumSum, {sizes, node.integer(0)}, {{"exclusive", true}, {"reverse", false}});
  return node.op(ops::StringTensorPack,
                 {gather(node, offsets, unpacked.value(0)), gather(node, offsets, unpacked.value(1)),
                  convert(node, written, ElementType::u8)});
}

}  // namespace onnx2ir::frontend
