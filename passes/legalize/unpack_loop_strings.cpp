// Passes strings through the ports of a Loop as three tensors (begins, ends, bytes), because the CPU plugin
// has no strings in Loops (loops_take_no_strings).
#include <array>
#include <vector>

#include "ir/inference.hpp"
#include "ir/shape_tools.hpp"
#include "ir/views/string.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

constexpr auto kString = ir::ElementType::string;

/// The outputs of StringTensorUnpack: begin and end of each string, and the bytes.
using Unpacked = std::array<ir::Value, 3>;
constexpr std::size_t kBytes = 2;

Unpacked unpack(ir::Builder& builder, ir::Value strings) {
  if (const auto packed = ir::match<ir::StringTensorPackView>(strings))
    return {packed->begins(), packed->ends(), packed->bytes()};
  ir::Node& unpacked = builder.node(ops::StringTensorUnpack, {strings}, {}, 3);
  return {unpacked.value(0), unpacked.value(1), unpacked.value(2)};
}

ir::Value pack(ir::Builder& builder, const Unpacked& strings) {
  return builder.op(ops::StringTensorPack, strings);
}

class LoopStrings {
 public:
  explicit LoopStrings(ir::LoopView loop)
      : loop_(loop), inside_(loop.graph()), outside_(ir::builder_beside(loop.node())) {}

  bool run() {
    for (const ir::Invariant& invariant : ports_of_strings(loop_.body().invariants)) capture(invariant);
    for (const ir::Sliced& sliced : ports_of_strings(loop_.body().sliced)) slice(sliced);
    carry(ports_of_strings(loop_.states()));
    for (const ir::Scan& scan : std::vector(loop_.scans())) {
      if (scan.result->input(0).type() == kString) stack(scan);
    }
    if (!modified_) return false;
    ir::infer(loop_.node());
    // StringTensorPack takes ascending positions only, so the strings themselves are transposed.
    for (const Output& output : outputs_) {
      const ir::Value strings = pack(outside_, output.unpacked);
      ir::replace_all_uses(output.strings, ir::move_axis(outside_, strings, 0, output.axis));
    }
    loop_.remove_unused_outputs();
    loop_.remove_states([](const ir::Carried& state) { return state.parameter->output(0).type == kString; });
    ir::remove_unused_captures(loop_.node());
    return true;
  }

 private:
  /// An output of strings, and what replaces it: `axis` is where the axis 0 of `unpacked` belongs.
  struct Output {
    ir::Value strings;
    Unpacked unpacked;
    std::int64_t axis = 0;
  };

  template <typename Port>
  static std::vector<Port> ports_of_strings(const std::vector<Port>& ports) {
    std::vector<Port> found;
    for (const Port& port : ports) {
      if (port.parameter->output(0).type == kString) found.push_back(port);
    }
    return found;
  }

  /// Replaces `parameter` in the body by strings that the body packs itself.
  void read(ir::Node& parameter, const Unpacked& strings) {
    ir::replace_all_uses(parameter.value(), pack(inside_, strings));
    modified_ = true;
  }

  void capture(const ir::Invariant& invariant) {
    const Unpacked outer = unpack(outside_, loop_.outer(invariant));
    inside_.set_name(invariant.parameter->name);
    Unpacked inner;
    for (std::size_t i = 0; i < inner.size(); ++i)
      inner[i] = ir::add_invariant(loop_.node(), loop_.body(), outer[i]);
    read(*invariant.parameter, inner);
  }

  void slice(const ir::Sliced& sliced) {
    const Unpacked outer = unpack(outside_, loop_.outer(sliced));
    inside_.set_name(sliced.parameter->name);
    Unpacked inner;
    for (std::size_t i = 0; i < kBytes; ++i) {
      inner[i] = inside_.parameter(outer[i].type(), sliced.parameter->output(0).shape);
      loop_.add_sliced(outer[i], *inner[i].node, sliced);
    }
    inner[kBytes] = ir::add_invariant(loop_.node(), loop_.body(), outer[kBytes]);
    read(*sliced.parameter, inner);
  }

  void carry(const std::vector<ir::Carried>& states) {
    std::vector<Unpacked> initial;
    std::vector<Unpacked> present;
    for (const ir::Carried& state : states) {
      const Unpacked& outer = initial.emplace_back(unpack(outside_, loop_.outer(state)));
      Unpacked& inner = present.emplace_back();
      inside_.set_name(state.parameter->name);
      for (std::size_t i = 0; i < inner.size(); ++i) {
        const ir::Value shaped = i == kBytes ? outer[i] : state.parameter->value();
        inner[i] = inside_.parameter(outer[i].type(), shaped.shape());
      }
      read(*state.parameter, inner);
    }
    for (std::size_t s = 0; s < states.size(); ++s) {
      inside_.set_name(states[s].result->name);
      const Unpacked next = unpack(inside_, states[s].result->input(0));
      Unpacked final;
      for (std::size_t i = 0; i < next.size(); ++i) {
        ir::Carried& added = loop_.add_state(initial[s][i], *present[s][i].node, inside_.result(next[i]));
        if (states[s].output) final[i] = loop_.add_output(added);
      }
      if (states[s].output) outputs_.push_back({loop_.output(states[s]), final});
    }
  }

  /// The bytes of all rows are a state. The positions of a row begin at the end of the bytes of the previous
  /// rows.
  void stack(const ir::Scan& scan) {
    inside_.set_name(scan.result->name);
    const Unpacked row = unpack(inside_, scan.result->input(0));
    const ir::Value none = ir::emit_empty_constant(outside_, ir::ElementType::u8, {0});
    const ir::Value before = inside_.parameter(ir::ElementType::u8, ir::PartialShape{ir::Dimension()});
    const ir::Value begin = ir::convert(inside_, ir::size_of(inside_, before, 0), ir::ElementType::i32);
    Unpacked rows;
    for (std::size_t i = 0; i < kBytes; ++i) {
      ir::Value moved = inside_.op(ops::Add, {row[i], begin});
      if (scan.axis != 0) moved = ir::unsqueeze(inside_, ir::squeeze(inside_, moved, {scan.axis}), {0});
      ir::Node& result = inside_.result(moved);
      rows[i] = loop_.output(loop_.add_scan(result, 0));
    }
    ir::Node& after = inside_.result(ir::concat(inside_, {before, row[kBytes]}));
    rows[kBytes] = loop_.add_output(loop_.add_state(none, *before.node, after));
    outputs_.push_back({loop_.output(scan), rows, scan.axis});
    modified_ = true;
  }

  ir::LoopView loop_;
  ir::Builder inside_;
  ir::Builder outside_;
  std::vector<Output> outputs_;
  bool modified_ = false;
};

}  // namespace

bool unpack_loop_strings(ir::Model& model, PassContext&) {
  return edit_each(loops_of(model), [](ir::LoopView loop) { return LoopStrings(loop).run(); });
}

}  // namespace onnx2ir::passes
