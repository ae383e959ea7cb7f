#include "backend_xml/xml_writer.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <forward_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "backend_xml/layouts.hpp"
#include "base/name_table.hpp"
#include "ir/body_ports.hpp"
#include "ir/extension.hpp"
#include "ir/op_descriptor.hpp"

namespace onnx2ir::backend_xml {
namespace {

/// Assigns unique layer names in a graph: the node's name, or its type; with a number if that is taken.
class LayerNames {
 public:
  explicit LayerNames(std::size_t count) { uses_.reserve(count); }

  void prefetch(const ir::Node& node) const {
    if (uses_.is_large()) uses_.prefetch(preferred_name(node));
  }

  /// The result is valid as long as the node and this object.
  std::string_view unique(const ir::Node& node) {
    const std::string_view preferred = preferred_name(node);
    std::int64_t number = ++uses_.find_or_add(preferred, 0);
    if (number == 1 && !node.name.empty()) return preferred;
    // "Add_2" may be the name of another node: increment until the name is free.
    while (true) {
      std::string& numbered = made_.emplace_front(preferred) += '_';
      numbered += std::to_string(number);
      if (uses_.add(numbered, 1)) return numbered;
      made_.pop_front();
      number = ++uses_.find_or_add(preferred, 0);
    }
  }

 private:
  static std::string_view preferred_name(const ir::Node& node) {
    return node.name.empty() ? node.op().name : std::string_view(node.name);
  }

  base::NameTable<std::int64_t> uses_;
  std::forward_list<std::string> made_;
};

class Writer {
 public:
  Writer(const ir::Model& model, const WeightsLayout& weights, XmlText& text)
      : layouts_(&model.layouts), weights_(&weights), text_(&text) {}

  void graph(const ir::Graph& graph) {
    LayerNames names(graph.nodes().size());
    text_->write("<layers>\n");
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
      if (text_->stopped()) return;
      const std::size_t later = i + base::kNodesToPrefetch;
      if (later < graph.nodes().size()) names.prefetch(*graph.nodes()[later]);
      graph.nodes()[i]->scratch = static_cast<std::int64_t>(i);
      layer(*graph.nodes()[i], names.unique(*graph.nodes()[i]));
    }
    text_->write("</layers>\n<edges>\n");
    for (const auto& node : graph.nodes()) edges(*node);
    text_->write("</edges>\n");
  }

 private:
  void attribute(std::string_view name, std::string_view value) {
    text_->write(" ", name, "=\"");
    text_->write_escaped(value);
    text_->write("\"");
  }
  void attribute(std::string_view name, std::int64_t value) { text_->write(" ", name, "=\"", value, "\""); }

  void layer(const ir::Node& node, std::string_view name) {
    text_->write("<layer id=\"", node.scratch, "\"");
    attribute("name", name);
    attribute("type", ir::layer_type(node));
    text_->write(" version=\"", ir::layer_version(node), "\"");
    if (node.is(ops::Result) && !node.output(0).names.empty()) {
      text_->write(" output_names=\"");
      tensor_names(node.output(0).names);
      text_->write("\"");
    }
    text_->write(">\n");
    data(node);
    marks(node);
    ports(node);
    for (const ir::ConnectedBody& one : ir::connected_bodies(node)) body(node, one);
    text_->write("</layer>\n");
  }

  void marks(const ir::Node& node) {
    if (node.marks.is_empty()) return;
    text_->write("<rt_info>\n");
    node.marks.for_each([&](ir::Mark mark) {
      text_->write("<attribute name=\"", ir::mark_name(mark), "\" version=\"0\"/>\n");
    });
    text_->write("</rt_info>\n");
  }

  void data(const ir::Node& node) {
    if (node.constant() != nullptr) return constant(node);
    if (node.is(ops::Parameter)) return parameter(node.output(0));
    bool has_data = false;
    ir::visit_layer_attributes(node, [&](std::string_view name, std::string_view value) {
      if (!has_data) text_->write("<data");
      has_data = true;
      attribute(name, value);
    });
    if (has_data) text_->write("/>\n");
  }

