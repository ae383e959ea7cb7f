#include "frontend/strings/regular_expression.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/failure.hpp"
#include "frontend/strings/character_set.hpp"
#include "frontend/strings/utf8.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr int kMaxRepetitions = 1000;  // RE2's own limit
constexpr int kMaxDepth = 200;

struct Flags {
  bool ignores_case = false;
  bool dot_is_newline = false;
  bool has_lines = false;
};

/// Throws Failure (cannot_convert).
[[noreturn]] void refuse(std::string reason) {
  throw base::Failure(DiagnosticCode::cannot_convert, std::move(reason));
}

Expression character(const CharacterSet& set) {
  return {OneCharacter{set.ranges()}};
}

class Parser {
 public:
  explicit Parser(std::string_view pattern) : rest_(pattern) {}

  Expression parse() {
    Expression whole = alternation(Flags{}, 0);
    if (!rest_.empty()) refuse("')' without '('");
    return whole;
  }

 private:
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  std::uint32_t code_point() {
    const auto taken = take_code_point(rest_);
    if (!taken) refuse("it is not in UTF-8");
    return *taken;
  }

  /// Parses up to the end, or to the ')' that ends the group. Flags that are set inside are valid up to
  /// there.
  Expression alternation(Flags flags, int depth) {
    if (depth > kMaxDepth) refuse("its groups are nested too deeply");
    Alternation branches;
    Concatenation branch;
    while (!rest_.empty() && rest_.front() != ')') {
      if (take("|")) {
        branches.parts.push_back({std::exchange(branch, {})});
      } else if (take("\\Q")) {
        add_quoted(branch, flags);
      } else if (auto item = atom(flags, depth)) {
        branch.parts.push_back(repeated(std::move(*item)));
      }
    }
    branches.parts.push_back({std::move(branch)});
    if (branches.parts.size() == 1) return std::move(branches.parts.front());
    return {std::move(branches)};
  }

  /// Parses the text after \Q, up to \E.
  void add_quoted(Concatenation& branch, const Flags& flags) {
    bool is_inside = !rest_.empty() && !take("\\E");
    while (is_inside) {
      Expression item = literal(code_point(), flags);
      is_inside = !rest_.empty() && !take("\\E");
      branch.parts.push_back(is_inside ? std::move(item) : repeated(std::move(item)));
    }
  }

  /// No value if it only sets flags.
  std::optional<Expression> atom(Flags& flags, int depth) {
    if (take("(")) return group(flags, depth);
    if (rest_.front() == '[') return character(set_in_brackets(flags));
    if (rest_.front() == '\\') return escaped(flags);
    if (take("^")) return Expression{flags.has_lines ? Assertion::line_begins : Assertion::text_begins};
    if (take("$")) return Expression{flags.has_lines ? Assertion::line_ends : Assertion::text_ends};
    if (take(".")) return character(flags.dot_is_newline ? CharacterSet::all() : CharacterSet::no_newline());
    if (rest_.front() == '*' || rest_.front() == '+' || rest_.front() == '?') {
      refuse(std::string("there is nothing before '") + rest_.front() + "' to repeat");
    }
    return literal(code_point(), flags);
  }

  std::optional<Expression> group(Flags& flags, int depth) {
    Flags inner = flags;
    if (take("?P<") || take("?<")) {
      skip_name();
    } else if (take("?")) {
      inner = changed(flags);
      if (take(")")) {
        flags = inner;
        if (!rest_.empty() && std::string_view("*+?").find(rest_.front()) != std::string_view::npos) {
          refuse("there is nothing to repeat after flags");
        }
        return std::nullopt;
      }
      take(":");
    }
    Expression content = alternation(inner, depth + 1);
    if (!take(")")) refuse("'(' without ')'");
    return content;
  }

  void skip_name() {
    const auto end = rest_.find('>');
    const std::string_view name = rest_.substr(0, std::min(end, rest_.size()));
    const bool is_name =
        !name.empty() && std::ranges::all_of(name, [](unsigned char c) { return is_in_word(c); });
    if (end == std::string_view::npos || !is_name) refuse("a group has a bad name");
    rest_.remove_prefix(end + 1);
  }

