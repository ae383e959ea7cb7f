#include "ir/text/ports.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "ir/control_flow.hpp"

namespace onnx2ir::ir {
namespace {

using Kind = ParsedPort::Kind;

std::uint32_t parse_index(Cursor& cursor, const char* what) {
  const std::size_t offset = cursor.offset();
  const std::int64_t index = cursor.integer(what);
  if (index < 0 || index > std::numeric_limits<std::uint32_t>::max())
    cursor.fail(offset, fmt::format("{} is not {}", index, what));
  return static_cast<std::uint32_t>(index);
}

/// "input 2", or "input 2: %x", where %x must be the value of that input.
std::uint32_t parse_input(Cursor& cursor, std::span<const Value> inputs,
                          const OuterValueParser& outer_value) {
  cursor.expect('=', "after the Parameter");
  cursor.expect_word("input");
  std::size_t offset = cursor.offset();
  const std::uint32_t input = parse_index(cursor, "the number of an input");
  if (input >= inputs.size()) cursor.fail(offset, fmt::format("there is no input {}", input));
  if (cursor.accept(':')) {
    offset = cursor.offset();
    if (outer_value() != inputs[input]) cursor.fail(offset, fmt::format("input {} is another value", input));
  }
  return input;
}

/// ", axis 0, start 0, end -1, stride 1, part_size 1"; only the axis is required. A scan can also be guarded.
void parse_slices(Cursor& cursor, Slices& slices, bool* is_guarded = nullptr) {
  cursor.expect(',', "before 'axis'");
  cursor.expect_word("axis");
  slices.axis = cursor.integer("an axis");
  while (cursor.accept(',')) {
    if (cursor.accept_word("start")) {
      slices.start = cursor.integer("a position");
    } else if (cursor.accept_word("end")) {
      slices.end = cursor.integer("a position");
    } else if (cursor.accept_word("stride")) {
      slices.stride = cursor.integer("a stride");
    } else if (cursor.accept_word("part_size")) {
      slices.part_size = cursor.integer("a size");
    } else if (is_guarded != nullptr && cursor.accept_word("guarded")) {
      *is_guarded = true;
    } else {
      cursor.fail_expected("'start', 'end', 'stride' or 'part_size'");
    }
  }
}

void parse_output(Cursor& cursor, ParsedPort& port) {
  port.output = parse_index(cursor, "the number of an output");
  cursor.expect('=', "after the number of the output");
  if (cursor.accept_word("scan")) {
    port.kind = Kind::scan;
    port.inner = cursor.id("the Result that is stacked");
    parse_slices(cursor, port.slices, &port.is_guarded);
    return;
  }
  port.kind = cursor.accept_word("last") ? Kind::last : Kind::result;
  port.inner = cursor.id("a Result, 'scan' or 'last'");
}

/// Records connections; connecting the same item twice is an error.
class ConnectionCheck {
 public:
  ConnectionCheck(const Cursor& cursor, std::string_view what, std::size_t count)
      : cursor_(&cursor), what_(what), seen_(count) {}

  void add(std::size_t offset, std::uint32_t index) {
    if (index >= seen_.size()) cursor_->fail(offset, fmt::format("{} {} cannot be connected", what_, index));
    if (seen_[index]) cursor_->fail(offset, fmt::format("{} {} is connected twice", what_, index));
    seen_[index] = true;
  }
  /// Throws Failure (unreadable_ir) if an item is not connected.
  void finish(std::size_t offset) const {
    const auto missing = std::ranges::find(seen_, false);
    if (missing != seen_.end())
      cursor_->fail(offset, fmt::format("{} {} is not connected", what_, missing - seen_.begin()));
  }

