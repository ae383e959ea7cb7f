#include "backend_xml/xml_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>

#include "ir/name_table.hpp"
#include "ir/op_descriptor.hpp"

namespace onnx2ir::backend_xml {
namespace {

std::string_view escape_of(char letter) {
  switch (letter) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\t':
      return "&#9;";
    case '\n':
      return "&#10;";
    case '\r':
      return "&#13;";
    default:
      return " ";
  }
}

/// Letters that cannot stand for themselves in the value of an attribute.
constexpr auto kSpecial = [] {
  std::array<bool, 256> special{};
  for (std::size_t control = 0; control < 0x20; ++control) special[control] = true;
  for (const unsigned char letter : {'&', '<', '>', '"'}) special[letter] = true;
  return special;
}();

/// Text on its way to the sink; hands it over in large pieces.
class Text {
 public:
  explicit Text(const TextSink& sink) : sink_(&sink) {}

  Text& operator<<(std::string_view text) {
    while (text.size() > kPiece - used_) {
      const std::string_view part = text.substr(0, kPiece - used_);
      put(part.data(), part.size());
      flush();
      text.remove_prefix(part.size());
    }
    put(text.data(), text.size());
    return *this;
  }
  /// Most of the text are literals: their length is known to the compiler, which copies them in place.
  template <std::size_t kSize>
  Text& operator<<(const char (&literal)[kSize]) {
    if (kSize > kPiece - used_) flush();
    put(literal, kSize - 1);
    return *this;
  }
  Text& operator<<(std::int64_t number) {
    constexpr std::size_t kMostDigits = 24;
    if (kMostDigits > kPiece - used_) flush();
    char* const at = buffer_.get() + used_;
    if (number >= 0 && number < 10) {  // most are ids of ports
      *at = static_cast<char>('0' + number);
      ++used_;
      return *this;
    }
    used_ += static_cast<std::size_t>(std::to_chars(at, at + kMostDigits, number).ptr - at);
    return *this;
  }
  /// As the value of an attribute. Other control characters cannot be written in XML 1.0 and become spaces.
  void escaped(std::string_view text) {
    const auto is_special = [](char letter) { return kSpecial[static_cast<unsigned char>(letter)]; };
    while (!text.empty()) {
      const auto* const special = std::ranges::find_if(text, is_special);
      const auto plain = static_cast<std::size_t>(special - text.begin());
      *this << text.substr(0, plain);
      if (special == text.end()) return;
      *this << escape_of(*special);
      text.remove_prefix(plain + 1);
    }
  }
  void flush() {
    if (!stopped_ && used_ != 0) stopped_ = !(*sink_)({buffer_.get(), used_});
    used_ = 0;
  }
  bool stopped() const { return stopped_; }

 private:
  void put(const char* text, std::size_t size) {
    std::memcpy(buffer_.get() + used_, text, size);
    used_ += size;
  }

  static constexpr std::size_t kPiece = std::size_t{1} << 16U;
  const TextSink* sink_;
  std::unique_ptr<char[]> buffer_{new char[kPiece]};
  std::size_t used_ = 0;
  bool stopped_ = false;
};

/// Gives each layer of a graph a name of its own: the node's, or one made of its type; numbered when taken.
class LayerNames {
 public:
  explicit LayerNames(std::size_t count) { uses_.reserve(count); }

  void prefetch(const ir::Node& node) const {
    if (uses_.is_large()) uses_.prefetch(wanted_name(node));
  }

  /// Valid as long as the node and this object.
  std::string_view unique(const ir::Node& node) {
    const std::string_view wanted = wanted_name(node);
    std::int64_t number = ++uses_.find_or_add(wanted, 0);
    if (number == 1 && !node.name.empty()) return wanted;
    // "Add_2" may be a node's own name; count on until the name is free.
    while (true) {
      std::string& numbered = made_.emplace_back(wanted) += '_';
      numbered += std::to_string(number);
      if (uses_.add(numbered, 1)) return numbered;
      made_.pop_back();
      number = ++uses_.find_or_add(wanted, 0);
    }
  }

 private:
  static std::string_view wanted_name(const ir::Node& node) {
    return node.name.empty() ? node.op().name : std::string_view(node.name);
  }

  ir::NameTable<std::int64_t> uses_;
  std::deque<std::string> made_;
};

class Writer {
 public:
  Writer(const WeightsLayout& weights, Text& text) : weights_(&weights), text_(&text) {}

  void graph(const ir::Graph& graph) {
    LayerNames names(graph.nodes().size());
    *text_ << "<layers>\n";
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
      if (text_->stopped()) return;
      const std::size_t later = i + ir::kNodesToPrefetch;
      if (later < graph.nodes().size()) names.prefetch(*graph.nodes()[later]);
      graph.nodes()[i]->scratch = static_cast<std::int64_t>(i);
      layer(*graph.nodes()[i], names.unique(*graph.nodes()[i]));
    }
    *text_ << "</layers>\n<edges>\n";
    for (const auto& node : graph.nodes()) edges(*node);
    *text_ << "</edges>\n";
  }

