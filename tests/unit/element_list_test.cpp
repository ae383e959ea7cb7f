#include "frontend/graph/element_list.hpp"

#include <random>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "ir/builder.hpp"

using namespace onnx2ir;
using frontend::ElementList;
using frontend::Values;

namespace {

void check_equal(const ElementList& list, const std::vector<ir::Value>& expected) {
  REQUIRE(list.size() == expected.size());
  CHECK(list.empty() == expected.empty());
  const Values values = list.values();
  ir::PartialShape element;
  bool mixed_rank = false;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(values[i] == expected[i]);
    CHECK(list[i] == expected[i]);
    frontend::widen_element(element, mixed_rank, expected[i].shape(), false);
  }
  CHECK(list.element() == element);
  CHECK(list.has_mixed_rank() == mixed_rank);
}

}  // namespace

TEST_CASE("lists of elements do not change when others are made from them") {
  ir::Graph graph;
  ir::Builder builder(graph);
  std::vector<ir::Value> tensors;
  for (std::int64_t i = 0; i < 40; ++i) {
    const ir::PartialShape shape =
        i < 36 ? ir::PartialShape{2, ir::Dimension(i % 3, i)} : ir::PartialShape{i, i, i};
    tensors.push_back(builder.parameter(ir::ElementType::f32, shape));
  }
  std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same numbers in each run
  std::vector<std::pair<ElementList, std::vector<ir::Value>>> versions{{}};
  for (int step = 0; step < 400; ++step) {
    // Lists grow at first and shrink at last.
    const auto& [list, expected] = random() % 8 == 0 ? versions[random() % versions.size()] : versions.back();
    std::vector<ir::Value> elements = expected;
    const bool erases = !elements.empty() && random() % 400 < static_cast<unsigned>(step);
    const std::size_t index = random() % (elements.size() + (erases ? 0 : 1));
    const auto place = elements.begin() + static_cast<std::ptrdiff_t>(index);
    ElementList next;
    if (erases) {
      elements.erase(place);
      next = list.without(index);
    } else {
      const ir::Value tensor = tensors[random() % tensors.size()];
      elements.insert(place, tensor);
      next = list.with(index, tensor);
    }
    check_equal(ElementList(Values(elements.begin(), elements.end())), elements);
    versions.emplace_back(std::move(next), std::move(elements));
  }
  for (const auto& [list, expected] : versions) check_equal(list, expected);
}
