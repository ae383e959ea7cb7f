#include "backend_xml/layouts.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "backend_xml/xml_values.hpp"

namespace onnx2ir::backend_xml {
namespace {

constexpr std::string_view kTensor = "tensor ";
constexpr std::string_view kInput = "input ";
constexpr std::string_view kOutput = "output ";

std::string key(std::string_view kind, std::string_view name) {
  return std::string(kind).append(name);
}

std::string_view find(const ir::Layouts& layouts, std::string_view kind, std::string_view name) {
  const auto found = layouts.find(key(kind, name));
  return found == layouts.end() ? std::string_view() : found->second;
}

}  // namespace

ir::Layouts layouts_of(pugi::xml_node net) {
  using Port = std::pair<std::string_view, std::string_view>;  // the ids of the layer and of the port
  ir::Layouts layouts;
  std::map<Port, const char*> without_names;
  std::map<std::string_view, const char*> results;  // names by the ids of the layers
  for (const pugi::xml_node layer : net.child("layers")) {
    const std::string_view type = layer.attribute("type").value();
    const std::string_view id = layer.attribute("id").value();
    const char* const name = layer.attribute("name").value();
    if (type == "Result") results.emplace(id, name);
    for (const pugi::xml_node port : layer.child("output").children("port")) {
      const pugi::xml_node information = port.child("rt_info");
      if (!information) continue;
      const pugi::xml_node attribute = information.find_child_by_attribute("attribute", "name", "layout");
      if (!attribute) continue;
      const char* const layout = attribute.attribute("layout").value();
      if (const ir::TensorNames names = parse_names(port.attribute("names").value()); !names.empty()) {
        layouts.emplace(key(kTensor, names.front()), layout);
      } else if (type == "Parameter") {
        layouts.emplace(key(kInput, name), layout);
      } else {
        without_names.emplace(Port(id, port.attribute("id").value()), layout);
      }
    }
  }
  if (without_names.empty()) return layouts;
  for (const pugi::xml_node edge : net.child("edges")) {
    const auto result = results.find(edge.attribute("to-layer").value());
    const auto layout =
        without_names.find(Port(edge.attribute("from-layer").value(), edge.attribute("from-port").value()));
    if (result != results.end() && layout != without_names.end())
      layouts.emplace(key(kOutput, result->second), layout->second);
  }
  return layouts;
}

std::string_view layout_of(const ir::Layouts& layouts, const ir::Node& node, const ir::Output& output) {
  if (layouts.empty()) return {};
  for (const std::string& name : output.names) {
    if (const std::string_view layout = find(layouts, kTensor, name); !layout.empty()) return layout;
  }
  if (!output.names.empty()) return {};
  if (node.is(ops::Parameter)) return find(layouts, kInput, node.name);
  for (const ir::Use& use : output.uses) {
    if (!use.node->is(ops::Result)) continue;
    if (const std::string_view layout = find(layouts, kOutput, use.node->name); !layout.empty())
      return layout;
  }
  return {};
}

}  // namespace onnx2ir::backend_xml
