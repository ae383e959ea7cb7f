# The identities of the IR's operations, from the tables in ir/ops.
set(generator "${CMAKE_CURRENT_LIST_DIR}/generate_operations.cmake")
file(GLOB tables CONFIGURE_DEPENDS ir/ops/*.cpp)
set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated/operations")
if(tables)
  # The stamp has the time of the last run, even if the header was not changed.
  add_custom_command(
    OUTPUT "${generated}/stamp"
    BYPRODUCTS "${generated}/ir/operations.hpp"
    COMMAND "${CMAKE_COMMAND}" "-DOPS=${CMAKE_CURRENT_SOURCE_DIR}/ir/ops" "-DOUTPUT=${generated}/ir/operations.hpp" -P "${generator}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${generated}/stamp"
    DEPENDS "${generator}" ${tables}
    COMMENT "Writing the identities of the operations"
    VERBATIM)
  target_sources(onnx2ir_ir PRIVATE "${generated}/stamp")
  target_include_directories(onnx2ir_ir PUBLIC "${generated}")
endif()
