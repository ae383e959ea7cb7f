// The domains of operators whose translators are in the subfolders of this directory.
#pragma once

#include <stdexcept>
#include <string_view>

namespace onnx2ir::frontend {

inline constexpr std::string_view kMicrosoft = "com.microsoft";

/// The domain of the rows in a subfolder that state none.
struct FolderDomain {
  std::string_view folder;
  std::string_view domain;
};

inline constexpr FolderDomain kFolderDomains[] = {
    {"ai_onnx_ml", "ai.onnx.ml"},
    {"com_microsoft", kMicrosoft},
    {"mmdeploy", "mmdeploy"},
    {"onnx", ""},
    {"onnx_training", "ai.onnx.preview.training"},
    {"org_openvinotoolkit", ""},  // these operators are found in ONNX's domain as well as in their own one
    {"org_pytorch_aten", ""},     // in the same way
};

/// Does not compile for a folder that the table does not list.
consteval std::string_view domain_of_folder(std::string_view folder) {
  for (const FolderDomain& row : kFolderDomains) {
    if (row.folder == folder) return row.domain;
  }
  throw std::logic_error("kFolderDomains does not list this folder");
}

}  // namespace onnx2ir::frontend