 private:
  void attribute(std::string_view name, std::string_view value) {
    *text_ << " " << name << "=\"";
    text_->escaped(value);
    *text_ << "\"";
  }
  void attribute(std::string_view name, std::int64_t value) {
    *text_ << " " << name << "=\"" << value << "\"";
  }

  void layer(const ir::Node& node, std::string_view name) {
    *text_ << "<layer id=\"" << node.scratch << "\"";
    attribute("name", name);
    *text_ << " type=\"" << node.op().name << "\" version=\"" << node.op().opset << "\">\n";
    data(node);
    if (node.is_decompression) {
      *text_ << "<rt_info>\n<attribute name=\"decompression\" version=\"0\"/>\n</rt_info>\n";
    }
    ports(node);
    if (const ir::LoopBody* loop = node.loop()) loop_body(node, *loop);
    if (const ir::IfBranches* branches = node.branches()) if_branches(node, *branches);
    *text_ << "</layer>\n";
  }

  void data(const ir::Node& node) {
    if (node.constant() != nullptr) return constant(node);
    if (node.is("Parameter")) return parameter(node.output(0));
    if (node.attributes().empty()) return;
    *text_ << "<data";
    for (const ir::Attribute& value : node.attributes()) attribute(value.name, ir::to_string(value.value));
    *text_ << "/>\n";
  }

  void constant(const ir::Node& node) {
    *text_ << "<data element_type=\"" << ir::info(node.output(0).type).name << "\" shape=\"";
    shape(node.output(0).shape);
    *text_ << "\"";
    attribute("offset", static_cast<std::int64_t>(weights_->offsets.at(constants_++)));
    attribute("size", static_cast<std::int64_t>(node.constant()->written_size()));
    *text_ << "/>\n";
  }

  void parameter(const ir::Output& output) {
    *text_ << "<data shape=\"";
    shape(output.shape);
    *text_ << "\" element_type=\"" << ir::info(output.type).name << "\"/>\n";
  }

  /// As attributes have it: "1,?,3..7", "..." for an unknown rank.
  void shape(const ir::PartialShape& shape) {
    if (!shape.has_rank()) *text_ << "...";
    for (std::size_t axis = 0; shape.has_rank() && axis < shape.rank(); ++axis) {
      if (axis != 0) *text_ << ",";
      if (shape[axis].is_static()) {
        *text_ << shape[axis].min;
      } else {
        *text_ << ir::to_string(shape[axis]);
      }
    }
  }

