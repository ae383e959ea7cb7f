#include <fmt/core.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <limits>

#include "base/ascii_case.hpp"
#include "frontend/reader/bodies.hpp"
#include "frontend/reader/graph_check.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/place.hpp"
#include "frontend/reader/schemas.hpp"

namespace onnx2ir::frontend {
namespace {

using onnx::AttributeProto;

/// An attribute that is one of several words: ONNX's schemas do not have them.
struct AcceptedWords {
  std::string_view operators;
  std::string_view attribute;
  std::string_view words;
};

constexpr AcceptedWords kAcceptedWords[] = {
    {"BitShift", "direction", "LEFT RIGHT"},
    {"DepthToSpace SpaceToDepth", "mode", "DCR CRD"},
    {"GRU LSTM RNN", "direction", "forward reverse bidirectional"},
    {"Gelu", "approximate", "none tanh"},
    {"GridSample", "mode", "bilinear nearest bicubic linear cubic"},
    {"GridSample", "padding_mode", "zeros border reflection"},
    {"LinearClassifier LinearRegressor SVMClassifier SVMRegressor TreeEnsembleClassifier "
     "TreeEnsembleRegressor",
     "post_transform", "NONE SOFTMAX LOGISTIC SOFTMAX_ZERO PROBIT"},
    {"NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", "reduction", "none mean sum"},
    {"Normalizer", "norm", "MAX L1 L2"},
    {"Pad", "mode", "constant reflect edge wrap"},
    {"Resize", "coordinate_transformation_mode",
     "half_pixel half_pixel_symmetric pytorch_half_pixel align_corners asymmetric tf_half_pixel_for_nn "
     "tf_crop_and_resize"},
    {"Resize", "keep_aspect_ratio_policy", "stretch not_larger not_smaller"},
    {"Resize", "nearest_mode", "round_prefer_floor round_prefer_ceil floor ceil"},
    {"RoiAlign", "mode", "avg max"},
    {"SVMClassifier SVMRegressor", "kernel_type", "LINEAR POLY RBF SIGMOID"},
    {"ScatterElements ScatterND", "reduction", "none add mul max min"},
    {"StringNormalizer", "case_change_action", "NONE LOWER UPPER"},
    {"TfIdfVectorizer", "mode", "TF IDF TFIDF"},
    {"TreeEnsembleRegressor", "aggregate_function", "AVERAGE SUM MIN MAX"},
};

/// Integer attributes that are 0 or 1 in all operators of ONNX that have them.
constexpr std::string_view kFlags =
    "align_corners allowzero antialias batch_axis broadcast ceil_mode center_point_box count_include_pad "
    "detect_negative detect_positive exclude_outside exclusive fmod input_forget interleaved inverse "
    "is_case_sensitive is_causal is_test keepdims largest layout linear_before_reset multi_class new_axis "
    "noop_with_empty_axes one_class onesided periodic reverse saturate select_last_index sorted spatial "
    "storage_order time_axis training_mode transA transB upper zeros";

/// Whether `text` is one of `words`, which are separated by blanks.
bool is_word_of(std::string_view words, std::string_view text) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    if (word == text) return true;
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  return false;
}

/// The words that onnxruntime accepts for attribute `name` of `op_type`; empty if all texts are accepted, or
/// if the translator of the operator checks them.
std::string_view accepted_words(std::string_view op_type, std::string_view name) {
  const auto* const row = std::ranges::find_if(kAcceptedWords, [&](const AcceptedWords& entry) {
    return entry.attribute == name && is_word_of(entry.operators, op_type);
  });
  return row == std::end(kAcceptedWords) ? std::string_view{} : row->words;
}

/// "sparse_tensor".
std::string type_name(int type) {
  return AttributeProto::AttributeType_IsValid(type)
             ? base::lower_case(AttributeProto::AttributeType_Name(type))
             : "unknown";
}

/// A set field of an attribute, and the attribute type it belongs to.
struct UsedFields {
  int count = 0;
  int type = AttributeProto::UNDEFINED;  ///< of the last one
};

UsedFields used_fields(const AttributeProto& attribute) {
  UsedFields used;
  auto note = [&](bool set, int type) {
    if (!set) return;
    ++used.count;
    used.type = type;
  };
  note(attribute.has_f(), AttributeProto::FLOAT);
  note(attribute.has_i(), AttributeProto::INT);
  note(attribute.has_s(), AttributeProto::STRING);
  note(attribute.has_t(), AttributeProto::TENSOR);
  note(attribute.has_g(), AttributeProto::GRAPH);
  note(attribute.has_tp(), AttributeProto::TYPE_PROTO);
  note(attribute.has_sparse_tensor(), AttributeProto::SPARSE_TENSOR);
  note(!attribute.floats().empty(), AttributeProto::FLOATS);
  note(!attribute.ints().empty(), AttributeProto::INTS);
  note(!attribute.strings().empty(), AttributeProto::STRINGS);
  note(!attribute.tensors().empty(), AttributeProto::TENSORS);
  note(!attribute.graphs().empty(), AttributeProto::GRAPHS);
  note(!attribute.sparse_tensors().empty(), AttributeProto::SPARSE_TENSORS);
  note(!attribute.type_protos().empty(), AttributeProto::TYPE_PROTOS);
  return used;
}

/// Whether an attribute of this type must have its field set. Numbers and texts have default values, and a
/// list may be empty.
bool needs_field(int type) {
  return type == AttributeProto::TENSOR || type == AttributeProto::GRAPH ||
         type == AttributeProto::SPARSE_TENSOR || type == AttributeProto::TYPE_PROTO;
}

/// Whether the function that is checked has the attribute `name`.
bool is_parameter(const std::string& name, BodyCheck& check) {
  if (!check.parameters) {
    auto& names = check.parameters.emplace();
    for (const std::string& parameter : check.function->attribute()) names.add(parameter, true);
    for (const AttributeProto& parameter : check.function->attribute_proto())
      names.add(parameter.name(), true);
  }
  return check.parameters->find(name) != nullptr;
}

/// The first attribute with the name of an earlier one; null if all names differ.
const AttributeProto* find_repeated(const onnx::NodeProto& node) {
  constexpr int kFew = 16;  // comparing all pairs is faster for few attributes
  if (node.attribute_size() > kFew) {
    base::NameTable<bool> names;
    names.reserve(static_cast<std::size_t>(node.attribute_size()));
    for (const auto& attribute : node.attribute()) {
      if (!names.add(attribute.name(), true)) return &attribute;
    }
    return nullptr;
  }
  for (int i = 1; i < node.attribute_size(); ++i) {
    for (int j = 0; j < i; ++j) {
      if (node.attribute(j).name() == node.attribute(i).name()) return &node.attribute(i);
    }
  }
  return nullptr;
}

/// Whether exporters of OpenVINO and NNCF wrote an operator of OpenVINO without its domain.
bool is_openvino_operator(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "DeformableConv2D", "DetectionOutput", "FakeQuantize",      "GroupNorm",
      "Normalize",        "PriorBox",        "PriorBoxClustered", "Swish"};
  return name.starts_with("ExperimentalDetectron") || std::ranges::find(kNames, name) != std::end(kNames);
}

