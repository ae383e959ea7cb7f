#include "frontend/reader/interface_change.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/failure.hpp"
#include "base/nearest_name.hpp"
#include "frontend/reader/bodies.hpp"
#include "frontend/reader/frozen_value.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/place.hpp"
#include "frontend/reader/tensor_types.hpp"

namespace onnx2ir::frontend {
namespace {

using Names = std::unordered_set<std::string>;

/// Removes the elements of `list` for which `is_removed` holds; the others keep their order.
template <typename List, typename Predicate>
void remove_if(List& list, Predicate is_removed) {
  list.erase(std::remove_if(list.begin(), list.end(), is_removed), list.end());
}

/// The tensors of `graph` that its outputs depend on.
Names needed_tensors(const onnx::GraphProto& graph) {
  std::unordered_map<std::string_view, const onnx::NodeProto*> producers;
  for (const auto& node : graph.node()) {
    for (const auto& output : node.output()) producers.emplace(output, &node);
  }
  Names needed;
  std::vector<std::string> open;
  const auto need = [&](std::string_view name) {
    if (!name.empty() && needed.emplace(name).second) open.emplace_back(name);
  };
  for (const auto& output : graph.output()) need(output.name());
  while (!open.empty()) {
    const auto producer = producers.find(open.back());
    open.pop_back();
    if (producer == producers.end()) continue;
    if (const onnx::NodeProto* const node = std::exchange(producer->second, nullptr))
      for_each_used_name(*node, need);
  }
  return needed;
}

class InterfaceChange {
 public:
  InterfaceChange(onnx::GraphProto& graph, DiagnosticSink& sink) : graph_(graph), sink_(sink) {
    for_each_initializer(graph, [&](const auto& tensor) { initialized_.insert(values_of(tensor).name()); });
  }

  InputOverrides run(const InterfaceSpec& requested) {
    const Names used_before = needed_tensors(graph_);
    if (const auto named = with_names(requested.inputs)) {
      for (const InputSpec& input : *named) change_input(input);
      move_to_front(*named);
    }
    if (!requested.outputs.empty()) set_outputs(requested.outputs);
    if (!sink_.has_errors() && (is_cut_ || has_other_outputs_)) remove_unused(used_before);
    if (has_new_ranks_) graph_.clear_value_info();
    return std::move(overrides_);
  }

 private:
  void fail(std::string message, std::string note = {}, std::string hint = {}) {
    Diagnostic diagnostic = base::diagnostic_of(
        {DiagnosticCode::bad_interface, std::move(message), std::move(hint)}, graph_place(kMainGraphPath));
    if (!note.empty()) diagnostic.notes.push_back(std::move(note));
    sink_.report(std::move(diagnostic));
  }

  /// The inputs that the caller must provide, in the model's order.
  std::vector<std::string> fed_inputs() const {
    std::vector<std::string> names;
    for (const auto& input : graph_.input()) {
      if (!initialized_.contains(input.name())) names.push_back(input.name());
    }
    return names;
  }

  std::vector<std::string> all_tensors() const {
    std::vector<std::string> names = fed_inputs();
    for (const auto& output : graph_.output()) names.push_back(output.name());
    for (const auto& node : graph_.node())
      names.insert(names.end(), node.output().begin(), node.output().end());
    return names;
  }

  void fail_unknown(std::string_view name, std::string_view list, const std::vector<std::string>& names) {
    constexpr std::size_t kMaxShown = 20;
    const auto shown = std::span(names).first(std::min(names.size(), kMaxShown));
    const auto node = std::ranges::find_if(graph_.node(), [&](const onnx::NodeProto& one) {
      return one.name() == name && one.output_size() > 0;
    });
    if (node != graph_.node().end()) {
      fail(fmt::format("The model has no tensor '{}' in its main graph, but a node of that name", name),
           fmt::format("the outputs of the node: {}", fmt::join(node->output(), ", ")),
           fmt::format("name the output of the node: '{}'", node->output(0)));
      return;
    }
    fail(fmt::format("The model has no tensor '{}' in its main graph", name),
         fmt::format("the model's {}: {}{}", list, fmt::join(shown, ", "),
                     names.size() > kMaxShown ? fmt::format(" and {} more", names.size() - kMaxShown) : ""),
         base::suggestion(name, all_tensors()));
  }

  /// Fills in missing names in `inputs`, in the order of the model's inputs.
  std::optional<std::vector<InputSpec>> with_names(std::vector<InputSpec> inputs) {
    const auto unnamed = static_cast<std::size_t>(
        std::ranges::count_if(inputs, [](const InputSpec& input) { return input.name.empty(); }));
    if (unnamed != 0 && unnamed != inputs.size()) {
      fail("Some of the requested inputs have a name and some do not", {}, "name all of them or none");
      return std::nullopt;
    }
    if (unnamed != 0) {
      const std::vector<std::string> names = fed_inputs();
      if (inputs.size() > names.size()) {
        fail(fmt::format("{} inputs are given, but the model has {}", inputs.size(), names.size()));
        return std::nullopt;
      }
      for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].name = names[i];
    }
    std::set<std::string_view> seen;
    for (const InputSpec& input : inputs) {
      if (seen.insert(input.name).second) continue;
      fail(fmt::format("The input '{}' is given twice", input.name));
      return std::nullopt;
    }
    return inputs;
  }

