# find_package(onnx2ir) for the tarball: its static library, which hides all symbols but those of the public API.
get_filename_component(onnx2ir_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET onnx2ir::onnx2ir)
  add_library(onnx2ir::onnx2ir STATIC IMPORTED)
  set_target_properties(onnx2ir::onnx2ir PROPERTIES
    IMPORTED_LOCATION "${onnx2ir_prefix}/lib/libonnx2ir.a"
    INTERFACE_INCLUDE_DIRECTORIES "${onnx2ir_prefix}/include"
    INTERFACE_LINK_LIBRARIES "stdc++;m;pthread")
  # A program in C has no standard of C++.
  get_property(onnx2ir_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("CXX" IN_LIST onnx2ir_languages)
    set_property(TARGET onnx2ir::onnx2ir PROPERTY INTERFACE_COMPILE_FEATURES cxx_std_20)
  endif()
endif()
if(NOT TARGET onnx2ir::extension)
  add_library(onnx2ir::extension INTERFACE IMPORTED)
  set_target_properties(onnx2ir::extension PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${onnx2ir_prefix}/include"
    INTERFACE_COMPILE_FEATURES cxx_std_17)
endif()