  /// Parses the flags after "(?", up to ':' or ')'.
  Flags changed(Flags flags) {
    bool value = true;
    bool has_any = false;
    while (!rest_.empty() && rest_.front() != ')' && rest_.front() != ':') {
      const char flag = rest_.front();
      rest_.remove_prefix(1);
      if (flag == '-' && value) {
        value = has_any = false;
        continue;
      }
      if (flag == 'i') {
        flags.ignores_case = value;
      } else if (flag == 's') {
        flags.dot_is_newline = value;
      } else if (flag == 'm') {
        flags.has_lines = value;
      } else if (flag != 'U') {  // which of several matches is preferred does not matter for whole texts
        refuse(std::string("'(?") + flag + "' is not supported");
      }
      has_any = true;
    }
    if (rest_.empty()) refuse("'(' without ')'");
    const bool may_be_none = value && rest_.front() == ':';
    if (!has_any && !may_be_none) refuse("flags are missing in '(?...)'");
    return flags;
  }

  Expression literal(std::uint32_t code, const Flags& flags) {
    return character(folded({{code, code}}, flags));
  }

  /// Adds the letters of the other case to a set.
  static CharacterSet folded(CharacterSet set, const Flags& flags) {
    if (!flags.ignores_case) return set;
    if (set.has_letters_beyond_ascii()) {
      refuse("both cases (flag i) of letters beyond ASCII are not supported");
    }
    set.add_other_letter_case();
    return set;
  }

  Expression escaped(const Flags& flags) {
    if (take("\\A")) return {Assertion::text_begins};
    if (take("\\z")) return {Assertion::text_ends};
    if (take("\\b")) return {Assertion::word_border};
    if (take("\\B")) return {Assertion::no_word_border};
    if (take("\\C")) return {OneByte{}};
    if (auto set = shorthand(flags)) return character(*set);
    return literal(escaped_code(), flags);
  }

  /// \d, \w, \s and their opposites.
  std::optional<CharacterSet> shorthand(const Flags& flags) {
    if (rest_.starts_with("\\p") || rest_.starts_with("\\P")) {
      refuse("classes of Unicode (\\p) are not supported");
    }
    if (rest_.size() < 2 || rest_.front() != '\\') return std::nullopt;
    const bool is_negated = rest_[1] >= 'A' && rest_[1] <= 'Z';
    const auto set = CharacterSet::shorthand(static_cast<char>(rest_[1] | 0x20));
    if (!set) return std::nullopt;
    rest_.remove_prefix(2);
    return ignoring_letter_case(*set, is_negated, flags);
  }

  std::uint32_t escaped_code() {
    take("\\");
    if (rest_.empty()) refuse("it ends in '\\'");
    const char letter = rest_.front();
    if (letter >= '0' && letter <= '7') return octal_code();
    constexpr std::string_view kControls = "afnrtv";
    constexpr std::string_view kMeaning = "\a\f\n\r\t\v";
    if (const auto index = kControls.find(letter); index != std::string_view::npos) {
      rest_.remove_prefix(1);
      return static_cast<std::uint32_t>(kMeaning[index]);
    }
    if (take("x")) return hexadecimal_code();
    const bool is_ascii = static_cast<unsigned char>(letter) < 0x80;
    if (!is_ascii) refuse("a character beyond ASCII is escaped");
    if (letter != '_' && is_in_word(static_cast<unsigned char>(letter)))
      refuse(std::string("'\\") + letter + "' is not supported");
    rest_.remove_prefix(1);
    return static_cast<std::uint32_t>(letter);
  }

  /// Parses up to three digits. A single digit other than 0 would refer to a group, which RE2 does not
  /// support.
  std::uint32_t octal_code() {
    std::size_t count = 0;
    std::uint32_t code = 0;
    while (count < 3 && count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '7') {
      code = code * 8 + static_cast<std::uint32_t>(rest_[count++] - '0');
    }
    if (count == 1 && code != 0) refuse("references to groups are not supported");
    rest_.remove_prefix(count);
    return code;
  }

