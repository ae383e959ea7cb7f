#include "json/json.hpp"

namespace onnx2ir {

std::string compact_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string indented_text(const Json& value) {
  return value.dump(1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace onnx2ir