  void constant(const ir::Node& node) {
    text_->write("<data element_type=\"", ir::info(node.output(0).type).name, "\" shape=\"");
    shape(node.output(0).shape);
    text_->write("\"");
    attribute("offset", static_cast<std::int64_t>(weights_->offsets.at(constants_++)));
    attribute("size", static_cast<std::int64_t>(node.constant()->written_size()));
    text_->write("/>\n");
  }

  void parameter(const ir::Output& output) {
    text_->write("<data shape=\"");
    shape(output.shape);
    text_->write("\" element_type=\"", ir::info(output.type).name, "\"/>\n");
  }

  /// A shape in an attribute: "1,?,3..7", or "..." for a dynamic rank.
  void shape(const ir::PartialShape& shape) {
    if (!shape.has_rank()) text_->write("...");
    for (std::size_t axis = 0; shape.has_rank() && axis < shape.rank(); ++axis) {
      if (axis != 0) text_->write(",");
      if (shape[axis].is_static()) {
        text_->write(shape[axis].min);
      } else {
        text_->write(ir::to_string(shape[axis]));
      }
    }
  }

  void port(std::int64_t id, ir::ElementType type, const ir::PartialShape& shape,
            std::span<const std::string> names = {}, std::string_view layout = {}) {
    text_->write("<port id=\"", id, "\"");
    const PortText& text = port_text(type, shape);
    if (!layout.empty()) return port_with_layout(text, names, layout);
    if (names.empty()) {
      text_->write(text.all);
      return;
    }
    text_->write(text.precision(), " names=\"");
    tensor_names(names);
    text_->write("\"", text.dimensions());
  }

  void tensor_names(std::span<const std::string> names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i != 0) text_->write(",");
      tensor_name(names[i]);
    }
  }

  /// Names are separated by commas; a comma in a name is escaped with a backslash.
  void tensor_name(std::string_view name) {
    for (std::size_t comma = name.find(','); comma != std::string_view::npos; comma = name.find(',')) {
      text_->write_escaped(name.substr(0, comma));
      text_->write("\\,");
      name.remove_prefix(comma + 1);
    }
    text_->write_escaped(name);
  }

  /// The text after the id of a port and its names, which is the same for most ports of a model.
  struct PortText {
    ir::ElementType type = ir::ElementType::dynamic;
    ir::PartialShape shape;
    std::string all;  ///< empty: not made yet
    std::size_t precision_size = 0;

    std::string_view precision() const { return std::string_view(all).substr(0, precision_size); }
    std::string_view dimensions() const { return std::string_view(all).substr(precision_size); }
  };

  /// Writes what follows the id of a port with a layout.
  void port_with_layout(const PortText& text, std::span<const std::string> names, std::string_view layout) {
    constexpr std::string_view kScalarEnd = "/>\n";
    constexpr std::string_view kEnd = "</port>\n";
    const std::string_view dimensions = text.dimensions();
    text_->write(text.precision());
    if (!names.empty()) {
      text_->write(" names=\"");
      tensor_names(names);
      text_->write("\"");
    }
    if (dimensions == kScalarEnd) {
      text_->write(">");
    } else {
      text_->write(dimensions.substr(0, dimensions.size() - kEnd.size()));
    }
    text_->write("<rt_info>\n<attribute name=\"layout\" version=\"0\"");
    attribute("layout", layout);
    text_->write("/>\n</rt_info>\n", kEnd);
  }

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
      text_->write("<input>\n");
      for (const ir::Value& input : node.inputs()) port(id++, input.type(), input.shape());
      text_->write("</input>\n");
    }
    if (node.outputs().empty() || node.is(ops::Result)) return;
    text_->write("<output>\n");
    for (const ir::Output& output : node.outputs()) {
      const auto layout = layouts_ == nullptr ? std::string_view() : layout_of(*layouts_, node, output);
      port(id++, output.type, output.shape, output.names, layout);
    }
    text_->write("</output>\n");
  }

  void edges(const ir::Node& node) {
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
      const ir::Value from = node.input(i);
      const auto port = static_cast<std::int64_t>(from.node->inputs().size() + from.index);
      assert(from.node->scratch < node.scratch);
      text_->write("<edge from-layer=\"", from.node->scratch, "\" from-port=\"", port, "\" to-layer=\"",
                   node.scratch, "\" to-port=\"", static_cast<std::int64_t>(i), "\"/>\n");
    }
  }

  /// `outer`: the id of the port of the node; no value if the purpose of the port gives its meaning.
  void mapped(std::string_view element, std::optional<std::int64_t> outer, const ir::Node& inner,
              const ir::Port& port) {
    text_->write("<", element, " external_port_id=\"", outer.value_or(-1), "\" internal_layer_id=\"",
                 inner.scratch, "\"");
    if (const ir::Slices* const slices = port.slices) {
      attribute("axis", slices->axis);
      attribute("start", slices->start);
      attribute("end", slices->end);
      attribute("stride", slices->stride);
      attribute("part_size", slices->part_size);
    }
    if (!outer) attribute("purpose", port.parameter != nullptr ? "current_iteration" : "execution_condition");
    text_->write("/>\n");
  }

  void body(const ir::Node& node, const ir::ConnectedBody& body) {
    // Write the graph first: that assigns the ids of its layers, to which the maps below refer. OpenVINO
    // accepts any order.
    const std::string prefix = body.is_branch() ? std::string(body.name) + '_' : std::string();
    text_->write("<", prefix, "body>\n");
    // Layouts belong to the outer graph.
    const auto* const outer_layouts = std::exchange(layouts_, nullptr);
    graph(*body.graph);
    layouts_ = outer_layouts;
    text_->write("</", prefix, "body>\n<", prefix, "port_map>\n");
    for (const ir::Port& port : body.ports) {
      if (port.has_parameter()) mapped("input", port.input, *port.parameter, port);
    }
    for (const ir::Port& port : body.ports) {
      if (port.output) {
        const auto outer = static_cast<std::int64_t>(node.inputs().size() + *port.output);
        mapped("output", outer, *port.result, port);
      } else if (port.kind == ir::Port::Kind::condition) {
        mapped("output", std::nullopt, *port.result, port);
      }
    }
    text_->write("</", prefix, "port_map>\n");
    if (body.is_branch()) return;
    text_->write("<back_edges>\n");
    for (const ir::Port& port : body.ports) {
      if (port.kind == ir::Port::Kind::state)
        text_->write("<edge from-layer=\"", port.result->scratch, "\" to-layer=\"", port.parameter->scratch,
                     "\"/>\n");
    }
    text_->write("</back_edges>\n");
  }

  const ir::Layouts* layouts_;  ///< null in bodies
  const WeightsLayout* weights_;
  XmlText* text_;
  std::size_t constants_ = 0;  ///< written so far
  static constexpr std::size_t kPortTexts = 32;
  std::array<PortText, kPortTexts> port_texts_;
};

