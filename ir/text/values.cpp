#include "ir/text/values.hpp"

#include <fmt/core.h>

#include <optional>
#include <vector>

#include "base/joined.hpp"
#include "ir/element_bits.hpp"
#include "ir/text/constants.hpp"
#include "ir/text/cursor.hpp"

namespace onnx2ir::ir {
namespace {

struct AttributeText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return real_text(value); }
  std::string operator()(const std::string& value) const { return ir::quoted(value); }
  std::string operator()(ElementType type) const { return std::string(info(type).name); }
  template <typename Element>
  std::string operator()(const std::vector<Element>& values) const {
    return '[' + base::joined(values, ", ", *this) + ']';
  }
};

std::int64_t parse_size(Cursor& cursor) {
  const std::size_t offset = cursor.offset();
  const std::int64_t size = cursor.integer("a size or '?'");
  if (size < 0) cursor.fail(offset, fmt::format("{} is not a size", size));
  return size;
}

/// "3", "?", "2..5", "2.."
Dimension parse_dimension(Cursor& cursor) {
  if (cursor.accept('?')) return {};
  const std::size_t offset = cursor.offset();
  const std::int64_t least = parse_size(cursor);
  if (!cursor.accept_dots(2)) return least;
  if (!cursor.is_at_number()) return {least, Dimension::kUnbounded};
  const std::int64_t most = parse_size(cursor);
  if (most < least) cursor.fail(offset, fmt::format("no size lies in {}..{}", least, most));
  return {least, most};
}

ElementType parse_element_type(Cursor& cursor) {
  const std::size_t offset = cursor.offset();
  const std::string_view name = cursor.word("an element type");
  const auto type = element_type_from_name(name);
  if (!type) cursor.fail(offset, fmt::format("there is no element type '{}'", name));
  return *type;
}

double parse_real(Cursor& cursor) {
  const std::size_t offset = cursor.offset();
  const std::string_view text = cursor.scalar("a number");
  const auto number = real_from_text(text);
  if (!number) cursor.fail(offset, fmt::format("'{}' is not a number", text));
  return *number;
}

bool parse_boolean(Cursor& cursor) {
  if (cursor.accept_word("true")) return true;
  if (cursor.accept_word("false")) return false;
  cursor.fail_expected("'true' or 'false'");
}

/// "[1, 2]"; `parse` reads one element.
template <typename Parse>
auto parse_list(Cursor& cursor, Parse parse) {
  std::vector<decltype(parse())> list;
  cursor.expect('[', "at the beginning of a list");
  while (!cursor.accept(']')) {
    if (!list.empty()) cursor.expect(',', "or ']' after an element of a list");
    list.push_back(parse());
  }
  return list;
}

std::uint64_t parse_element(Cursor& cursor, ElementType type) {
  const std::size_t offset = cursor.offset();
  const std::string_view text = cursor.scalar("an element");
  const auto bits = element_from_text(type, text);
  if (!bits) cursor.fail(offset, fmt::format("'{}' is not an element of type {}", text, info(type).name));
  return *bits;
}

/// Parses the elements of constants of one type; `size_` and `count_` are the bytes and elements of the type.
class ElementParser {
 public:
  ElementParser(Cursor& cursor, const TensorType& type, ElementSource& source)
      : cursor_(&cursor), type_(type.type), is_scalar_(type.shape.is_scalar()), source_(&source) {
    const auto count = type.shape.element_count();
    if (!count) cursor.fail(cursor.offset(), "the shape of a Const must be static");
    count_ = static_cast<std::uint64_t>(*count);
    size_ = packed_size(type_, count_);
    if (!size_ && info(type_).bits != 0) cursor.fail(cursor.offset(), "the constant is too large");
  }

  ConstantData parse() {
    const std::size_t offset = cursor_->offset();
    if (cursor_->accept_word("weights")) return weights(offset);
    if (cursor_->accept_word("bytes")) return bytes(offset);
    if (!has_element_bits(type_)) {
      cursor_->fail_expected(fmt::format("'bytes' or 'weights', because the type is {}", info(type_).name));
    }
    if (cursor_->accept_word("splat")) return splat(offset);
    if (is_scalar_) return stored({parse_element(*cursor_, type_)});
    const auto elements = parse_list(*cursor_, [&] { return parse_element(*cursor_, type_); });
    if (elements.size() != count_) {
      cursor_->fail(offset, fmt::format("the shape has {} elements, the list {}", count_, elements.size()));
    }
    return stored(elements);
  }

