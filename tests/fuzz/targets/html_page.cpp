// Any IR as an HTML page: its data are JSON that cannot leave their element, and the same model gives the
// same page.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "targets/given_ir.hpp"

namespace {

using namespace onnx2ir;

constexpr std::string_view kBegin = "<script type=\"application/json\"";
constexpr std::string_view kEnd = "</script>";

void check_page(std::string_view page) {
  const std::size_t element = page.find(kBegin);
  if (element == std::string_view::npos) fuzz::fail("the page has no data");
  const std::size_t first = page.find('>', element) + 1;
  const std::string_view json = page.substr(first, page.find(kEnd, first) - first);
  if (json.find('<') != std::string_view::npos) fuzz::fail("the data have an unescaped '<'");
  if (!nlohmann::json::accept(json)) fuzz::fail("the data are not JSON");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto model = fuzz::given_model(data, size);
  if (!model) return 0;
  const std::string page = model->html();
  check_page(page);
  if (model->html() != page) fuzz::fail("a second page of the same model differs");
  check_page(differences_html(*model, *model));
  if (model->text_with_origins().empty()) fuzz::fail("the model has no text");
  return 0;
}
