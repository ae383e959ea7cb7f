#include "mutator/text.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ir/element_type.hpp"
#include "ir/op_descriptor.hpp"

namespace onnx2ir::fuzz {
namespace {

using Words = std::vector<std::string>;

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

bool is_in_word(char letter) {
  return is_digit(letter) || letter == '_' || (letter >= 'a' && letter <= 'z') ||
         (letter >= 'A' && letter <= 'Z');
}

bool is_number(const std::string& word) {
  return std::ranges::all_of(word, is_digit);
}

bool is_word(const std::string& word) {
  return is_in_word(word.front());
}

/// Runs of letters and digits, and the bytes between them.
Words words_of(std::string_view text) {
  Words words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (is_in_word(text[at]) && end < text.size() && is_in_word(text[end])) ++end;
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string number(Random& random) {
  constexpr std::array kNumbers{"0",          "1",          "2",
                                "3",          "4",          "5",
                                "7",          "8",          "16",
                                "64",         "255",        "257",
                                "1024",       "1025",       "65536",
                                "2147483647", "4294967296", "4611686018427387904",
                                "-1",         "-2",         "9223372036854775807",
                                "?",          "1..3",       "2..4611686018427387904"};
  return random.pick(kNumbers);
}

std::string operation(Random& random) {
  return std::string(ir::all_ops()[random.below(ir::all_ops().size())].name);
}

std::string element_type(Random& random) {
  constexpr std::array kTypes{"f32", "f16", "f64", "i64",    "i32", "i8",
                              "u8",  "u64", "i4",  "string", "u1",  "boolean"};
  return random.pick(kTypes);
}

/// The places of the words that `is_wanted`.
template <typename Test>
std::vector<std::size_t> places(const Words& words, Test is_wanted) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_wanted(words[i])) found.push_back(i);
  }
  return found;
}

void change_word(Words& words, Random& random) {
  const auto numbers = places(words, is_number);
  const auto all = places(words, is_word);
  if (all.empty()) return;
  switch (random.below(6)) {
    case 0:
    case 1:
      if (!numbers.empty()) words[random.pick(numbers)] = number(random);
      return;
    case 2:
      words[random.pick(all)] = words[random.pick(all)];
      return;
    case 3: {
      const auto operations =
          places(words, [](const std::string& word) { return ir::find_op_or_null(word) != nullptr; });
      if (!operations.empty()) words[random.pick(operations)] = operation(random);
      return;
    }
    case 4: {
      const auto types =
          places(words, [](const std::string& word) { return ir::element_type_from_name(word).has_value(); });
      if (!types.empty()) words[random.pick(types)] = element_type(random);
      return;
    }
    default:
      if (!numbers.empty()) words[random.pick(numbers)] = words[random.pick(numbers)];
  }
}

/// A line with its line break: the words [first, last).
std::pair<std::size_t, std::size_t> line_around(const Words& words, std::size_t at) {
  std::size_t first = at;
  while (first > 0 && words[first - 1] != "\n") --first;
  while (at < words.size() && words[at] != "\n") ++at;
  return {first, std::min(at + 1, words.size())};
}

void change_lines(Words& words, Random& random) {
  const auto [first, last] = line_around(words, random.below(words.size()));
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = words.begin() + static_cast<std::ptrdiff_t>(last);
  const Words line(begin, end);
  if (random.one_in(2)) words.erase(begin, end);
  if (words.empty() || random.one_in(3)) return;
  const auto target = line_around(words, random.below(words.size())).first;
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(target), line.begin(), line.end());
}

void change_any(Words& words, Random& random) {
  const std::size_t at = random.below(words.size());
  switch (random.below(3)) {
    case 0:
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    case 1:
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), words[random.below(words.size())]);
      return;
    default:
      words[at] = std::string(1, static_cast<char>(random.below(256)));
  }
}

}  // namespace

std::string mutated_text(std::string_view text, Random& random) {
  Words words = words_of(text);
  for (std::size_t changes = 1 + random.below(6); changes > 0 && !words.empty(); --changes) {
    const std::size_t kind = random.below(8);
    if (kind == 0) {
      change_any(words, random);
    } else if (kind == 1) {
      change_lines(words, random);
    } else {
      change_word(words, random);
    }
  }
  std::string result;
  for (const std::string& word : words) result += word;
  return result;
}

}  // namespace onnx2ir::fuzz
