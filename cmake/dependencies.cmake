# The libraries installed on the machine. ONNX_ROOT is the prefix of the ONNX package.
find_package(fmt REQUIRED)
find_package(pugixml REQUIRED)

# Prefer static libraries: fewer files to load at start-up, and fewer dependencies of the installed package. Therefore fmt is
# compiled into a static library here.
add_library(onnx2ir_fmt STATIC cmake/fmt/compiled_fmt.cpp)
target_include_directories(onnx2ir_fmt SYSTEM PUBLIC $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(onnx2ir_fmt PRIVATE onnx2ir_settings)
find_library(ONNX2IR_PUGIXML_ARCHIVE libpugixml.a)
add_library(onnx2ir_pugixml INTERFACE)
if(ONNX2IR_PUGIXML_ARCHIVE)
  target_link_libraries(onnx2ir_pugixml INTERFACE ${ONNX2IR_PUGIXML_ARCHIVE})
  target_include_directories(onnx2ir_pugixml SYSTEM INTERFACE
    $<TARGET_PROPERTY:pugixml::pugixml,INTERFACE_INCLUDE_DIRECTORIES>)
else()
  target_link_libraries(onnx2ir_pugixml INTERFACE pugixml::pugixml)
endif()

# Headers only.
find_package(nlohmann_json 3.10 REQUIRED)
add_library(onnx2ir_nlohmann INTERFACE)
target_include_directories(onnx2ir_nlohmann SYSTEM INTERFACE $<TARGET_PROPERTY:nlohmann_json::nlohmann_json,INTERFACE_INCLUDE_DIRECTORIES>)

# ONNX's package requires protobuf's CMake package, which Debian does not ship. cmake/protobuf replaces it.
find_package(protobuf CONFIG QUIET)
if(NOT protobuf_FOUND)
  set(protobuf_DIR "${CMAKE_CURRENT_LIST_DIR}/protobuf" CACHE PATH "" FORCE)
  set(Protobuf_DIR "${CMAKE_CURRENT_LIST_DIR}/protobuf" CACHE PATH "" FORCE)
endif()
find_package(ONNX REQUIRED CONFIG)
if(ONNX_VERSION VERSION_LESS 1.17)
  message(FATAL_ERROR "ONNX ${ONNX_VERSION} at ${ONNX_DIR} is too old: 1.17 is the least")
endif()
message(STATUS "ONNX ${ONNX_VERSION} at ${ONNX_DIR}")

# Programs link protobuf statically, which saves start-up time. The shared library cannot link Debian's static library, because it
# is not position independent; `./dev package` and `./dev wheel` build one that is.
set(ONNX2IR_PIC_PROTOBUF "" CACHE FILEPATH "A position-independent libprotobuf.a of the version of the headers")
find_library(ONNX2IR_PROTOBUF_ARCHIVE libprotobuf.a)
add_library(onnx2ir_protobuf INTERFACE)
if(ONNX2IR_PIC_PROTOBUF)
  target_link_libraries(onnx2ir_protobuf INTERFACE "${ONNX2IR_PIC_PROTOBUF}")
else()
  find_package(ZLIB REQUIRED)
  target_link_libraries(onnx2ir_protobuf INTERFACE
    "$<IF:$<AND:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>,$<BOOL:${ONNX2IR_PROTOBUF_ARCHIVE}>>,${ONNX2IR_PROTOBUF_ARCHIVE};ZLIB::ZLIB,protobuf::libprotobuf>")
endif()
get_target_property(protobuf_includes protobuf::libprotobuf INTERFACE_INCLUDE_DIRECTORIES)
target_include_directories(onnx2ir_protobuf SYSTEM INTERFACE ${protobuf_includes})
set_target_properties(ONNX::onnx ONNX::onnx_proto PROPERTIES INTERFACE_LINK_LIBRARIES onnx2ir_protobuf)

add_library(onnx2ir_onnx INTERFACE)
target_link_libraries(onnx2ir_onnx INTERFACE ONNX::onnx ONNX::onnx_proto onnx2ir_protobuf)
get_target_property(ONNX2IR_ONNX_INCLUDE_DIR ONNX::onnx INTERFACE_INCLUDE_DIRECTORIES)
