# The sources that depend on the table of operations, ir/ops/operations.txt.
set(generator "${CMAKE_CURRENT_LIST_DIR}/generate_operations.py")
set(table "${CMAKE_CURRENT_SOURCE_DIR}/ir/ops/operations.txt")
set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated/operations")
if(EXISTS "${table}")
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  file(STRINGS "${table}" families REGEX "^\\[")
  list(TRANSFORM families REPLACE "^\\[([a-z_]+)\\].*" "${generated}/ir/views/\\1.hpp")
  set(headers "${generated}/ir/operations.hpp" "${generated}/ir/attribute_names.hpp" "${generated}/ir/ops/families.hpp" ${families})
  # The stamp has the time of the last run, even if the files were not changed.
  add_custom_command(
    OUTPUT "${generated}/stamp"
    BYPRODUCTS ${headers} "${generated}/ir/ops/descriptors.cpp"
    COMMAND Python3::Interpreter "${generator}" "${table}" "${generated}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${generated}/stamp"
    DEPENDS "${generator}" "${table}"
    COMMENT "Writing the operations and their views"
    VERBATIM)
  target_sources(onnx2ir_ir PRIVATE "${generated}/stamp" "${generated}/ir/ops/descriptors.cpp")
  target_include_directories(onnx2ir_ir PUBLIC "${generated}")
endif()
