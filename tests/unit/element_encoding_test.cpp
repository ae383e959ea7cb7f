#include "catch.hpp"
#include "ir/builder.hpp"
#include "ir/element_bits.hpp"

using namespace onnx2ir::ir;

namespace {

std::uint64_t bits_of(double number, ElementType type) {
  Graph graph;
  Builder builder(graph);
  return element_bits(type, builder.number(number, type).node->constant()->bytes(), 0);
}

}  // namespace

TEST_CASE("numbers are rounded to the nearest element of an integer type") {
  CHECK(bits_of(2.5, ElementType::u8) == 2);
  CHECK(bits_of(300, ElementType::u8) == 255);
  CHECK(bits_of(-1, ElementType::u64) == 0);
  CHECK(bits_of(0x1p63, ElementType::u64) == 0x8000000000000000);
  CHECK(bits_of(0x1p64 - 2048, ElementType::u64) == 0xfffffffffffff800);
  CHECK(bits_of(0x1p64, ElementType::u64) == 0xffffffffffffffff);
  CHECK(bits_of(0x1p63, ElementType::i64) == 0x7fffffffffffffff);
}

TEST_CASE("filling stores the same bits as one element after the other") {
  for (const ElementType type : {ElementType::u1, ElementType::u2, ElementType::i4, ElementType::boolean,
                                 ElementType::f16, ElementType::f32, ElementType::i64}) {
    for (const std::size_t count : {0, 1, 3, 7, 8, 9, 16, 23, 40, 1001}) {
      std::vector<std::byte> filled(*packed_size(type, count));
      std::vector<std::byte> stored = filled;
      fill_element_bits(type, filled, count, 0x0123456789abcdef);
      for (std::size_t i = 0; i < count; ++i) set_element_bits(type, stored, i, 0x0123456789abcdef);
      CHECK(filled == stored);
    }
  }
}
