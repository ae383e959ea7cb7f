#include "frontend/strings/byte_automaton.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "base/failure.hpp"
#include "frontend/strings/regular_expression.hpp"

namespace onnx2ir::frontend {
namespace {

// Patterns are untrusted, and automata can be exponentially larger than they are.
constexpr std::size_t kMaxInstructions = 100'000;
constexpr std::size_t kMaxTransitions = std::size_t{1} << 20;
constexpr std::size_t kMaxWork = 20'000'000;

[[noreturn]] void fail_too_large() {
  throw base::Failure(DiagnosticCode::cannot_convert, "its automaton would be too large");
}

/// An instruction of the nondeterministic automaton (Thompson's construction). Those that read no byte lead
/// to up to two others.
struct Instruction {
  enum class Kind : std::uint8_t { reads, splits, asserts, accepts };
  Kind kind;
  std::uint8_t first = 0;  ///< the bytes it reads
  std::uint8_t last = 0;
  Assertion assertion{};
  std::int32_t next = -1;
  std::int32_t other = -1;
};

/// The property of a byte that an assertion tests; `none` stands for the begin and the end of the text.
enum class Neighbour : std::uint8_t { none, newline, word, other };

Neighbour neighbour(std::uint8_t byte) {
  if (byte == '\n') return Neighbour::newline;
  return is_in_word(byte) ? Neighbour::word : Neighbour::other;
}

bool holds(Assertion assertion, Neighbour before, Neighbour after) {
  const bool is_border = (before == Neighbour::word) != (after == Neighbour::word);
  switch (assertion) {
    case Assertion::text_begins:
      return before == Neighbour::none;
    case Assertion::text_ends:
      return after == Neighbour::none;
    case Assertion::line_begins:
      return before == Neighbour::none || before == Neighbour::newline;
    case Assertion::line_ends:
      return after == Neighbour::none || after == Neighbour::newline;
    case Assertion::word_border:
      return is_border;
    case Assertion::no_word_border:
      return !is_border;
  }
  return false;
}

/// Writes the instructions from the end to the beginning: each function returns the first instruction of an
/// expression that is followed by the instruction `next`.
class StepWriter {
 public:
  std::vector<Instruction> instructions;

  std::int32_t add(Instruction instruction) {
    if (instructions.size() >= kMaxInstructions) fail_too_large();
    instructions.push_back(instruction);
    return static_cast<std::int32_t>(instructions.size()) - 1;
  }

  std::int32_t write(const Expression& expression, std::int32_t next) {
    // Counted as well, because nested repetitions of the empty expression add no instructions but take
    // exponential time.
    if (++written_ > kMaxInstructions) fail_too_large();
    return std::visit([&](const auto& what) { return write_one(what, next); }, expression.what);
  }

 private:
  std::int32_t reads(std::uint32_t first, std::uint32_t last, std::int32_t next) {
    return add({.kind = Instruction::Kind::reads,
                .first = static_cast<std::uint8_t>(first),
                .last = static_cast<std::uint8_t>(last),
                .next = next});
  }
  std::int32_t either(std::int32_t a, std::int32_t b) {
    return add({.kind = Instruction::Kind::splits, .next = a, .other = b});
  }

  std::int32_t write_one(const OneByte&, std::int32_t next) { return reads(0, 0xFF, next); }
  std::int32_t write_one(Assertion assertion, std::int32_t next) {
    return add({.kind = Instruction::Kind::asserts, .assertion = assertion, .next = next});
  }

  std::int32_t write_one(const Concatenation& all, std::int32_t next) {
    for (auto part = all.parts.rbegin(); part != all.parts.rend(); ++part) next = write(*part, next);
    return next;
  }

  std::int32_t write_one(const Alternation& any, std::int32_t next) {
    std::int32_t result = write(any.parts.front(), next);
    for (std::size_t i = 1; i < any.parts.size(); ++i) result = either(result, write(any.parts[i], next));
    return result;
  }

