#include "mutator/structure.hpp"

#include "mutator/nodes.hpp"
#include "mutator/values.hpp"

namespace onnx2ir::fuzz {
namespace {

constexpr const char* kDomain = "local";

onnx::GraphProto& add_body(onnx::NodeProto& node, const char* name) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  attribute.mutable_g()->set_name(name);
  return *attribute.mutable_g();
}

void add_value(google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& values, const std::string& name,
               int type) {
  auto& value = *values.Add();
  value.set_name(name);
  if (type != onnx::TensorProto::UNDEFINED) value.mutable_type()->mutable_tensor_type()->set_elem_type(type);
}

/// The outputs of `node` become those of `body`.
void add_outputs(onnx::GraphProto& body, const onnx::NodeProto& node) {
  for (const auto& output : node.output())
    add_value(*body.mutable_output(), output, onnx::TensorProto::UNDEFINED);
}

/// A branch computes the outputs of `inner`, or forwards its inputs.
onnx::NodeProto if_around(const onnx::NodeProto& inner, const std::string& condition, Random& random) {
  onnx::NodeProto outer;
  outer.set_op_type("If");
  outer.add_input(condition);
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& body = add_body(outer, name);
    if (random.one_in(2) && inner.input_size() > 0) {
      for (int i = 0; i < inner.output_size(); ++i) {
        auto& node = *body.add_node();
        node.set_op_type("Identity");
        node.add_input(inner.input(any_index(inner.input_size(), random)));
        node.add_output(inner.output(i) + "/");
        add_value(*body.mutable_output(), node.output(0), onnx::TensorProto::UNDEFINED);
      }
      continue;
    }
    *body.add_node() = inner;
    add_outputs(body, inner);
  }
  *outer.mutable_output() = inner.output();
  return outer;
}

/// The first input of `inner` is a state, an output is its next value or a scan output.
onnx::NodeProto loop_around(const onnx::NodeProto& inner, const std::string& count, Random& random) {
  onnx::NodeProto outer;
  outer.set_op_type("Loop");
  outer.add_input(count);
  outer.add_input("");
  auto& body = add_body(outer, "body");
  add_value(*body.mutable_input(), "iteration", onnx::TensorProto::INT64);
  add_value(*body.mutable_input(), "go", onnx::TensorProto::BOOL);
  add_value(*body.mutable_output(), "go", onnx::TensorProto::BOOL);
  auto& node = *body.add_node();
  node = inner;
  const bool has_state = inner.input_size() > 0 && inner.output_size() > 0 && random.one_in(2);
  if (has_state) {
    outer.add_input(inner.input(0));
    add_value(*body.mutable_input(), "state", onnx::TensorProto::UNDEFINED);
    node.set_input(0, "state");
  } else if (inner.input_size() > 0 && random.one_in(3)) {
    node.set_input(any_index(inner.input_size(), random), "iteration");
  }
  add_outputs(body, inner);
  *outer.mutable_output() = inner.output();
  return outer;
}

onnx::NodeProto scan_around(const onnx::NodeProto& inner) {
  onnx::NodeProto outer;
  outer.set_op_type("Scan");
  auto& body = add_body(outer, "body");
  for (const auto& input : inner.input()) {
    outer.add_input(input);
    add_value(*body.mutable_input(), input, onnx::TensorProto::UNDEFINED);
  }
  *body.add_node() = inner;
  add_outputs(body, inner);
  *outer.mutable_output() = inner.output();
  auto& attribute = *outer.add_attribute();
  attribute.set_name("num_scan_inputs");
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(inner.input_size());
  return outer;
}

void import(onnx::ModelProto& model, const char* domain) {
  for (const auto& opset : model.opset_import()) {
    if (opset.domain() == domain) return;
  }
  auto& opset = *model.add_opset_import();
  opset.set_domain(domain);
  opset.set_version(1);
}

