# The headers that list the passes and the workarounds for single nodes. Each file of their folders has one function with its name, so
# the file names are the lists. CMake runs again if a file is added or removed, not if one is edited.
set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated/passes")

# Sets `variable` to the names of the source files in the given folders, without endings, in alphabetical order.
function(onnx2ir_names_of_sources variable)
  set(names "")
  foreach(folder IN LISTS ARGN)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp")
    foreach(source IN LISTS sources)
      cmake_path(GET source STEM name)
      list(APPEND names "${name}")
    endforeach()
  endforeach()
  list(SORT names)
  set(${variable} "${names}" PARENT_SCOPE)
endfunction()

set(PASS_DECLARATIONS "")
onnx2ir_names_of_sources(names passes/normalize passes/optimize passes/legalize)
foreach(name IN LISTS names)
  string(APPEND PASS_DECLARATIONS "bool ${name}(ir::Model& model, PassContext& context);\n")
endforeach()
configure_file("${CMAKE_CURRENT_LIST_DIR}/passes.hpp.in" "${generated}/passes/passes.hpp" @ONLY)

set(WORKAROUND_DECLARATIONS "")
set(WORKAROUND_ENTRIES "")
onnx2ir_names_of_sources(names passes/workarounds)
foreach(name IN LISTS names)
  string(APPEND WORKAROUND_DECLARATIONS "Workaround ${name}();\n")
  string(APPEND WORKAROUND_ENTRIES "    {\"${name}\", ${name}},\n")
endforeach()
configure_file("${CMAKE_CURRENT_LIST_DIR}/all_workarounds.hpp.in" "${generated}/passes/legality/all_workarounds.hpp" @ONLY)

target_include_directories(onnx2ir_passes PUBLIC "${generated}")
