// Sums of products of sizes.
#include "ir/size_expression.hpp"

#include "catch.hpp"

using namespace onnx2ir::ir;

namespace {

struct Fixture {
  SizeTable table;
  const Size n = table.symbol(0, "n");
  const Size m = table.symbol(0, "m");
  const Size k = table.symbol(1, "k");
  const Size any = table.symbol(INT64_MIN, "any");

  Size number(std::int64_t value) { return table.constant(value); }
  Size times(std::int64_t factor, Size size) { return table.product(number(factor), size); }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "equal sums of products have the same address") {
  CHECK(table.sum(n, m) == table.sum(m, n));
  CHECK(table.product(table.sum(n, m), m) == table.sum(table.product(m, n), table.product(m, m)));
  CHECK(table.difference(table.sum(n, m), m) == n);
  CHECK(table.difference(n, n) == number(0));
  CHECK(table.sum(n, n) == times(2, n));
  CHECK(table.sum(n, m) != table.product(n, m));
  CHECK(table.symbol(0, "n") != n);
  CHECK(table.sum(n, nullptr) == nullptr);
}

TEST_CASE_METHOD(Fixture, "a size that is a multiple is divided") {
  CHECK(table.quotient(times(32, n), number(8)) == times(4, n));
  CHECK(table.quotient(table.product(n, m), m) == n);
  CHECK(table.quotient(table.product(table.sum(n, m), table.sum(n, number(1))), table.sum(n, m)) ==
        table.sum(n, number(1)));
  // The half of n is exact: its double is n.
  const Size half = table.quotient(n, number(2));
  CHECK(half != n);
  CHECK(times(2, half) == n);
  CHECK(table.exact_quotient(n, m) == nullptr);
  CHECK(table.quotient(n, m) == table.quotient(n, m));
  CHECK(table.quotient(n, m) != table.quotient(n, k));
}

TEST_CASE_METHOD(Fixture, "multiples of the divisor are not rounded") {
  const Size half = table.floor_quotient(n, number(2));
  CHECK(half != table.quotient(n, number(2)));
  CHECK(table.floor_quotient(table.sum(n, number(4)), number(2)) == table.sum(half, number(2)));
  CHECK(table.floor_quotient(times(4, n), number(2)) == times(2, n));
  CHECK(table.floor_quotient(table.sum(times(4, n), number(3)), number(4)) == n);
  CHECK(table.floor_quotient(table.sum(times(2, n), number(-1)), number(2)) == table.sum(n, number(-1)));
  CHECK(table.floor_quotient(n, number(0)) == nullptr);
}

TEST_CASE_METHOD(Fixture, "what a rounded quotient leaves is not negative") {
  const Size half = table.floor_quotient(n, number(2));
  const Size quarter = table.floor_quotient(n, number(4));
  CHECK(table.difference(n, times(2, half))->least() == 0);
  CHECK(table.difference(half, times(2, quarter))->least() == 0);
  CHECK(table.difference(times(2, quarter), half)->least() == -1);
  CHECK(table.difference(times(2, half), n)->least() == -1);
  CHECK(table.difference(table.sum(n, m), times(2, half))->least() == 0);
  CHECK(table.difference(n, times(2, table.floor_quotient(table.sum(n, number(1)), number(2))))->least() ==
        -1);
  CHECK(table.difference(any, times(2, table.floor_quotient(any, number(2))))->least() == 0);
  CHECK_FALSE(table.difference(n, times(3, half))->least());
  CHECK_FALSE(table.difference(m, times(2, half))->least());
  CHECK_FALSE(table.difference(number(4), half)->least());
}

TEST_CASE_METHOD(Fixture, "bounds decide the larger of two sizes") {
  CHECK(table.maximum(n, number(0)) == n);
  CHECK(table.maximum(k, number(1)) == k);
  CHECK(table.maximum(any, number(0)) != any);
  CHECK(table.maximum(n, table.sum(n, m)) == table.sum(n, m));
  CHECK(table.minimum(n, table.sum(n, m)) == n);
  CHECK(table.minimum(n, m) == table.minimum(m, n));
  CHECK(table.maximum(n, m) == table.maximum(m, n));
}

TEST_CASE_METHOD(Fixture, "the size of a broadcast is the one that is not 1") {
  CHECK(table.broadcast(n, n) == n);
  CHECK(table.broadcast(n, number(1)) == n);
  CHECK(table.broadcast(number(8), n) == number(8));
  CHECK(table.broadcast(n, table.sum(k, number(1))) == table.sum(k, number(1)));
  CHECK(table.broadcast(n, m) == table.broadcast(m, n));
  CHECK(table.broadcast(n, m) != n);
  CHECK(table.broadcast(table.broadcast(table.broadcast(n, m), k), m) ==
        table.broadcast(table.broadcast(n, m), k));
}

TEST_CASE_METHOD(Fixture, "a size of 0 may copy another") {
  CHECK(table.nonzero_or(k, number(8)) == k);
  CHECK(table.nonzero_or(n, n) == n);
  CHECK(table.nonzero_or(n, table.product(n, m)) == n);
  const Size replaced = table.nonzero_or(n, number(8));
  CHECK(replaced != n);
  CHECK(replaced != table.nonzero_or(n, number(4)));
  CHECK(table.without_zero_sizes(times(3, replaced)) == times(3, n));
  const Size is_equal = table.is_zero(table.difference(replaced, n));
  CHECK_FALSE(is_equal->constant());
  CHECK(table.without_zero_sizes(is_equal) == number(1));
}

TEST_CASE_METHOD(Fixture, "comparisons of sizes are 0 or 1") {
  CHECK(table.is_zero(number(0)) == number(1));
  CHECK(table.is_zero(k) == number(0));
  CHECK(table.is_zero(table.difference(n, m)) == table.is_zero(table.difference(m, n)));
  CHECK(table.is_negative(n) == number(0));
  CHECK(table.is_negative(times(-1, k)) == number(1));
  CHECK_FALSE(table.is_negative(times(-1, n))->constant());
}

TEST_CASE_METHOD(Fixture, "expressions have a limited size") {
  Size power = n;
  for (int i = 0; i < 100 && power != nullptr; ++i) power = table.product(power, n);
  CHECK(power == nullptr);
  Size sum = n;
  for (int i = 0; i < 100 && sum != nullptr; ++i) sum = table.sum(sum, table.symbol(0));
  CHECK(sum == nullptr);
  Size nested = n;
  for (int i = 0; i < 100 && nested != nullptr; ++i) nested = table.maximum(times(2, nested), any);
  CHECK(nested == nullptr);
  CHECK(table.constant(INT64_MAX) == nullptr);
  CHECK(table.product(times(std::int64_t{1} << 40, n), times(std::int64_t{1} << 40, n)) == nullptr);
}

TEST_CASE_METHOD(Fixture, "expressions are printed as sums of products") {
  CHECK(to_string(*number(0)) == "0");
  CHECK(to_string(*table.sum(table.product(times(2, n), m), number(-1))) == "2*n*m - 1");
  CHECK(to_string(*table.quotient(n, number(2))) == "n/2");
  CHECK(to_string(*table.floor_quotient(n, number(2))) == "floor_quotient(n, 2)");
}