 private:
  const Cursor* cursor_;
  std::string_view what_;
  std::vector<bool> seen_;
};

ConnectionCheck outputs_of(const Cursor& cursor, const std::vector<ParsedPort>& ports) {
  const auto has_output = [](const ParsedPort& port) { return port.output.has_value(); };
  return {cursor, "output", static_cast<std::size_t>(std::ranges::count_if(ports, has_output))};
}

}  // namespace

ParsedPort parse_port(Cursor& cursor, std::span<const Value> inputs, const OuterValueParser& outer_value) {
  ParsedPort port;
  port.offset = cursor.offset();
  const auto parameter = [&](Kind kind) {
    port.kind = kind;
    port.inner = cursor.id("a Parameter of the body");
    if (kind != Kind::iteration) port.input = parse_input(cursor, inputs, outer_value);
  };
  if (cursor.accept_word("iteration")) {
    parameter(Kind::iteration);
  } else if (cursor.accept_word("condition")) {
    port.kind = Kind::condition;
    port.inner = cursor.id("a Result of the body");
  } else if (cursor.accept_word("carried")) {
    parameter(Kind::carried);
    cursor.expect(',', "before 'back_edge'");
    cursor.expect_word("back_edge");
    port.back_edge = cursor.id("a Result of the body");
    if (cursor.accept(',')) {
      cursor.expect_word("output");
      port.output = parse_index(cursor, "the number of an output");
      if (cursor.accept(',')) {
        cursor.expect_word("guarded");
        port.is_guarded = true;
      }
    }
  } else if (cursor.accept_word("sliced")) {
    parameter(Kind::sliced);
    parse_slices(cursor, port.slices);
  } else if (cursor.accept_word("invariant")) {
    parameter(Kind::invariant);
  } else if (cursor.accept_word("output")) {
    parse_output(cursor, port);
  } else {
    cursor.fail_expected("a node, a port or '}'");
  }
  return port;
}

std::size_t connect_loop(const Cursor& cursor, std::size_t offset, const std::vector<ParsedPort>& ports,
                         std::size_t inputs, const InnerNodeFinder& find, LoopBody& body) {
  ConnectionCheck outputs = outputs_of(cursor, ports);
  ConnectionCheck mapped(cursor, "input", inputs);
  mapped.add(offset, LoopView::kTripCount);
  mapped.add(offset, LoopView::kCondition);
  const auto input_of = [&](const ParsedPort& port) {
    mapped.add(port.offset, port.input);
    return port.input;
  };
  std::size_t output_count = 0;
  for (const ParsedPort& port : ports) {
    if (port.output) {
      outputs.add(port.offset, *port.output);
      ++output_count;
    }
    switch (port.kind) {
      case Kind::iteration:
        if (body.iteration != nullptr) cursor.fail(port.offset, "the iteration number is connected twice");
        body.iteration = find(port.inner, ops::Parameter);
        break;
      case Kind::condition:
        if (body.condition != nullptr) cursor.fail(port.offset, "the condition is connected twice");
        body.condition = find(port.inner, ops::Result);
        break;
      case Kind::carried:
        body.carried.push_back({input_of(port), find(port.inner, ops::Parameter),
                                find(port.back_edge, ops::Result), port.output, port.is_guarded});
        break;
      case Kind::sliced:
        body.sliced.push_back({port.slices, input_of(port), find(port.inner, ops::Parameter)});
        break;
      case Kind::invariant:
        body.invariants.push_back({input_of(port), find(port.inner, ops::Parameter)});
        break;
      case Kind::scan:
        body.scans.push_back({port.slices, find(port.inner, ops::Result), *port.output, port.is_guarded});
        break;
      case Kind::last:
        body.last_values.push_back({find(port.inner, ops::Result), *port.output});
        break;
      case Kind::result:
        cursor.fail(port.offset, "an output of a Loop is 'scan', 'last' or the output of a carried value");
    }
  }
  if (body.condition == nullptr) cursor.fail(offset, "the Loop has no condition");
  mapped.finish(offset);
  outputs.finish(offset);
  return output_count;
}

std::size_t connect_branch(const Cursor& cursor, const std::vector<ParsedPort>& ports,
                           const InnerNodeFinder& find, Branch& branch) {
  ConnectionCheck outputs = outputs_of(cursor, ports);
  for (const ParsedPort& port : ports) {
    if (port.kind == Kind::invariant) {
      branch.invariants.push_back({port.input, find(port.inner, ops::Parameter)});
    } else if (port.kind == Kind::result) {
      outputs.add(port.offset, *port.output);
      if (branch.results.size() <= *port.output) branch.results.resize(*port.output + 1);
      branch.results[*port.output] = find(port.inner, ops::Result);
    } else {
      cursor.fail(port.offset, "a branch of an If has only ports 'invariant' and 'output'");
    }
  }
  return branch.results.size();
}

}  // namespace onnx2ir::ir