 private:
  ConstantData stored(const std::vector<std::uint64_t>& elements) const {
    std::vector<std::byte> bytes(*size_);
    for (std::size_t i = 0; i < elements.size(); ++i) set_element_bits(type_, bytes, i, elements[i]);
    return ConstantData(std::move(bytes));
  }

  ConstantData splat(std::size_t offset) {
    const std::uint64_t element = parse_element(*cursor_, type_);
    if (*size_ > kMaxSplatBytes - source_->splat_bytes) {
      cursor_->fail(offset, fmt::format("the splats of a text must not be larger than {} bytes together",
                                        kMaxSplatBytes));
    }
    source_->splat_bytes += *size_;
    std::vector<std::byte> bytes(*size_);
    fill_element_bits(type_, bytes, count_, element);
    return ConstantData(std::move(bytes));
  }

  ConstantData bytes(std::size_t offset) {
    const std::string text = cursor_->string("the bytes in hexadecimal digits, in quotes");
    const auto digit = [&](char letter) {
      const int value = hexadecimal_digit(letter);
      if (value < 0) cursor_->fail(offset, "bytes consist of the digits 0 to 9 and a to f");
      return value;
    };
    if (text.size() % 2 != 0) cursor_->fail(offset, "bytes have two hexadecimal digits each");
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < text.size(); i += 2)
      bytes.push_back(static_cast<std::byte>(digit(text[i]) * 16 + digit(text[i + 1])));
    check_size(offset, bytes.size());
    return ConstantData(std::move(bytes));
  }

  ConstantData weights(std::size_t start) {
    cursor_->expect('(', "after 'weights'");
    const std::int64_t offset = cursor_->integer("the offset in the weights file");
    cursor_->expect(',', "after the offset");
    const std::int64_t size = cursor_->integer("the size in bytes");
    cursor_->expect(')', "after the size");
    const std::uint64_t available = source_->weights.size();
    if (offset < 0 || size < 0 || static_cast<std::uint64_t>(offset) > available ||
        static_cast<std::uint64_t>(size) > available - static_cast<std::uint64_t>(offset)) {
      cursor_->fail(
          start, fmt::format("the constant lies outside of the weights file, which has {} bytes", available));
    }
    check_size(start, static_cast<std::uint64_t>(size));
    return source_->weights.part(static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(size));
  }

  void check_size(std::size_t offset, std::uint64_t size) const {
    if (size_ && size != *size_)
      cursor_->fail(offset, fmt::format("the type needs {} bytes, the constant has {}", *size_, size));
  }

  Cursor* cursor_;
  ElementType type_;
  bool is_scalar_;
  ElementSource* source_;
  std::uint64_t count_ = 0;
  std::optional<std::uint64_t> size_;  ///< no value for strings
};

}  // namespace

std::string type_text(ElementType type, const PartialShape& shape) {
  return std::string(info(type).name) + (shape.has_rank() ? to_string(shape) : "[...]");
}

TensorType parse_type(Cursor& cursor) {
  TensorType result;
  result.type = parse_element_type(cursor);
  const std::size_t offset = cursor.offset();
  cursor.expect('[', "after the element type");
  if (cursor.accept_dots(3)) {
    cursor.expect(']', "after '...'");
    return result;
  }
  Dimensions dimensions;
  while (!cursor.accept(']')) {
    if (!dimensions.empty()) cursor.expect(',', "or ']' after a size");
    dimensions.push_back(parse_dimension(cursor));
    if (dimensions.size() > kMaxAxes)
      cursor.fail(offset, fmt::format("a tensor has at most {} axes", kMaxAxes));
  }
  result.shape = PartialShape(std::move(dimensions));
  return result;
}

std::string attribute_text(const AttributeValue& value) {
  return std::visit(AttributeText{}, value);
}

AttributeValue parse_attribute(Cursor& cursor, AttributeSpec::Kind kind) {
  using Kind = AttributeSpec::Kind;
  const auto integer = [&] { return cursor.integer("an integer"); };
  const auto real = [&] { return parse_real(cursor); };
  const auto string = [&] { return cursor.string("a string in quotes"); };
  switch (kind) {
    case Kind::boolean:
      return parse_boolean(cursor);
    case Kind::integer:
      return integer();
    case Kind::real:
      return real();
    case Kind::text:
      return string();
    case Kind::integers:
      return parse_list(cursor, integer);
    case Kind::reals:
      return parse_list(cursor, real);
    case Kind::texts:
      return parse_list(cursor, string);
    case Kind::type:
      return parse_element_type(cursor);
  }
  cursor.fail_expected("an attribute");
}

ConstantData parse_elements(Cursor& cursor, const TensorType& type, ElementSource& source) {
  return ElementParser(cursor, type, source).parse();
}

}  // namespace onnx2ir::ir