  std::int32_t write_one(const Repetition& repetition, std::int32_t next) {
    const Expression& part = repetition.part.front();
    std::int32_t result = next;
    if (repetition.most == kUnbounded) {
      result = either(next, -1);
      const std::int32_t again = write(part, result);
      instructions[static_cast<std::size_t>(result)].other = again;
    } else {
      for (int i = repetition.least; i < repetition.most; ++i) result = either(next, write(part, result));
    }
    for (int i = 0; i < repetition.least; ++i) result = write(part, result);
    return result;
  }

  /// An empty set becomes an instruction that leads nowhere.
  std::int32_t write_one(const OneCharacter& character, std::int32_t next) {
    std::int32_t result = either(-1, -1);
    for (const SymbolRange& range : character.of) result = either(result, write_range(range, next));
    return result;
  }

  /// Splits a range by the length of its characters in UTF-8.
  std::int32_t write_range(SymbolRange range, std::int32_t next) {
    constexpr SymbolRange kOfSize[] = {{0, 0x7F}, {0x80, 0x7FF}, {0x800, 0xFFFF}, {0x10000, kLastCodePoint}};
    std::int32_t result = either(-1, -1);
    for (int size = 1; size <= 4; ++size) {
      const SymbolRange& of = kOfSize[size - 1];
      const SymbolRange common{std::max(range.first, of.first), std::min(range.last, of.last)};
      if (common.first > common.last) continue;
      constexpr std::uint32_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
      result = either(result, write_bytes(common, size - 1, kLead[size - 1], next));
    }
    return result;
  }

  /// Writes one byte, marked with `lead`, and `more` bytes of 6 bits each: splits [first, last] where the
  /// first byte changes, unless all continuations are included.
  std::int32_t write_bytes(SymbolRange range, int more, std::uint32_t lead, std::int32_t next) {
    constexpr std::uint32_t kContinuation = 0x80;
    if (more == 0) return reads(lead | range.first, lead | range.last, next);
    const int shift = 6 * more;
    const std::uint32_t low = (1U << shift) - 1;
    const auto one_lead = [&](std::uint32_t byte, SymbolRange rest) {
      return reads(lead | byte, lead | byte, write_bytes(rest, more - 1, kContinuation, next));
    };
    std::uint32_t first = range.first >> shift;
    std::uint32_t last = range.last >> shift;
    const std::uint32_t begin = range.first & low;
    const std::uint32_t end = range.last & low;
    if (first == last) return one_lead(first, {begin, end});
    std::int32_t result = either(-1, -1);
    if (begin != 0) result = either(result, one_lead(first++, {begin, low}));
    if (end != low) result = either(result, one_lead(last--, {0, end}));
    if (first > last) return result;
    return either(result,
                  reads(lead | first, lead | last, write_bytes({0, low}, more - 1, kContinuation, next)));
  }
  std::size_t written_ = 0;  ///< the number of written expressions, including repetitions
};

/// Constructs the states: sets of possible next instructions, with the previous byte if one of them asserts
/// something about it.
class StateWriter {
 public:
  explicit StateWriter(std::vector<Instruction> instructions)
      : instructions_(std::move(instructions)), seen_(instructions_.size(), 0) {}

  ByteAutomaton write(std::int32_t first) {
    find_classes();
    state_of({Neighbour::none, reachable({first}, [](Assertion) { return false; })});
    for (std::size_t state = 0; state < states_.size(); ++state) add_transitions(state);
    return std::move(result_);
  }

 private:
  using Indices = std::vector<std::int32_t>;
  using State = std::pair<Neighbour, Indices>;

  const Instruction& instruction(std::int32_t index) const {
    return instructions_[static_cast<std::size_t>(index)];
  }

  /// For each byte value, whether a range or an assertion of any instruction begins or ends there.
  std::array<bool, 257> borders() const {
    std::array<bool, 257> result{};
    for (const Instruction& instruction : instructions_) {
      if (instruction.kind == Instruction::Kind::reads)
        result[instruction.first] = result[instruction.last + std::size_t{1}] = true;
      if (instruction.kind != Instruction::Kind::asserts) continue;
      for (std::size_t byte = 1; byte < 256; ++byte) {
        const bool is_same =
            neighbour(static_cast<std::uint8_t>(byte)) == neighbour(static_cast<std::uint8_t>(byte - 1));
        if (!is_same) result[byte] = true;
      }
    }
    return result;
  }

