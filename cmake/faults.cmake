# The sources that depend on the faults and the releases of OpenVINO.
set(generator "${CMAKE_CURRENT_LIST_DIR}/generate_faults.py")
set(tables "${CMAKE_CURRENT_SOURCE_DIR}/target/faults.txt" "${CMAKE_CURRENT_SOURCE_DIR}/target/fault_occurrences.txt"
  "${CMAKE_CURRENT_LIST_DIR}/runtimes.txt")
set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated/faults")
if(NOT TARGET onnx2ir_target)
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
# The stamp has the time of the last run, even if the files were not changed.
add_custom_command(
  OUTPUT "${generated}/stamp"
  BYPRODUCTS "${generated}/target/fault_names.hpp" "${generated}/target/releases.inc" "${generated}/target/fault_rows.cpp"
  COMMAND Python3::Interpreter "${generator}" ${tables} "${generated}"
  COMMAND "${CMAKE_COMMAND}" -E touch "${generated}/stamp"
  DEPENDS "${generator}" ${tables}
  COMMENT "Writing the faults"
  VERBATIM)
target_sources(onnx2ir_target PRIVATE "${generated}/stamp" "${generated}/target/fault_rows.cpp")
target_include_directories(onnx2ir_target PUBLIC "${generated}")
