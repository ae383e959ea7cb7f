# The results of the ONNX backend suite by operator, which --list-ops shows, from the committed file of the tests.
set(generator "${CMAKE_CURRENT_LIST_DIR}/generate_suite_table.cmake")
file(GLOB results CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/conformance/suite_results.txt")
get_target_property(driver_type onnx2ir_driver TYPE)
if(NOT driver_type STREQUAL "INTERFACE_LIBRARY")
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated/driver/suite_table.cpp")
  add_custom_command(
    OUTPUT "${generated}"
    COMMAND "${CMAKE_COMMAND}" "-DRESULTS=${results}" "-DOUTPUT=${generated}" -P "${generator}"
    DEPENDS "${generator}" ${results}
    COMMENT "Writing the table of suite results"
    VERBATIM)
  target_sources(onnx2ir_driver PRIVATE "${generated}")
endif()
