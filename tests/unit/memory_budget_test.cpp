// The budget of a conversion counts only the memory of that conversion.
#include "base/memory_budget.hpp"

#include <memory>
#include <new>
#include <onnx2ir/onnx2ir.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "ir/constant_data.hpp"
#include "ir/shared_by_graphs.hpp"

using namespace onnx2ir;

TEST_CASE("constants take memory from the budget and return it", "[memory]") {
  const base::MemoryBudgetScope scope(1000);
  for (int i = 0; i < 10; ++i) {
    const ir::ConstantData data(std::vector<std::byte>(600));
    const ir::ConstantData copy = data;
    CHECK_THROWS_AS(ir::ConstantData(std::vector<std::byte>(600)), std::bad_alloc);
  }
  CHECK_NOTHROW(ir::ConstantData(std::vector<std::byte>(1000)));
}

TEST_CASE("a budget applies to its scope and its thread", "[memory]") {
  ir::ConstantData outlives;
  {
    const base::MemoryBudgetScope scope(100);
    outlives = ir::ConstantData(std::vector<std::byte>(60));
    std::jthread([] { CHECK_NOTHROW(ir::ConstantData(std::vector<std::byte>(1000))); }).join();
    const base::MemoryBudgetScope inner(0);
    CHECK_NOTHROW(ir::ConstantData(std::vector<std::byte>(1000)));
  }
  CHECK_NOTHROW(ir::ConstantData(std::vector<std::byte>(1000)));
}

TEST_CASE("a conversion beyond Options::max_memory is an error that names the option", "[memory]") {
  Options options;
  options.max_memory = 10'000;
  const Conversion refused = convert_file(ONNX2IR_TESTS_DIR "/models/loop_16.onnx", options);
  CHECK_FALSE(refused.model);
  REQUIRE_FALSE(refused.diagnostics.empty());
  for (const Diagnostic& diagnostic : refused.diagnostics) {
    CHECK(diagnostic.code == DiagnosticCode::out_of_memory);
    CHECK(diagnostic.hint.find("Options::max_memory") != std::string::npos);
  }
  options.max_memory = 100'000'000;
  CHECK(convert_file(ONNX2IR_TESTS_DIR "/models/loop_16.onnx", options).model);
}

TEST_CASE("the default budget grows with the files of a model, a given one does not", "[memory]") {
  constexpr std::size_t kBytes = base::kDefaultBudget;
  {
    const base::MemoryBudgetScope scope(std::nullopt);
    CHECK_THROWS_AS(base::charge_permanently(kBytes + 1), std::bad_alloc);
    base::raise_default_budget(1);
    CHECK_NOTHROW(base::charge_permanently(kBytes + 1));
  }
  const base::MemoryBudgetScope scope(100);
  base::raise_default_budget(1000);
  CHECK_THROWS_AS(base::charge_permanently(101), std::bad_alloc);
}

TEST_CASE("equal constants that own their bytes share them", "[memory]") {
  ir::ConstantPool pool;
  const auto made = [](std::size_t size, std::byte value) {
    return ir::ConstantData(std::vector<std::byte>(size, value));
  };
  const ir::ConstantData first = pool.share(made(5000, std::byte{1}));
  CHECK(pool.share(made(5000, std::byte{1})).place() == first.place());
  CHECK(pool.share(made(5000, std::byte{2})).place() != first.place());
  CHECK(pool.share(made(5001, std::byte{1})).place() != first.place());
  CHECK(pool.share(made(5000, std::byte{1})).narrowed(ir::Narrowing::f32_to_f16).place() == first.place());
  // The pool keeps no constant alive.
  const std::weak_ptr<const void> owner = pool.share(made(5000, std::byte{3})).owner();
  CHECK(owner.expired());
  CHECK(pool.share(made(5000, std::byte{3})).size() == 5000);
}
