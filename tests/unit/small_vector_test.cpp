#include "base/small_vector.hpp"

#include <memory>
#include <string>

#include "catch.hpp"

using onnx2ir::base::SmallVector;

namespace {

/// Not copyable, and noticed by the sanitizers when it is lost or destroyed twice.
using Owned = std::unique_ptr<std::string>;

Owned owned(int number) {
  return std::make_unique<std::string>(std::to_string(number));
}

SmallVector<Owned, 2> numbers(int count) {
  SmallVector<Owned, 2> result;
  for (int i = 0; i < count; ++i) result.push_back(owned(i));
  return result;
}

std::string text(const SmallVector<Owned, 2>& elements) {
  std::string result;
  for (const Owned& element : elements) result += *element;
  return result;
}

}  // namespace

TEST_CASE("a small vector keeps its elements when it grows and moves") {
  for (const int count : {0, 1, 2, 3, 9}) {
    SmallVector<Owned, 2> made = numbers(count);
    CHECK(made.size() == static_cast<std::size_t>(count));
    const std::string before = text(made);
    SmallVector<Owned, 2> moved = std::move(made);
    CHECK(text(moved) == before);
    CHECK(made.empty());  // NOLINT(bugprone-use-after-move): that it is empty is what is tested
    for (const int other : {0, 2, 5}) {
      SmallVector<Owned, 2> target = numbers(other);
      target = numbers(count);
      CHECK(text(target) == before);
    }
  }
}

TEST_CASE("a small vector is copied element by element") {
  for (const std::size_t count : {0U, 2U, 7U}) {
    const SmallVector<std::string, 2> original(count);
    SmallVector<std::string, 2> copy(original);
    CHECK(copy == original);
    copy.push_back("more");
    CHECK_FALSE(copy == original);
    copy = original;
    CHECK(copy == original);
  }
}

TEST_CASE("elements are inserted, erased and resized in a small vector") {
  SmallVector<Owned, 2> elements = numbers(5);
  elements.erase(elements.begin() + 1);
  CHECK(text(elements) == "0234");
  elements.insert(elements.begin() + 1, owned(7));
  CHECK(text(elements) == "07234");
  elements.insert(elements.end(), owned(8));
  CHECK(text(elements) == "072348");
  elements.resize(2);
  CHECK(text(elements) == "07");
  elements.resize(3);
  CHECK(elements.back() == nullptr);
  elements.clear();
  CHECK(elements.empty());
}

TEST_CASE("an element of a small vector can be appended to it") {
  SmallVector<std::string, 1> elements{"a rather long text that is kept on the heap"};
  for (int i = 0; i < 5; ++i) elements.push_back(elements.front());
  for (const std::string& element : elements) CHECK(element == elements.front());
}