  onnx::ValueInfoProto* find_input(std::string_view name) {
    auto& inputs = *graph_.mutable_input();
    const auto found = std::ranges::find(inputs, name, &onnx::ValueInfoProto::name);
    return found == inputs.end() ? nullptr : &*found;
  }

  const onnx::TypeProto* declared_type(std::string_view name) const {
    for (const auto* const list : {&graph_.value_info(), &graph_.output()}) {
      for (const auto& value : *list) {
        if (value.name() == name && value.has_type()) return &value.type();
      }
    }
    return nullptr;
  }

  /// Renames the output of a node to an unused name. Returns false if `name` is not the output of a node.
  bool rename_to_unused(const std::string& name) {
    for (auto& node : *graph_.mutable_node()) {
      for (auto& output : *node.mutable_output()) {
        if (output != name) continue;
        output = name + "/cut";
        while (declared_type(output) != nullptr || initialized_.contains(output)) output += '_';
        is_cut_ = true;
        return true;
      }
    }
    return false;
  }

  /// Removes the initializer `name` and stores its type in `type`. Returns whether there was one.
  bool remove_initializer(const std::string& name, onnx::TypeProto& type) {
    for_each_initializer(graph_, [&](const auto& tensor) {
      if (values_of(tensor).name() != name) return;
      type.mutable_tensor_type()->set_elem_type(values_of(tensor).data_type());
      auto& shape = *type.mutable_tensor_type()->mutable_shape();
      for (const std::int64_t size : tensor.dims()) shape.add_dim()->set_dim_value(size);
    });
    remove_initializers([&](const std::string& other) { return other == name; });
    return initialized_.erase(name) != 0;
  }

  /// Removes the initializers with names for which `is_removed` holds.
  template <typename Predicate>
  void remove_initializers(Predicate is_removed) {
    const auto has_name = [&](const auto& tensor) { return is_removed(values_of(tensor).name()); };
    remove_if(*graph_.mutable_initializer(), has_name);
    remove_if(*graph_.mutable_sparse_initializer(), has_name);
  }

  /// The model input `name`; another tensor is turned into an input. Null after an error.
  onnx::ValueInfoProto* make_input(const InputSpec& requested) {
    onnx::TypeProto type;
    const bool was_initializer = remove_initializer(requested.name, type);
    if (onnx::ValueInfoProto* const input = find_input(requested.name)) return input;
    if (!was_initializer) {
      if (const onnx::TypeProto* const declared = declared_type(requested.name)) type = *declared;
      if (!rename_to_unused(requested.name)) {
        fail_unknown(requested.name, "inputs", fed_inputs());
        return nullptr;
      }
      if (!type.has_tensor_type() && !set_element_type(requested, type)) return nullptr;
    }
    onnx::ValueInfoProto* const input = graph_.add_input();
    input->set_name(requested.name);
    *input->mutable_type() = std::move(type);
    return input;
  }

  /// Sets the type of a tensor for which the model declares none.
  bool set_element_type(const InputSpec& requested, onnx::TypeProto& type) {
    const auto element = ir::element_type_from_name(requested.element_type);
    if (const auto number = element ? onnx_type_of(*element) : std::nullopt) {
      type.mutable_tensor_type()->set_elem_type(*number);
      return true;
    }
    fail(fmt::format("The model does not declare the type of '{}', which is requested as an input",
                     requested.name),
         {}, fmt::format("give its type and, if it is known, its shape: \"{}[1,3]{{f32}}\"", requested.name));
    return false;
  }

  void change_input(const InputSpec& requested) {
    onnx::ValueInfoProto* const input = make_input(requested);
    if (input == nullptr) return;
    if (!input->type().has_tensor_type()) {
      if (requested.shape || requested.value || !requested.element_type.empty())
        fail(fmt::format("The input '{}' is not a tensor: it cannot have another shape, type or value",
                         requested.name));
      return;
    }
    InputOverride& change = overrides_[requested.name];
    auto& tensor = *input->mutable_type()->mutable_tensor_type();
    if (requested.shape) {
      ir::Dimensions dimensions;
      for (const DimensionBounds& bounds : *requested.shape) dimensions.emplace_back(bounds.min, bounds.max);
      change.shape = ir::PartialShape(std::move(dimensions));
      // A shape of another rank than the declared one is often a mistake.
      if (tensor.has_shape() && std::cmp_not_equal(tensor.shape().dim_size(), change.shape->rank())) {
        has_new_ranks_ = true;
        sink_.warning(
            DiagnosticCode::bad_interface,
            fmt::format("The input '{}' is declared with the shape {}, and {} has another rank",
                        requested.name, to_string(declared_shape(input->type())), to_string(*change.shape)),
            graph_place(kMainGraphPath));
      }
    }
    const TensorTypeInfo* const declared = find_tensor_type(tensor.elem_type());
    if (!requested.element_type.empty()) {
      change.type = ir::element_type_from_name(requested.element_type);
      if (!change.type) {
        fail(fmt::format("'{}', requested for the input '{}', is not an element type", requested.element_type,
                         requested.name),
             "element types: boolean, bf16, f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, string",
             type_hint(requested.element_type));
        return;
      }
      const bool has_strings = change.type == ir::ElementType::string ||
                               (declared != nullptr && declared->ir_type == ir::ElementType::string);
      if (declared != nullptr && declared->ir_type && *declared->ir_type != *change.type && has_strings)
        return fail(fmt::format("The input '{}' is of type {} and cannot be converted from {}",
                                requested.name, declared->name, requested.element_type));
    }
    if (requested.value) freeze(requested, *input, change);
  }