/// Information about the whole model. Programs read it with get_rt_info(["onnx2ir", "version"]).
void runtime_info(const ir::Model& model, const WeightsLayout& weights, std::string_view digest,
                  XmlText& text) {
  const auto write_values = [&](const std::vector<std::pair<std::string, std::string>>& values) {
    for (const auto& [name, value] : values) {
      text.write("<", std::string_view(name), " value=\"");
      text.write_escaped(value);
      text.write("\"/>\n");
    }
  };
  text.write("<rt_info>\n");
  if (!model.runtime_options.empty()) {
    text.write("<runtime_options>\n");
    write_values(model.runtime_options);
    text.write("</runtime_options>\n");
  }
  text.write(std::string_view(model.other_information), "<onnx2ir>\n");
  write_values(model.provenance);
  text.write("<weights_size value=\"", static_cast<std::int64_t>(weights.size),
             "\"/>\n<weights_digest value=\"", digest, "\"/>\n</onnx2ir>\n</rt_info>\n");
}

}  // namespace

bool write_xml(const ir::Model& model, const WeightsLayout& weights, std::string_view digest,
               const TextSink& sink) {
  XmlText text(sink);
  text.write("<?xml version=\"1.0\"?>\n<net name=\"");
  text.write_escaped(model.name);
  text.write("\" version=\"11\">\n");
  Writer(model, weights, text).graph(model.graph);
  runtime_info(model, weights, digest, text);
  text.write("</net>\n");
  text.flush();
  return !text.stopped();
}

std::string xml_text(const ir::Model& model, const WeightsLayout& weights, std::string_view digest) {
  std::string text;
  write_xml(model, weights, digest, [&](std::string_view piece) {
    text += piece;
    return true;
  });
  return text;
}

}  // namespace onnx2ir::backend_xml
