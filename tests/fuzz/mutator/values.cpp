#include "mutator/values.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <string_view>

namespace onnx2ir::fuzz {
namespace {

constexpr std::int64_t kSmallestInteger = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLargestInteger = std::numeric_limits<std::int64_t>::max();

constexpr std::array<std::int64_t, 26> kIntegers = {0,
                                                    0,
                                                    1,
                                                    1,
                                                    -1,
                                                    -1,
                                                    2,
                                                    3,
                                                    -2,
                                                    4,
                                                    5,
                                                    7,
                                                    8,
                                                    16,
                                                    127,
                                                    -128,
                                                    255,
                                                    256,
                                                    65536,
                                                    std::numeric_limits<std::int32_t>::max(),
                                                    std::numeric_limits<std::int32_t>::min(),
                                                    std::int64_t{1} << 32U,
                                                    std::int64_t{1} << 40U,
                                                    std::int64_t{1} << 62U,
                                                    kLargestInteger,
                                                    kSmallestInteger};

constexpr std::array<double, 14> kReals = {0.0,
                                           -0.0,
                                           1.0,
                                           -1.0,
                                           0.5,
                                           2.0,
                                           1e-45,
                                           1e38,
                                           -1e38,
                                           1e300,
                                           std::numeric_limits<double>::quiet_NaN(),
                                           std::numeric_limits<double>::infinity(),
                                           -std::numeric_limits<double>::infinity(),
                                           3.0};

constexpr std::array<std::string_view, 56> kTexts = {"",
                                                     "SAME_UPPER",
                                                     "SAME_LOWER",
                                                     "VALID",
                                                     "NOTSET",
                                                     "constant",
                                                     "reflect",
                                                     "edge",
                                                     "wrap",
                                                     "linear",
                                                     "nearest",
                                                     "cubic",
                                                     "bilinear",
                                                     "bicubic",
                                                     "half_pixel",
                                                     "align_corners",
                                                     "asymmetric",
                                                     "pytorch_half_pixel",
                                                     "tf_crop_and_resize",
                                                     "round_prefer_floor",
                                                     "floor",
                                                     "ceil",
                                                     "stretch",
                                                     "not_larger",
                                                     "forward",
                                                     "reverse",
                                                     "bidirectional",
                                                     "Tanh",
                                                     "Sigmoid",
                                                     "Relu",
                                                     "Affine",
                                                     "add",
                                                     "mul",
                                                     "max",
                                                     "min",
                                                     "none",
                                                     "sum",
                                                     "mean",
                                                     "avg",
                                                     "DCR",
                                                     "CRD",
                                                     "ij,jk->ik",
                                                     "...ii->...i",
                                                     "i,i,i,i->i",
                                                     "...i,...->...",
                                                     "LEFT",
                                                     "RIGHT",
                                                     "UP",
                                                     "UPPER",
                                                     "BRANCH_LEQ",
                                                     "LEAF",
                                                     "SOFTMAX",
                                                     "IDF",
                                                     "TFIDF",
                                                     "[a-z]+(x|y)*",
                                                     "\xff\xfe"};

constexpr std::array<int, 12> kUsualTypes = {
    onnx::TensorProto::FLOAT,   onnx::TensorProto::FLOAT,  onnx::TensorProto::INT64,
    onnx::TensorProto::INT64,   onnx::TensorProto::INT32,  onnx::TensorProto::BOOL,
    onnx::TensorProto::UINT8,   onnx::TensorProto::INT8,   onnx::TensorProto::DOUBLE,
    onnx::TensorProto::FLOAT16, onnx::TensorProto::STRING, onnx::TensorProto::BFLOAT16};
constexpr int kTypes = 26;

void clear_data(onnx::TensorProto& tensor) {
  tensor.clear_raw_data();
  tensor.clear_float_data();
  tensor.clear_double_data();
  tensor.clear_int32_data();
  tensor.clear_int64_data();
  tensor.clear_uint64_data();
  tensor.clear_string_data();
  tensor.clear_external_data();
  tensor.clear_data_location();
}

/// Writes a random number over one of the elements.
void mutate_element(onnx::TensorProto& tensor, Random& random) {
  const auto any = [&](int count) { return any_index(count, random); };
  if (tensor.int64_data_size() > 0) {
    tensor.set_int64_data(any(tensor.int64_data_size()), random_integer(random));
  } else if (tensor.int32_data_size() > 0) {
    tensor.set_int32_data(any(tensor.int32_data_size()), static_cast<std::int32_t>(random_integer(random)));
  } else if (tensor.float_data_size() > 0) {
    tensor.set_float_data(any(tensor.float_data_size()), static_cast<float>(random_real(random)));
  } else if (tensor.string_data_size() > 0) {
    std::string& text = *tensor.mutable_string_data(any(tensor.string_data_size()));
    text = mutated_text(text, random);
  } else if (!tensor.raw_data().empty()) {
    std::string& bytes = *tensor.mutable_raw_data();
    std::array<char, sizeof(std::int64_t)> element{};
    std::size_t width = 1;
    if (tensor.data_type() == onnx::TensorProto::INT64) {
      const std::int64_t value = random_integer(random);
      std::memcpy(element.data(), &value, width = sizeof value);
    } else if (tensor.data_type() == onnx::TensorProto::FLOAT) {
      const auto value = static_cast<float>(random_real(random));
      std::memcpy(element.data(), &value, width = sizeof value);
    } else {
      element[0] = static_cast<char>(random.next());
    }
    if (bytes.size() < width) return;
    bytes.replace(random.below(bytes.size() / width) * width, width, element.data(), width);
  }
}

void mutate_data_size(onnx::TensorProto& tensor, Random& random) {
  switch (random.below(4)) {
    case 0:
      if (!tensor.raw_data().empty())
        tensor.mutable_raw_data()->resize(random.below(tensor.raw_data().size()));
      break;
    case 1:
      tensor.mutable_raw_data()->append(random.below(16), '\1');
      break;
    case 2:
      tensor.add_int64_data(random_integer(random));
      break;
    default:
      clear_data(tensor);
  }
}

void mutate_sizes(onnx::TensorProto& tensor, Random& random) {
  if (tensor.dims_size() == 0 || random.one_in(4)) {
    tensor.add_dims(random.one_in(2) ? 1 : random_integer(random));
  } else if (random.one_in(3)) {
    tensor.mutable_dims()->RemoveLast();
  } else {
    const auto which = random.below(static_cast<std::size_t>(tensor.dims_size()));
    tensor.set_dims(static_cast<int>(which), mutated_integer(tensor.dims(static_cast<int>(which)), random));
  }
}

/// ExternalFiles makes some of these files; the others do not exist.
void move_out(onnx::TensorProto& tensor, Random& random) {
  static constexpr std::array<std::string_view, 8> kPlaces = {
      "data", "data", "data", "short", "folder/data", "../data", "/etc/passwd", "missing"};
  clear_data(tensor);
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  const auto add = [&](const char* key, std::string value) {
    auto& entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(std::move(value));
  };
  add("location", std::string(random.pick(kPlaces)));
  if (random.one_in(2)) add("offset", std::to_string(random_integer(random)));
  if (random.one_in(2)) add("length", std::to_string(random_integer(random)));
  if (random.one_in(8)) add("offset", mutated_text("1", random));
}

void mutate_shape(onnx::TensorShapeProto& shape, Random& random) {
  if (shape.dim_size() == 0 || random.one_in(4)) {
    shape.add_dim()->set_dim_value(random.between(0, 4));
  } else if (random.one_in(4)) {
    shape.mutable_dim()->RemoveLast();
  } else {
    auto& size = *shape.mutable_dim(any_index(shape.dim_size(), random));
    switch (random.below(4)) {
      case 0:
        size.clear_value();
        break;
      case 1:
        size.set_dim_param("n");
        break;
      default:
        size.set_dim_value(mutated_integer(size.dim_value(), random));
    }
  }
}

}  // namespace

std::int64_t random_integer(Random& random) {
  return random.one_in(2) ? random.between(-3, 6) : random.pick(kIntegers);
}

double random_real(Random& random) {
  return random.one_in(2) ? static_cast<double>(random.between(-8, 8)) / 2 : random.pick(kReals);
}

int random_element_type(Random& random) {
  if (random.one_in(40)) return static_cast<int>(random_integer(random));
  return random.one_in(3) ? static_cast<int>(random.below(kTypes)) : random.pick(kUsualTypes);
}

std::int64_t mutated_integer(std::int64_t value, Random& random) {
  const auto bits = static_cast<std::uint64_t>(value);
  switch (random.below(6)) {
    case 0:
      return static_cast<std::int64_t>(bits + 1);
    case 1:
      return static_cast<std::int64_t>(bits - 1);
    case 2:
      return static_cast<std::int64_t>(0 - bits);
    case 3:
      return static_cast<std::int64_t>(bits * 2);
    default:
      return random_integer(random);
  }
}

std::string mutated_text(std::string text, Random& random) {
  if (text.empty() || random.one_in(2)) return std::string(random.pick(kTexts));
  const std::size_t at = random.below(text.size());
  switch (random.below(4)) {
    case 0:
      text.erase(at, 1);
      break;
    case 1:
      text.insert(at, 1, static_cast<char>(random.between(' ', '~')));
      break;
    case 2:
      text[at] = static_cast<char>(random.next());
      break;
    default:
      text += text.substr(at);
  }
  return text;
}

void fill_with_small_tensor(onnx::TensorProto& tensor, Random& random) {
  clear_data(tensor);
  tensor.clear_dims();
  const auto count = random.below(5);
  if (random.one_in(4)) {
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (std::size_t i = 0; i < count; ++i) tensor.add_float_data(static_cast<float>(random_real(random)));
  } else {
    tensor.set_data_type(onnx::TensorProto::INT64);
    for (std::size_t i = 0; i < count; ++i) tensor.add_int64_data(random_integer(random));
  }
  if (count != 1 || random.one_in(2)) tensor.add_dims(static_cast<std::int64_t>(count));
}

void mutate_tensor(onnx::TensorProto& tensor, Random& random) {
  switch (random.below(12)) {
    case 0:
      mutate_data_size(tensor, random);
      break;
    case 1:
    case 2:
      mutate_sizes(tensor, random);
      break;
    case 3:
      tensor.set_data_type(random_element_type(random));
      break;
    case 4:
      move_out(tensor, random);
      break;
    case 5:
    case 6:
      fill_with_small_tensor(tensor, random);
      break;
    default:
      mutate_element(tensor, random);
  }
}

void mutate_type(onnx::TypeProto& type, Random& random) {
  switch (random.below(8)) {
    case 0: {
      const onnx::TypeProto element = type;
      *type.mutable_sequence_type()->mutable_elem_type() = element;
      break;
    }
    case 1: {
      const onnx::TypeProto element = type;
      *type.mutable_optional_type()->mutable_elem_type() = element;
      break;
    }
    case 2:
      type.mutable_tensor_type()->set_elem_type(random_element_type(random));
      break;
    case 3:
      type.mutable_tensor_type()->clear_shape();
      break;
    default:
      if (type.has_sequence_type() && random.one_in(2)) {
        mutate_type(*type.mutable_sequence_type()->mutable_elem_type(), random);
      } else {
        mutate_shape(*type.mutable_tensor_type()->mutable_shape(), random);
      }
  }
}

}  // namespace onnx2ir::fuzz