  /// Replaces the input by an initializer.
  void freeze(const InputSpec& requested, const onnx::ValueInfoProto& input, const InputOverride& change) {
    const std::int32_t type = input.type().tensor_type().elem_type();
    const TensorTypeInfo* const declared = find_tensor_type(type);
    if (change.type && declared != nullptr && declared->ir_type != *change.type) {
      return fail(fmt::format("The input '{}' is of type {}; its value cannot be given as {}", requested.name,
                              declared->name, requested.element_type),
                  {}, "leave the type out");
    }
    auto value = read_frozen_value(*requested.value, type,
                                   change.shape ? *change.shape : declared_shape(input.type()));
    if (!value)
      return fail(fmt::format("The input '{}' cannot have the value {}: {}", requested.name, *requested.value,
                              value.error().message));
    value->set_name(requested.name);
    *graph_.add_initializer() = *std::move(value);
    initialized_.insert(requested.name);
    remove_if(*graph_.mutable_input(), [&](const auto& one) { return one.name() == requested.name; });
    overrides_.erase(requested.name);
  }

  /// Moves the requested inputs to the front, in the given order.
  void move_to_front(const std::vector<InputSpec>& requested) {
    std::unordered_map<std::string_view, std::size_t> places;
    for (const InputSpec& input : requested) places.emplace(input.name, places.size());
    std::ranges::stable_sort(*graph_.mutable_input(), {}, [&](const onnx::ValueInfoProto& input) {
      const auto place = places.find(input.name());
      return place == places.end() ? places.size() : place->second;
    });
  }

  void set_outputs(const std::vector<std::string>& requested) {
    Names tensors = initialized_;
    for (const auto& input : graph_.input()) tensors.insert(input.name());
    for (const auto& node : graph_.node()) tensors.insert(node.output().begin(), node.output().end());
    std::vector<std::string> model_outputs;
    for (const auto& output : graph_.output()) model_outputs.push_back(output.name());

    std::vector<onnx::ValueInfoProto> outputs;
    std::set<std::string_view> seen;
    for (const std::string& name : requested) {
      if (name.empty() || !tensors.contains(name)) {
        fail_unknown(name, "outputs", model_outputs);
        continue;
      }
      if (!seen.insert(name).second) {
        fail(fmt::format("The output '{}' is given twice", name));
        continue;
      }
      onnx::ValueInfoProto& output = outputs.emplace_back();
      output.set_name(name);
      if (const auto* const type = declared_type(name)) *output.mutable_type() = *type;
      is_cut_ = is_cut_ || std::ranges::find(model_outputs, name) == model_outputs.end();
    }
    // Former outputs keep their declared type, which translators of some operators use.
    for (const auto& output : graph_.output()) {
      if (!seen.contains(output.name())) *graph_.add_value_info() = output;
    }
    graph_.clear_output();
    for (onnx::ValueInfoProto& output : outputs) *graph_.add_output() = std::move(output);
    has_other_outputs_ = true;
  }

  /// Removes what only the removed parts needed. Inputs that were unused before are kept, and so are all
  /// inputs if the new outputs are a subset of the old ones, as in ovc.
  void remove_unused(const Names& used_before) {
    const Names needed = needed_tensors(graph_);
    const auto is_unused = [&](const std::string& name) { return !needed.contains(name); };
    remove_if(*graph_.mutable_node(),
              [&](const onnx::NodeProto& node) { return std::ranges::all_of(node.output(), is_unused); });
    remove_initializers(is_unused);
    remove_if(*graph_.mutable_input(), [&](const onnx::ValueInfoProto& input) {
      return is_cut_ && is_unused(input.name()) && used_before.contains(input.name());
    });
  }

  onnx::GraphProto& graph_;
  DiagnosticSink& sink_;
  Names initialized_;
  InputOverrides overrides_;
  bool is_cut_ = false;  ///< at a tensor inside the graph
  bool has_other_outputs_ = false;
  bool has_new_ranks_ = false;
};

}  // namespace

InputOverrides change_interface(onnx::ModelProto& model, const InterfaceSpec& requested,
                                DiagnosticSink& sink) {
  if ((requested.inputs.empty() && requested.outputs.empty()) || !model.has_graph()) return {};
  return InterfaceChange(*model.mutable_graph(), sink).run(requested);
}

}  // namespace onnx2ir::frontend
