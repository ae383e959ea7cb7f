# The names of operands of ONNX's operators, from the table frontend/translators/operands.txt.
if(NOT TARGET onnx2ir_frontend_translators)
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(generator "${CMAKE_CURRENT_LIST_DIR}/generate_operands.py")
set(table "${CMAKE_CURRENT_SOURCE_DIR}/frontend/translators/operands.txt")
set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated/operands")
file(STRINGS "${table}" headers REGEX "^\\[")
list(TRANSFORM headers REPLACE "^\\[([a-z_]+)\\].*" "${generated}/frontend/translators/\\1/operands.hpp")
# The stamp has the time of the last run, even if the headers were not changed.
add_custom_command(
  OUTPUT "${generated}/stamp"
  BYPRODUCTS ${headers}
  COMMAND Python3::Interpreter "${generator}" "${table}" "${generated}"
  COMMAND "${CMAKE_COMMAND}" -E touch "${generated}/stamp"
  DEPENDS "${generator}" "${table}"
  COMMENT "Writing the names of operands"
  VERBATIM)
target_sources(onnx2ir_frontend_translators PRIVATE "${generated}/stamp")
target_include_directories(onnx2ir_frontend_translators PUBLIC "${generated}")