  std::uint32_t hexadecimal_code() {
    const bool is_braced = take("{");
    const std::size_t most = is_braced ? 8 : 2;
    std::size_t count = 0;
    std::uint32_t code = 0;
    for (; count < most && !rest_.empty(); ++count) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const auto digit = kDigits.find(static_cast<char>(rest_.front() | 0x20));
      if (digit == std::string_view::npos || rest_.front() < '0') break;
      code = code * 16 + static_cast<std::uint32_t>(digit);
      rest_.remove_prefix(1);
    }
    const bool is_complete = is_braced ? count > 0 && take("}") : count == 2;
    if (!is_complete || code > kLastCodePoint) refuse("a code after \\x is malformed");
    return code;
  }

  CharacterSet set_in_brackets(const Flags& flags) {
    take("[");
    const bool is_negated = take("^");
    CharacterSet set;
    for (bool is_first = true; is_first || !rest_.starts_with("]"); is_first = false) {
      if (rest_.empty()) refuse("'[' without ']'");
      if (rest_.starts_with("[:")) {
        if (const auto named = named_set(flags)) {
          set.add(*named);
          continue;
        }
      }
      if (const auto some = shorthand(flags)) {
        set.add(*some);
        continue;
      }
      add_range(set, flags);
    }
    take("]");
    return is_negated ? set.complement() : set;
  }

  void add_range(CharacterSet& set, const Flags& flags) {
    SymbolRange range{};
    range.first = range.last = code_in_brackets();
    if (rest_.size() >= 2 && rest_[0] == '-' && rest_[1] != ']') {
      take("-");
      range.last = code_in_brackets();
      if (range.last < range.first) refuse("a range in '[...]' ends before it begins");
    }
    set.add(folded({range}, flags));
  }

  std::uint32_t code_in_brackets() {
    if (rest_.empty()) refuse("'[' without ']'");
    return rest_.front() == '\\' ? escaped_code() : code_point();
  }

  /// Parses [:name:] or [:^name:]; no value if there is no class name.
  std::optional<CharacterSet> named_set(const Flags& flags) {
    const auto end = rest_.find(":]");
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view name = rest_.substr(2, end - 2);
    rest_.remove_prefix(end + 2);
    const bool is_negated = name.starts_with('^');
    if (is_negated) name.remove_prefix(1);
    const auto set = CharacterSet::named(name);
    if (!set) refuse("there is no class [:" + std::string(name) + ":]");
    return ignoring_letter_case(*set, is_negated, flags);
  }

  /// A set of ASCII characters, or its complement.
  static CharacterSet ignoring_letter_case(CharacterSet set, bool is_negated, const Flags& flags) {
    set = folded(std::move(set), flags);
    return is_negated ? set.complement() : set;
  }

  struct Bounds {
    int least;
    int most;
  };

  /// Parses {n}, {n,} or {n,m}. For any other text, returns no value and consumes nothing.
  std::optional<Bounds> braces() {
    Parser ahead(rest_);
    if (!ahead.take("{")) return std::nullopt;
    const auto least = ahead.number();
    std::optional<int> most = least;
    if (least && ahead.take(",")) most = ahead.rest_.starts_with("}") ? kUnbounded : ahead.number();
    if (!most || !ahead.take("}")) return std::nullopt;
    rest_ = ahead.rest_;
    if (*least > kMaxRepetitions || *most > kMaxRepetitions || (*most != kUnbounded && *most < *least)) {
      refuse("the numbers in '{...}' are out of range");
    }
    return Bounds{*least, *most};
  }

  /// Parses digits; a number that is too large saturates.
  std::optional<int> number() {
    std::optional<int> value;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      value = std::min(value.value_or(0) * 10 + (rest_.front() - '0'), kMaxRepetitions + 1);
      rest_.remove_prefix(1);
    }
    return value;
  }

  std::optional<Bounds> repetition() {
    if (take("*")) return Bounds{0, kUnbounded};
    if (take("+")) return Bounds{1, kUnbounded};
    if (take("?")) return Bounds{0, 1};
    return braces();
  }

  /// Parses what repeats `item`. Lazy and greedy repetitions are equivalent for whole texts.
  Expression repeated(Expression item) {
    const auto bounds = repetition();
    if (!bounds) return item;
    take("?");
    if (repetition()) refuse("one repetition follows another");
    Repetition result;
    result.part.push_back(std::move(item));
    result.least = bounds->least;
    result.most = bounds->most;
    return {std::move(result)};
  }

  std::string_view rest_;
};

}  // namespace

Result<Expression> parse_regular_expression(std::string_view pattern) {
  return base::attempt(DiagnosticCode::cannot_convert, [&] { return Parser(pattern).parse(); });
}

}  // namespace onnx2ir::frontend