/// The attributes of the node become attributes of the call, to which the node refers.
onnx::NodeProto call_of(onnx::ModelProto& model, const onnx::NodeProto& inner) {
  onnx::FunctionProto function;
  function.set_name("F" + std::to_string(model.functions_size()));
  function.set_domain(kDomain);
  *function.mutable_opset_import() = model.opset_import();
  *function.mutable_input() = inner.input();
  *function.mutable_output() = inner.output();
  auto& node = *function.add_node();
  node = inner;
  onnx::NodeProto call;
  call.set_op_type(function.name());
  call.set_domain(kDomain);
  *call.mutable_input() = inner.input();
  *call.mutable_output() = inner.output();
  for (auto& attribute : *node.mutable_attribute()) {
    *call.add_attribute() = attribute;
    *function.add_attribute() = attribute.name();
    const auto type = attribute.type();
    const std::string name = attribute.name();
    attribute.Clear();
    attribute.set_name(name);
    attribute.set_ref_attr_name(name);
    attribute.set_type(type);
  }
  *model.add_functions() = std::move(function);
  import(model, kDomain);
  return call;
}

/// A scalar as an initializer of the main graph, which all bodies can read.
std::string add_scalar(onnx::ModelProto& model, int type, std::int64_t value) {
  auto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name("scalar_" + std::to_string(model.graph().initializer_size()));
  tensor.set_data_type(type);
  if (type == onnx::TensorProto::INT64) {
    tensor.add_int64_data(value);
  } else {
    tensor.add_int32_data(static_cast<std::int32_t>(value));
  }
  return tensor.name();
}

/// A condition or trip count: a value of the model, or a constant.
std::string control_value(onnx::ModelProto& model, const NodeList& list, const Parts& parts, int type,
                          Random& random) {
  if (random.one_in(2)) return random_value_name(list, parts, random);
  if (random.one_in(2))
    return add_scalar(model, type, type == onnx::TensorProto::BOOL ? 1 : random_integer(random));
  const std::string name = "control_" + std::to_string(model.graph().input_size());
  add_value(*model.mutable_graph()->mutable_input(), name, type);
  model.mutable_graph()->mutable_input()->rbegin()->mutable_type()->mutable_tensor_type()->mutable_shape();
  return name;
}

}  // namespace

void enclose_node(onnx::ModelProto& model, const Parts& parts, Random& random) {
  NodeList& list = *parts.node_lists[random.below(parts.node_lists.size())];
  if (list.empty()) return;
  auto& node = *list.Mutable(any_index(list.size(), random));
  const onnx::NodeProto inner = node;
  switch (random.below(4)) {
    case 0:
      node = if_around(inner, control_value(model, list, parts, onnx::TensorProto::BOOL, random), random);
      break;
    case 1:
      node = loop_around(inner, control_value(model, list, parts, onnx::TensorProto::INT64, random), random);
      break;
    case 2:
      node = scan_around(inner);
      break;
    default: {
      onnx::NodeProto call = call_of(model, inner);  // may move the functions, and with them `list`
      // The node in the function names an input that is absent.
      if (call.input_size() > 0 && random.one_in(3))
        call.mutable_input(any_index(call.input_size(), random))->clear();
      if (model.functions_size() == 1 || &list == model.mutable_graph()->mutable_node())
        node = std::move(call);
    }
  }
}