/// Checks a node at `site`.
class NodeCheck {
 public:
  NodeCheck(const Site& site, BodyCheck& check) : site_(site), node_(*site.node), check_(check) {}

  void run(const BodyVisitor& visit_body) {
    if (node_.op_type().empty()) return error(DiagnosticCode::invalid_node, "It has no operator");
    if (node_.input().empty() && node_.output().empty())
      return error(DiagnosticCode::invalid_node, "It has no inputs and no outputs");
    // Further checks would depend on which one was meant.
    if (const auto* const repeated = find_repeated(node_))
      return fail_attribute(fmt::format("It has attribute '{}' more than once", repeated->name()));
    for (const auto& attribute : node_.attribute()) {
      if (check_.model.has_too_many_errors()) return;
      check_attribute(attribute, visit_body);
    }
    check_operator();
  }

 private:
  void error(DiagnosticCode code, std::string message) {
    check_.model.sink.error(code, std::move(message), place_of(site_, check_));
  }
  void warning(DiagnosticCode code, std::string message) {
    check_.model.sink.warning(code, std::move(message), place_of(site_, check_));
  }
  void fail_attribute(std::string message) { error(DiagnosticCode::invalid_attribute, std::move(message)); }

  void check_reference(const AttributeProto& attribute, const UsedFields& used) {
    if (check_.function == nullptr) {
      fail_attribute(fmt::format(
          "Attribute '{}' refers to an attribute of a function, but is not in a function", attribute.name()));
    } else if (used.count != 0) {
      fail_attribute(fmt::format("Attribute '{}' has a value and refers to attribute '{}' as well",
                                 attribute.name(), attribute.ref_attr_name()));
    } else if (!is_parameter(attribute.ref_attr_name(), check_)) {
      fail_attribute(fmt::format("Attribute '{}' refers to attribute '{}', which the function does not have",
                                 attribute.name(), attribute.ref_attr_name()));
    }
  }

