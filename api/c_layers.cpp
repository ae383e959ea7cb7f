// The C interface to the layers of a model.
#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include "api/c_objects.hpp"
#include "onnx2ir/onnx2ir.h"
#include "onnx2ir/onnx2ir.hpp"

struct onnx2ir_layer {
  const onnx2ir::Layer* layer = nullptr;
  mutable std::string json = {};  ///< made when it is asked for
};

using onnx2ir::without_exceptions;

extern "C" {

onnx2ir_status onnx2ir_conversion_visit_layers(onnx2ir_conversion* conversion, onnx2ir_visit visit,
                                               void* user) {
  const auto walk = [&](const onnx2ir::Model& model) {
    model.visit_layers([&](const onnx2ir::Layer& layer) {
      const onnx2ir_layer handle{&layer};
      return visit(&handle, user) != 0;
    });
  };
  return onnx2ir::use_model(*conversion, walk) ? ONNX2IR_OK : ONNX2IR_FAILED;
}

uint64_t onnx2ir_layer_id(const onnx2ir_layer* layer) {
  return layer->layer->id;
}

const char* onnx2ir_layer_name(const onnx2ir_layer* layer) {
  return layer->layer->name.c_str();
}

const char* onnx2ir_layer_type(const onnx2ir_layer* layer) {
  return layer->layer->type.c_str();
}

const char* onnx2ir_layer_opset(const onnx2ir_layer* layer) {
  return layer->layer->opset.c_str();
}

const char* onnx2ir_layer_graph(const onnx2ir_layer* layer) {
  return layer->layer->graph.c_str();
}

const char* onnx2ir_layer_attribute(const onnx2ir_layer* layer, const char* name) {
  if (name == nullptr) return nullptr;
  const auto& attributes = layer->layer->attributes;
  const auto found = std::ranges::find_if(attributes, [&](const auto& one) { return one.first == name; });
  return found == attributes.end() ? nullptr : found->second.c_str();
}

size_t onnx2ir_layer_input_count(const onnx2ir_layer* layer) {
  return layer->layer->inputs.size();
}

uint64_t onnx2ir_layer_input(const onnx2ir_layer* layer, size_t index, size_t* output) {
  const onnx2ir::LayerInput& input = layer->layer->inputs[index];
  if (output != nullptr) *output = input.output;
  return input.layer;
}

size_t onnx2ir_layer_output_count(const onnx2ir_layer* layer) {
  return layer->layer->outputs.size();
}

const char* onnx2ir_layer_output_type(const onnx2ir_layer* layer, size_t index) {
  return layer->layer->outputs[index].element_type.c_str();
}

int64_t onnx2ir_layer_output_rank(const onnx2ir_layer* layer, size_t index) {
  const onnx2ir::LayerOutput& output = layer->layer->outputs[index];
  return output.has_rank ? static_cast<int64_t>(output.dimensions.size()) : -1;
}

int64_t onnx2ir_layer_output_size(const onnx2ir_layer* layer, size_t index, size_t axis) {
  const onnx2ir::PortDimension& dimension = layer->layer->outputs[index].dimensions[axis];
  return dimension.min == dimension.max ? dimension.min : -1;
}

uint64_t onnx2ir_layer_constant_size(const onnx2ir_layer* layer) {
  return layer->layer->constant ? layer->layer->constant->size : 0;
}

onnx2ir_status onnx2ir_layer_constant_read(const onnx2ir_layer* layer, uint64_t offset, void* target,
                                           size_t size) {
  return without_exceptions(ONNX2IR_FAILED, [&] {
    const auto& constant = layer->layer->constant;
    if (!constant || offset > constant->size || size > constant->size - offset) return ONNX2IR_FAILED;
    constant->read(offset, {static_cast<std::byte*>(target), size});
    return ONNX2IR_OK;
  });
}

const char* onnx2ir_layer_json(const onnx2ir_layer* layer) {
  return without_exceptions<const char*>(nullptr, [&] {
    if (layer->json.empty()) layer->json = to_json(*layer->layer);
    return layer->json.c_str();
  });
}

}  // extern "C"