  void find_classes() {
    const auto is_border = borders();
    for (std::size_t byte = 0; byte < result_.class_of_byte.size(); ++byte) {
      if (byte == 0 || is_border[byte]) examples_.push_back(static_cast<std::uint8_t>(byte));
      result_.class_of_byte[byte] = static_cast<std::int32_t>(examples_.size()) - 1;
    }
    result_.class_count = static_cast<std::int32_t>(examples_.size());
  }

  /// The instructions reachable from `from`, in order, that read, accept, or have an assertion that does not
  /// hold.
  template <typename Holds>
  Indices reachable(Indices from, const Holds& holds) {
    ++round_;
    Indices result;
    while (!from.empty()) {
      const std::int32_t index = from.back();
      from.pop_back();
      if (index < 0 || std::exchange(seen_[static_cast<std::size_t>(index)], round_) == round_) continue;
      if (++work_ > kMaxWork) fail_too_large();
      const Instruction& current = instruction(index);
      if (current.kind == Instruction::Kind::splits ||
          (current.kind == Instruction::Kind::asserts && holds(current.assertion))) {
        from.push_back(current.next);
        from.push_back(current.other);
      } else {
        result.push_back(index);
      }
    }
    std::ranges::sort(result);
    return result;
  }

  /// The instructions of a state after its assertions are resolved with the following byte.
  Indices resolved(const State& state, Neighbour after) {
    return reachable(state.second, [&](Assertion assertion) { return holds(assertion, state.first, after); });
  }

  void add_transitions(std::size_t state) {
    const State from = *states_[state];
    for (const std::uint8_t byte : examples_) {
      Indices after;
      for (const std::int32_t index : resolved(from, neighbour(byte))) {
        const Instruction& current = instruction(index);
        const bool reads =
            current.kind == Instruction::Kind::reads && current.first <= byte && byte <= current.last;
        if (reads) after.push_back(current.next);
      }
      Indices next = reachable(std::move(after), [](Assertion) { return false; });
      if (result_.next.size() >= kMaxTransitions) fail_too_large();
      result_.next.push_back(state_of({neighbour(byte), std::move(next)}));
    }
  }

  /// The number of a state, which is added if it is new.
  std::int32_t state_of(State state) {
    const bool asks = std::ranges::any_of(state.second, [&](std::int32_t index) {
      return instruction(index).kind == Instruction::Kind::asserts;
    });
    if (!asks) state.first = Neighbour::other;
    const auto [entry, is_new] =
        numbers_.try_emplace(std::move(state), static_cast<std::int32_t>(states_.size()));
    if (is_new) {
      states_.push_back(&entry->first);
      const Indices at_end = resolved(entry->first, Neighbour::none);
      result_.accepts.push_back(std::ranges::any_of(
          at_end, [&](std::int32_t index) { return instruction(index).kind == Instruction::Kind::accepts; }));
    }
    return entry->second;
  }

  std::vector<Instruction> instructions_;
  std::vector<std::uint32_t> seen_;  ///< the last round that visited an instruction
  std::uint32_t round_ = 0;
  std::size_t work_ = 0;
  std::vector<std::uint8_t> examples_;  ///< a byte of each class
  std::map<State, std::int32_t> numbers_;
  std::vector<const State*> states_;  ///< the keys of `numbers_` by number
  ByteAutomaton result_;
};

}  // namespace

Result<ByteAutomaton> byte_automaton(std::string_view pattern) {
  const auto expression = parse_regular_expression(pattern);
  if (!expression) return expression.error();
  return base::attempt(DiagnosticCode::cannot_convert, [&] {
    StepWriter writer;
    const std::int32_t last = writer.add({.kind = Instruction::Kind::accepts});
    const std::int32_t first = writer.write(*expression, last);
    return StateWriter(std::move(writer.instructions)).write(first);
  });
}

}  // namespace onnx2ir::frontend