  void port(std::int64_t id, ir::ElementType type, const ir::PartialShape& shape,
            std::span<const std::string> names) {
    *text_ << "<port id=\"" << id << "\"";
    const PortText& text = port_text(type, shape);
    if (names.empty()) {
      *text_ << text.all;
      return;
    }
    *text_ << text.precision() << " names=\"";
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i != 0) *text_ << ",";
      tensor_name(names[i]);
    }
    *text_ << "\"" << text.dimensions();
  }

  /// Names are separated by commas; one inside a name has a backslash in front.
  void tensor_name(std::string_view name) {
    for (std::size_t comma = name.find(','); comma != std::string_view::npos; comma = name.find(',')) {
      text_->escaped(name.substr(0, comma));
      *text_ << "\\,";
      name.remove_prefix(comma + 1);
    }
    text_->escaped(name);
  }

  /// What follows the id of a port and its names: the same for most ports of a model.
  struct PortText {
    ir::ElementType type = ir::ElementType::dynamic;
    ir::PartialShape shape;
    std::string all;  ///< empty: not made yet
    std::size_t precision_size = 0;

    std::string_view precision() const { return std::string_view(all).substr(0, precision_size); }
    std::string_view dimensions() const { return std::string_view(all).substr(precision_size); }
  };

  const PortText& port_text(ir::ElementType type, const ir::PartialShape& shape) {
    const std::size_t rank = shape.has_rank() ? shape.rank() : 7;
    const auto last = shape.rank() == 0 ? 0 : static_cast<std::size_t>(shape[shape.rank() - 1].min);
    PortText& kept = port_texts_[(static_cast<std::size_t>(type) * 5 + rank * 3 + last) % kPortTexts];
    if (!kept.all.empty() && kept.type == type && kept.shape == shape) return kept;
    kept.type = type;
    kept.shape = shape;
    kept.all = " precision=\"";
    kept.all += ir::info(type).precision;
    kept.all += '"';
    kept.precision_size = kept.all.size();
    if (shape.is_scalar()) {
      kept.all += "/>\n";
      return kept;
    }
    kept.all += shape.has_rank() ? ">" : "><rank/>";
    for (const ir::Dimension& dimension : shape) {
      kept.all += "<dim>" + std::to_string(dimension.size()) + "</dim>";
    }
    kept.all += "</port>\n";
    return kept;
  }

  void ports(const ir::Node& node) {
    std::int64_t id = 0;
    if (!node.inputs().empty()) {
      *text_ << "<input>\n";
      for (const ir::Value& input : node.inputs()) port(id++, input.type(), input.shape(), {});
      *text_ << "</input>\n";
    }
    if (node.outputs().empty() || node.is("Result")) return;
    *text_ << "<output>\n";
    for (const ir::Output& output : node.outputs()) port(id++, output.type, output.shape, output.names);
    *text_ << "</output>\n";
  }

  void edges(const ir::Node& node) {
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
      const ir::Value from = node.input(i);
      const auto port = static_cast<std::int64_t>(from.node->inputs().size() + from.index);
      *text_ << "<edge from-layer=\"" << from.node->scratch << "\" from-port=\"" << port << "\" to-layer=\""
             << node.scratch << "\" to-port=\"" << static_cast<std::int64_t>(i) << "\"/>\n";
    }
  }

  void mapped_input(std::int64_t external, const ir::Node& parameter) {
    *text_ << "<input external_port_id=\"" << external << "\" internal_layer_id=\"" << parameter.scratch
           << "\"";
  }
  void mapped_output(std::int64_t external, const ir::Node& result) {
    *text_ << "<output external_port_id=\"" << external << "\" internal_layer_id=\"" << result.scratch
           << "\"";
  }
  template <typename Slices>
  void slices(const Slices& slices) {
    attribute("axis", slices.axis);
    attribute("start", slices.start);
    attribute("end", slices.end);
    attribute("stride", slices.stride);
    attribute("part_size", slices.part_size);
  }

  void loop_body(const ir::Node& node, const ir::LoopBody& loop) {
    // The body first: its layers get their ids while it is written, and the maps below refer to them. The
    // reader does not care for the order.
    body("body", *loop.graph);
    const auto output_id = [&](std::uint32_t output) {
      return static_cast<std::int64_t>(node.inputs().size() + output);
    };
    *text_ << "<port_map>\n";
    for (const ir::Carried& state : loop.carried) {
      mapped_input(state.input, *state.parameter);
      *text_ << "/>\n";
    }
    for (const ir::Sliced& sliced : loop.sliced) {
      mapped_input(sliced.input, *sliced.parameter);
      slices(sliced);
      *text_ << "/>\n";
    }
    for (const ir::Invariant& invariant : loop.invariants) {
      mapped_input(invariant.input, *invariant.parameter);
      *text_ << "/>\n";
    }
    if (loop.iteration != nullptr) {
      mapped_input(-1, *loop.iteration);
      *text_ << " purpose=\"current_iteration\"/>\n";
    }
    for (const ir::Carried& state : loop.carried) {
      if (!state.output) continue;
      mapped_output(output_id(*state.output), *state.result);
      *text_ << "/>\n";
    }
    for (const ir::Scan& scan : loop.scans) {
      mapped_output(output_id(scan.output), *scan.result);
      slices(scan);
      *text_ << "/>\n";
    }
    for (const ir::LastValue& last : loop.last_values) {
      mapped_output(output_id(last.output), *last.result);
      *text_ << "/>\n";
    }
    mapped_output(-1, *loop.condition);
    *text_ << " purpose=\"execution_condition\"/>\n</port_map>\n<back_edges>\n";
    for (const ir::Carried& state : loop.carried) {
      *text_ << "<edge from-layer=\"" << state.result->scratch << "\" to-layer=\"" << state.parameter->scratch
             << "\"/>\n";
    }
    *text_ << "</back_edges>\n";
  }

  void branch(const ir::Node& node, std::string_view prefix, const ir::Branch& branch) {
    body(std::string(prefix) + "_body", *branch.graph);
    *text_ << "<" << prefix << "_port_map>\n";
    for (const ir::Invariant& invariant : branch.invariants) {
      mapped_input(invariant.input, *invariant.parameter);
      *text_ << "/>\n";
    }
    for (std::size_t i = 0; i < branch.results.size(); ++i) {
      mapped_output(static_cast<std::int64_t>(node.inputs().size() + i), *branch.results[i]);
      *text_ << "/>\n";
    }
    *text_ << "</" << prefix << "_port_map>\n";
  }

  void if_branches(const ir::Node& node, const ir::IfBranches& branches) {
    branch(node, "then", branches.then_branch);
    branch(node, "else", branches.else_branch);
  }

  void body(std::string_view element, const ir::Graph& inner) {
    *text_ << "<" << element << ">\n";
    graph(inner);
    *text_ << "</" << element << ">\n";
  }

  const WeightsLayout* weights_;
  Text* text_;
  std::size_t constants_ = 0;  ///< written so far
  static constexpr std::size_t kPortTexts = 32;
  std::array<PortText, kPortTexts> port_texts_;
};

}  // namespace

bool write_xml(const ir::Model& model, const WeightsLayout& weights, const TextSink& sink) {
  Text text(sink);
  text << "<?xml version=\"1.0\"?>\n<net name=\"";
  text.escaped(model.name);
  text << "\" version=\"11\">\n";
  Writer(weights, text).graph(model.graph);
  text << "<rt_info/>\n</net>\n";
  text.flush();
  return !text.stopped();
}

}  // namespace onnx2ir::backend_xml
