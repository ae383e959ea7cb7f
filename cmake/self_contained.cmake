# Targets that need no library except glibc: the static tool, the library of the wheel, and the static library.

# The tool as one static file for every Linux distribution.
add_executable(onnx2ir_static_tool EXCLUDE_FROM_ALL $<TARGET_PROPERTY:onnx2ir_cli,SOURCES>)
target_include_directories(onnx2ir_static_tool PRIVATE "${ONNX2IR_INCLUDE_ROOTS}/cli")
target_link_libraries(onnx2ir_static_tool PRIVATE onnx2ir_settings onnx2ir_api onnx2ir_platform onnx2ir_json)
target_link_options(onnx2ir_static_tool PRIVATE -static -s)
set_target_properties(onnx2ir_static_tool PROPERTIES
  OUTPUT_NAME onnx2ir RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/self_contained")

# The library of the wheel, for glibc 2.28 and newer. It exports only the C interface.
add_library(onnx2ir_wheel_library SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:onnx2ir_api> cmake/glibc_2_28.cpp)
target_link_libraries(onnx2ir_wheel_library PRIVATE onnx2ir_settings onnx2ir_api)
target_link_options(onnx2ir_wheel_library PRIVATE -static-libstdc++ -s
  -Wl,--exclude-libs,ALL -Wl,--no-undefined -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2
  "-Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/c_symbols.map")
set_source_files_properties(cmake/glibc_2_28.cpp cmake/glibc_2_28_program.cpp PROPERTIES COMPILE_OPTIONS "-fno-builtin;-Wno-pedantic")
set_target_properties(onnx2ir_wheel_library PROPERTIES
  LINK_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/c_symbols.map"
  OUTPUT_NAME onnx2ir LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/self_contained")

# The tool of the wheel, for the same glibc. It is not static, so that it can load libraries with translators (--extension).
add_executable(onnx2ir_wheel_tool EXCLUDE_FROM_ALL $<TARGET_PROPERTY:onnx2ir_cli,SOURCES> cmake/glibc_2_28.cpp
  cmake/glibc_2_28_program.cpp)
target_include_directories(onnx2ir_wheel_tool PRIVATE "${ONNX2IR_INCLUDE_ROOTS}/cli")
target_link_libraries(onnx2ir_wheel_tool PRIVATE onnx2ir_settings onnx2ir_api onnx2ir_platform onnx2ir_json)
target_link_options(onnx2ir_wheel_tool PRIVATE -static-libstdc++ -s
  -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 "-Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/c_symbols.map")
set_target_properties(onnx2ir_wheel_tool PROPERTIES
  LINK_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/c_symbols.map"
  OUTPUT_NAME onnx2ir RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/self_contained/wheel")

# The static library is one object in which all symbols except our own are local, also those of protobuf and ONNX, so that a
# program can use another protobuf. Section groups are merged, otherwise the linker would replace inline functions by the program's.
list(TRANSFORM ONNX2IR_LAYERS REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE parts)
set(archives "$<TARGET_FILE:ONNX::onnx>;$<TARGET_FILE:ONNX::onnx_proto>;${ONNX2IR_PIC_PROTOBUF};${ONNX2IR_PUGIXML_ARCHIVE};$<TARGET_FILE:onnx2ir_fmt>")
set(static "${CMAKE_CURRENT_BINARY_DIR}/self_contained/libonnx2ir.a")
add_custom_command(
  OUTPUT "${static}"
  COMMAND "${CMAKE_COMMAND}" -E rm -f "${static}"
  COMMAND "${CMAKE_LINKER}" -r --force-group-allocation -o "${static}.o" --whole-archive ${parts} --no-whole-archive
          --start-group ${archives} --end-group
  # objcopy cannot make symbols of type GNU_UNIQUE local; weak ones it can.
  COMMAND "${CMAKE_OBJCOPY}" --wildcard "--weaken-symbol=_Z*" "${static}.o"
  COMMAND "${CMAKE_OBJCOPY}" --strip-debug --wildcard "--keep-global-symbol=onnx2ir_*" "--keep-global-symbol=_ZN*7onnx2ir*"
          "${static}.o"
  COMMAND "${CMAKE_AR}" rcs "${static}" "${static}.o"
  COMMAND "${CMAKE_COMMAND}" -E rm -f "${static}.o"
  DEPENDS ${ONNX2IR_LAYERS} onnx2ir_fmt ${ONNX2IR_PIC_PROTOBUF}
  COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(onnx2ir_static DEPENDS "${static}")
add_custom_target(onnx2ir_self_contained DEPENDS onnx2ir_static_tool onnx2ir_wheel_library onnx2ir_wheel_tool onnx2ir_static)

if(SKBUILD)
  install(TARGETS onnx2ir_wheel_library LIBRARY DESTINATION onnx2ir COMPONENT wheel EXCLUDE_FROM_ALL)
  install(FILES include/onnx2ir/extension.h include/onnx2ir/extension.hpp DESTINATION onnx2ir/include/onnx2ir COMPONENT wheel
    EXCLUDE_FROM_ALL)
  install(PROGRAMS $<TARGET_FILE:onnx2ir_wheel_tool> DESTINATION "${SKBUILD_SCRIPTS_DIR}" COMPONENT wheel EXCLUDE_FROM_ALL)
endif()
