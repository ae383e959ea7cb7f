# The table of ONNX's operator schemas for the front end, generated from the headers of the ONNX installation.
set(generator "${CMAKE_CURRENT_LIST_DIR}/generate_schema_table.cmake")
set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated")
file(GLOB schema_headers "${ONNX2IR_ONNX_INCLUDE_DIR}/onnx/defs/*operator_sets*.h")
add_custom_command(
  OUTPUT "${generated}/frontend/schema_table.cpp"
  COMMAND "${CMAKE_COMMAND}" "-DONNX_INCLUDE=${ONNX2IR_ONNX_INCLUDE_DIR}"
          "-DOUTPUT=${generated}/frontend/schema_table.cpp" -P "${generator}"
  DEPENDS "${generator}" ${schema_headers}
  COMMENT "Writing the table of ONNX schemas"
  VERBATIM)
target_sources(onnx2ir_frontend_reader PRIVATE "${generated}/frontend/schema_table.cpp")