  void check_tensors(const AttributeProto& attribute) {
    auto check_one = [&](const auto& tensor) {
      check_tensor(tensor, fmt::format("tensor of attribute '{}'", attribute.name()), site_, check_);
    };
    if (attribute.has_t()) check_one(attribute.t());
    if (attribute.has_sparse_tensor()) check_one(attribute.sparse_tensor());
    for (const auto& tensor : attribute.tensors()) check_one(tensor);
    for (const auto& tensor : attribute.sparse_tensors()) check_one(tensor);
  }

  /// Checks the rules for any attribute of any operator.
  void check_attribute(const AttributeProto& attribute, const BodyVisitor& visit_body) {
    if (attribute.name().empty()) return fail_attribute("An attribute has no name");
    const UsedFields used = used_fields(attribute);
    if (!attribute.ref_attr_name().empty()) return check_reference(attribute, used);
    if (used.count > 1)
      return fail_attribute(fmt::format("Attribute '{}' has more than one value", attribute.name()));
    if (used.count == 1 && attribute.type() != used.type) {
      return fail_attribute(fmt::format("Attribute '{}' is of type {}, but has a value of type {}",
                                        attribute.name(), type_name(attribute.type()), type_name(used.type)));
    }
    if (used.count == 0 && needs_field(attribute.type())) {
      return fail_attribute(fmt::format("Attribute '{}' of type {} has no value", attribute.name(),
                                        type_name(attribute.type())));
    }
    check_tensors(attribute);
    for_each_body(attribute, [&](const onnx::GraphProto& body) { visit_body(body, attribute.name()); });
  }

  /// Resize 11 requires the region and the scales, which are empty tensors if they are not used; exporters
  /// omit them as in later versions.
  bool omits_like_later_version(std::size_t input) {
    if (node_.op_type() != "Resize" || input == 0) return false;
    if (input > 1 && node_.input(1).empty()) return true;  // reported for input 1
    warning(DiagnosticCode::invalid_node,
            "It omits inputs that version 11 requires; it is read as version 13");
    return true;
  }

  /// Checks the number of inputs or outputs, and which may be omitted, against the schema.
  void check_parameters(std::string_view what, const google::protobuf::RepeatedPtrField<std::string>& names,
                        const std::vector<onnx::OpSchema::FormalParameter>& parameters, int least, int most) {
    if (names.size() < least || names.size() > most) {
      const std::string expected = least == most ? fmt::format("{}", least)
                                   : most == std::numeric_limits<int>::max()
                                       ? fmt::format("at least {}", least)
                                       : fmt::format("{} to {}", least, most);
      return error(DiagnosticCode::invalid_node,
                   fmt::format("It has {} {}, but takes {}", names.size(), what, expected));
    }
    const auto declared = std::min(static_cast<std::size_t>(names.size()), parameters.size());
    for (std::size_t i = 0; i < declared; ++i) {
      if (names[static_cast<int>(i)].empty() && parameters[i].GetOption() == onnx::OpSchema::Single) {
        if (omits_like_later_version(i)) continue;
        error(DiagnosticCode::invalid_node,
              fmt::format("It omits '{}', number {} of its {}", parameters[i].GetName(), i, what));
      }
    }
  }

  /// Reports an attribute that the schema does not have.
  void report_undeclared(const AttributeProto& attribute) {
    // onnxruntime ignores this misspelling of epsilon.
    if (node_.op_type() == "LayerNormalization" && attribute.name() == "epsion")
      return warning(DiagnosticCode::unknown_attribute, "Attribute 'epsion' is ignored; the name is epsilon");
    // Names that begin with two underscores are notes of a tool.
    if (attribute.name().starts_with("__")) return;
    fail_attribute(
        fmt::format("Attribute '{}' is not an attribute of {}", attribute.name(), node_.op_type()));
  }

  /// Checks the type of an attribute that the schema has, and its value if only some are accepted.
  void check_declared(const AttributeProto& attribute, const onnx::OpSchema::Attribute& declared) {
    // A value without a type has been reported already.
    const bool untyped = attribute.type() == AttributeProto::UNDEFINED && used_fields(attribute).count != 0;
    if (attribute.type() != declared.type && !untyped) {
      fail_attribute(fmt::format("Attribute '{}' is of type {}, not {}", attribute.name(),
                                 type_name(attribute.type()), type_name(declared.type)));
    }
    if (attribute.has_i() && attribute.i() != 0 && attribute.i() != 1 &&
        is_word_of(kFlags, attribute.name())) {
      fail_attribute(fmt::format("Attribute '{}' of {} is {}, but must be 0 or 1", attribute.name(),
                                 node_.op_type(), attribute.i()));
    }
    if (!attribute.has_s()) return;
    const std::string_view words = accepted_words(node_.op_type(), attribute.name());
    if (!words.empty() && !is_word_of(words, attribute.s())) {
      fail_attribute(fmt::format("Attribute '{}' of {} is '{}', but must be one of: {}", attribute.name(),
                                 node_.op_type(), attribute.s(), words));
    }
  }

