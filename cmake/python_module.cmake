# The Python module, where pybind11 and Python's headers are there. It lies beside the library it uses.
set(PYBIND11_FINDPYTHON ON)
find_package(pybind11 CONFIG QUIET)
if(NOT pybind11_FOUND OR NOT TARGET onnx2ir)
  return()
endif()
pybind11_add_module(onnx2ir_python MODULE NO_EXTRAS python/module.cpp)
target_link_libraries(onnx2ir_python PRIVATE onnx2ir_settings onnx2ir)
set(python_dir "${CMAKE_INSTALL_LIBDIR}/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}/site-packages")
file(RELATIVE_PATH python_to_library "/${python_dir}" "/${CMAKE_INSTALL_LIBDIR}")
set_target_properties(onnx2ir_python PROPERTIES
  OUTPUT_NAME onnx2ir LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/python"
  INSTALL_RPATH "$ORIGIN/${python_to_library}")
install(TARGETS onnx2ir_python LIBRARY DESTINATION "${python_dir}")
install(FILES python/onnx2ir.pyi DESTINATION "${python_dir}")
