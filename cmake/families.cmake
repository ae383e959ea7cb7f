# The list of the families of translators, found in the sources of frontend/translators. After an edit of one of them, the generator runs
# again, but the list changes only if a family was added, removed or renamed.
if(NOT TARGET onnx2ir_frontend_translators)
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(generator "${CMAKE_CURRENT_LIST_DIR}/generate_families.py")
set(folder "${CMAKE_CURRENT_SOURCE_DIR}/frontend/translators")
set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated/families")
file(GLOB sources CONFIGURE_DEPENDS "${folder}/*/*.cpp")
# The stamp has the time of the last run, even if the header was not changed.
add_custom_command(
  OUTPUT "${generated}/stamp"
  BYPRODUCTS "${generated}/frontend/translators/families.hpp"
  COMMAND Python3::Interpreter "${generator}" "${folder}" "${generated}/frontend/translators/families.hpp"
  COMMAND "${CMAKE_COMMAND}" -E touch "${generated}/stamp"
  DEPENDS "${generator}" ${sources}
  COMMENT "Listing the families of translators"
  VERBATIM)
target_sources(onnx2ir_frontend_translators PRIVATE "${generated}/stamp")
target_include_directories(onnx2ir_frontend_translators PUBLIC "${generated}")