  void check_against_schema(const onnx::OpSchema& schema) {
    check_parameters("inputs", node_.input(), schema.inputs(), schema.min_input(), schema.max_input());
    // Omitted outputs are unused outputs; onnxruntime also runs a Loop without outputs.
    check_parameters("outputs", node_.output(), schema.outputs(), 0, schema.max_output());

    for (const auto& attribute : node_.attribute()) {
      if (check_.model.has_too_many_errors()) return;
      const auto declared = schema.attributes().find(attribute.name());
      if (declared == schema.attributes().end()) {
        report_undeclared(attribute);
      } else {
        check_declared(attribute, declared->second);
      }
    }
    for (const auto& [name, attribute] : schema.attributes()) {
      if (attribute.required && find_attribute(node_, name) == nullptr)
        fail_attribute(fmt::format("The required attribute '{}' is missing", name));
    }
  }

  /// The version of the node's domain. An assumed version is reported once.
  std::optional<std::int64_t> domain_version() {
    const std::string_view domain = canonical_domain(node_.domain());
    const auto version = check_.opsets.find(domain);
    if (check_.assumed_domains.erase(std::string(domain)) != 0)
      warning(DiagnosticCode::assumed_opset,
              fmt::format("No version of the operator domain '{}' is imported, {} is assumed",
                          shown_domain(domain), *version));
    return version;
  }

  void warn_of_unknown_operator() {
    const auto first = first_opset_with(node_.domain(), node_.op_type());
    const std::string why = first ? fmt::format("{} was added in opset {}", node_.op_type(), *first)
                                  : fmt::format("ONNX has no operator {}", node_.op_type());
    const bool is_openvino = is_openvino_operator(node_.op_type());
    warning(DiagnosticCode::unknown_operator, fmt::format("{}; it is read as {}'s own operator of that name",
                                                          why, is_openvino ? "OpenVINO" : "onnxruntime"));
  }

  void check_call(const onnx::FunctionProto& function) {
    auto expect = [&](std::string_view what, int given, int taken) {
      if (given <= taken) return;
      error(DiagnosticCode::invalid_node,
            fmt::format("It has {} {}, but the model's function of this name takes {}", given, what, taken));
    };
    expect("inputs", node_.input_size(), function.input_size());
    expect("outputs", node_.output_size(), function.output_size());
  }

  /// Looks up the operator at its first occurrence.
  CheckedOperator look_up_operator() {
    const auto version = domain_version();
    if (!version) return {};
    CheckedOperator met{true, *version, find_schema(node_.domain(), node_.op_type(), *version), false};
    if (met.schema != nullptr) {
      // GroupNormalization was not removed: only its first version was deprecated, and models use it.
      met.is_removed = met.schema->Deprecated() &&
                       first_opset_with(node_.domain(), node_.op_type()) != met.schema->since_version();
    } else if (newest_opset(node_.domain()) && *version >= 1) {
      // Operators of other domains may be custom; the translation decides whether they can be converted.
      warn_of_unknown_operator();
    }
    return met;
  }

  void check_operator() {
    if (const auto* function = check_.model.functions.find(node_)) return check_call(*function);
    const std::string_view domain = canonical_domain(node_.domain());
    auto& operators = check_.operators[domain];
    const base::HashedName name(node_.op_type());
    const CheckedOperator* known = operators.find(name);
    if (known == nullptr) known = &operators.find_or_add(name, look_up_operator());
    if (!known->is_imported) {
      return error(DiagnosticCode::missing_opset_import,
                   fmt::format("No version of the operator domain '{}' is imported", shown_domain(domain)));
    }
    if (known->schema == nullptr) return;
    if (known->is_removed) {
      return error(DiagnosticCode::invalid_node,
                   fmt::format("{} is not part of opset {}: it was removed in opset {}", node_.op_type(),
                               known->version, known->schema->since_version()));
    }
    check_against_schema(*known->schema);
  }

  const Site& site_;
  const onnx::NodeProto& node_;
  BodyCheck& check_;
};

}  // namespace

Place place_of(const Site& site, const BodyCheck& check) {
  if (site.node == nullptr) return graph_place(site.graph_path);
  return node_place(site.graph_path, *site.node, site.node_index,
                    check.opsets.find(site.node->domain()).value_or(-1));
}

void check_node(const Site& site, BodyCheck& check, const BodyVisitor& visit_body) {
  NodeCheck(site, check).run(visit_body);
}

}  // namespace onnx2ir::frontend
