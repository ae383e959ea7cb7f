#include "base/name_table.hpp"

#include <unordered_set>

#include "catch.hpp"

using namespace onnx2ir::ir;

TEST_CASE("a table of names keeps the first value of each") {
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back("name_" + std::to_string(i));
  onnx2ir::base::NameTable<int> table;
  CHECK(table.find(names.front()) == nullptr);
  for (int i = 0; i < 5000; ++i) CHECK(table.add(names[static_cast<std::size_t>(i)], i));
  CHECK_FALSE(table.add(names[17], -1));
  CHECK(table.size() == 5000);
  for (int i = 0; i < 5000; ++i) {
    const int* found = table.find(names[static_cast<std::size_t>(i)]);
    REQUIRE(found != nullptr);
    CHECK(*found == i);
  }
  CHECK(table.find(std::string_view("name_5000")) == nullptr);
  table.find_or_add(names[3], 0) = 33;
  CHECK(*table.find(names[3]) == 33);
}

TEST_CASE("a hashed name serves several tables") {
  const std::string text = "a name of more than eight letters";
  const onnx2ir::base::HashedName name(text);
  onnx2ir::base::NameTable<int> first;
  onnx2ir::base::NameTable<int> second;
  CHECK(first.add(name, 1));
  CHECK(second.find(name) == nullptr);
  CHECK(second.add(std::string_view(text), 2));
  CHECK(*first.find(text) == 1);
  CHECK(*second.find(name) == 2);
  CHECK(onnx2ir::base::HashedName(std::string_view()).hash !=
        onnx2ir::base::HashedName(std::string_view("\0", 1)).hash);
}

TEST_CASE("numbered names are spread over the slots of a table") {
  constexpr std::uint32_t kNames = 50'000;
  constexpr std::uint32_t kSlots = 1U << 17U;
  for (const std::string prefix : {"", "v", "val_", "/layers.0/attention/MatMul_output_"}) {
    std::unordered_set<std::uint32_t> slots;
    for (std::uint32_t i = 0; i < kNames; ++i)
      slots.insert(onnx2ir::base::HashedName(prefix + std::to_string(i)).hash % kSlots);
    // Random hashes take 83 % of them.
    CHECK(slots.size() > kNames * 8 / 10);
  }
}

TEST_CASE("names whose hashes are equal are found in few steps") {
  // Quadratic work would take minutes.
  constexpr int kNames = 50'000;
  std::vector<std::string> names;
  for (int i = 0; i < kNames; ++i) names.push_back("n" + std::to_string(i));
  onnx2ir::base::NameTable<int> table;
  for (int i = 0; i < kNames; ++i) {
    onnx2ir::base::HashedName name(names[static_cast<std::size_t>(i)]);
    name.hash = 7;
    REQUIRE(table.add(name, i));
  }
  for (int i = 0; i < kNames; ++i) {
    onnx2ir::base::HashedName name(names[static_cast<std::size_t>(i)]);
    name.hash = 7;
    const int* found = table.find(name);
    REQUIRE(found != nullptr);
    REQUIRE(*found == i);
    REQUIRE_FALSE(table.add(name, -1));
  }
  CHECK(table.size() == kNames);
}
