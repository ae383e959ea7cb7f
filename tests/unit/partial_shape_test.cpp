#include "ir/partial_shape.hpp"

#include "catch.hpp"

using namespace onnx2ir::ir;

TEST_CASE("join makes different dimensions intervals, and different ranks dynamic") {
  CHECK(join(PartialShape{2, 3}, PartialShape{2, 5}) == PartialShape{2, Dimension(3, 5)});
  CHECK(join(PartialShape{2}, PartialShape{2, 5}) == PartialShape::unknown_rank());
  CHECK(join(PartialShape{-1}, PartialShape{4}) == PartialShape{-1});
}

TEST_CASE("widen reaches its fixpoint in one step") {
  const PartialShape once = widen(PartialShape{2, 3}, PartialShape{2, 4});
  CHECK(once == PartialShape{2, -1});
  CHECK(widen(once, PartialShape{2, 9}) == once);
}

TEST_CASE("broadcast follows numpy") {
  CHECK(broadcast(PartialShape{2, 1, 3}, PartialShape{4, 1}) == PartialShape{2, 4, 3});
  CHECK(broadcast(PartialShape::scalar(), PartialShape{5}) == PartialShape{5});
  CHECK_FALSE(broadcast(PartialShape{2}, PartialShape{3}).has_value());
  CHECK(broadcast(PartialShape{-1}, PartialShape{3}) == PartialShape{3});
  CHECK(broadcast(PartialShape{-1}, PartialShape{1})->operator[](0).is_dynamic());
}

TEST_CASE("element_count saturates instead of overflowing") {
  const PartialShape huge{std::int64_t{1} << 40, std::int64_t{1} << 40};
  CHECK(huge.element_count() == std::numeric_limits<std::int64_t>::max());
  CHECK_FALSE(PartialShape{2, -1}.element_count().has_value());
  CHECK_FALSE(PartialShape{}.has_rank());
  CHECK(PartialShape::scalar().element_count() == 1);
}
