// The files in backend_html/viewer, which cmake/embed_viewer.cmake puts into a generated source.
#pragma once

#include <span>
#include <string_view>

namespace onnx2ir::backend_html {

/// The frame of the page, with "@NAME@" for the parts that page() fills in.
extern const std::string_view kViewerPage;
extern const std::string_view kViewerStyle;
/// The scripts, which belong one after the other.
extern const std::span<const std::string_view> kViewerScripts;

}  // namespace onnx2ir::backend_html