void mutate_graph(onnx::GraphProto& graph, const Parts& parts, Random& random) {
  auto& inputs = *graph.mutable_input();
  auto& outputs = *graph.mutable_output();
  auto& initializers = *graph.mutable_initializer();
  switch (random.below(7)) {
    case 0:
      if (!outputs.empty()) outputs.DeleteSubrange(any_index(outputs.size(), random), 1);
      break;
    case 1:
      add_value(outputs, random_value_name(graph.node(), parts, random), onnx::TensorProto::UNDEFINED);
      break;
    case 2:
      if (!outputs.empty()) {
        outputs.Mutable(any_index(outputs.size(), random))
            ->set_name(random_value_name(graph.node(), parts, random));
      }
      break;
    case 3:
      if (!inputs.empty()) inputs.DeleteSubrange(any_index(inputs.size(), random), 1);
      break;
    case 4: {  // an input becomes an initializer
      if (inputs.empty()) break;
      const int which = any_index(inputs.size(), random);
      auto& tensor = *initializers.Add();
      tensor.set_name(inputs.Get(which).name());
      fill_with_small_tensor(tensor, random);
      if (random.one_in(2)) inputs.DeleteSubrange(which, 1);
      break;
    }
    case 5: {  // an initializer becomes an input
      if (initializers.empty()) break;
      const int which = any_index(initializers.size(), random);
      const onnx::TensorProto tensor = initializers.Get(which);
      add_value(inputs, tensor.name(), tensor.data_type());
      auto& shape = *inputs.rbegin()->mutable_type()->mutable_tensor_type()->mutable_shape();
      for (const std::int64_t size : tensor.dims()) {
        auto& dimension = *shape.add_dim();
        if (!random.one_in(3)) dimension.set_dim_value(size);
      }
      initializers.DeleteSubrange(which, 1);
      break;
    }
    default:
      if (!initializers.empty()) initializers.DeleteSubrange(any_index(initializers.size(), random), 1);
  }
}

void mutate_declarations(onnx::ModelProto& model, const Parts& parts, Random& random) {
  auto& functions = *model.mutable_functions();
  switch (functions.empty() ? 0 : random.below(4)) {
    case 0:
      if (model.opset_import_size() == 0 || random.one_in(8)) {
        model.add_opset_import()->set_version(random_integer(random));
      } else {
        auto& opset = *model.mutable_opset_import(any_index(model.opset_import_size(), random));
        opset.set_version(random.one_in(8) ? random_integer(random) : random.between(1, 26));
      }
      break;
    case 1:
      functions.DeleteSubrange(any_index(functions.size(), random), 1);
      break;
    case 2: {  // a function that may call itself, or another one twice
      auto& function = *functions.Mutable(any_index(functions.size(), random));
      const auto& called = functions.Get(any_index(functions.size(), random));
      if (function.node().empty()) break;
      auto& node = *function.mutable_node(any_index(function.node_size(), random));
      node.set_op_type(called.name());
      node.set_domain(called.domain());
      break;
    }
    default: {
      auto& function = *functions.Mutable(any_index(functions.size(), random));
      if (random.one_in(2)) {
        function.add_output(random_value_name(function.node(), parts, random));
      } else if (function.input_size() > 0) {
        function.mutable_input()->RemoveLast();
      }
    }
  }
}

void join_models(onnx::ModelProto& model, const onnx::ModelProto& other, Random& random) {
  const auto& nodes = other.graph().node();
  if (nodes.empty()) return;
  const int first = any_index(nodes.size(), random);
  const int last = std::min(nodes.size(), first + 1 + any_index(8, random));
  for (int i = first; i < last; ++i) {
    auto& node = *model.mutable_graph()->add_node();
    node = nodes.Get(i);
    for (auto& name : *node.mutable_output()) {
      if (!name.empty()) name += "#";
    }
    for (auto& name : *node.mutable_input()) {
      const auto& earlier = model.graph().node(any_index(model.graph().node_size(), random));
      if (random.one_in(2) && earlier.output_size() > 0) name = earlier.output(0);
    }
    if (node.output_size() > 0) add_value(*model.mutable_graph()->mutable_output(), node.output(0), 0);
  }
  for (const auto& tensor : other.graph().initializer()) *model.mutable_graph()->add_initializer() = tensor;
  for (const auto& input : other.graph().input()) *model.mutable_graph()->add_input() = input;
  for (const auto& function : other.functions()) *model.add_functions() = function;
  for (const auto& opset : other.opset_import()) import(model, opset.domain().c_str());
}

}  // namespace onnx2ir::fuzz
