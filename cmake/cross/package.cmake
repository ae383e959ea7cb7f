# The tarball or zip of ./dev cross: the tool, the headers for libraries with translators, and the documents.
set(package_systems x86_64-windows-gnu=windows-x86_64 aarch64-linux-gnu.2.28=linux-aarch64 x86_64-linux-musl=linux-x86_64-musl
  aarch64-macos=macos-aarch64 x86_64-macos=macos-x86_64)
list(FILTER package_systems INCLUDE REGEX "^${ONNX2IR_CROSS_TARGET}=")
string(REGEX REPLACE ".*=" "" package_system "${package_systems}")
set(package "onnx2ir-${PROJECT_VERSION}-${package_system}")
install(TARGETS onnx2ir_cli RUNTIME DESTINATION "${package}/bin" COMPONENT cross EXCLUDE_FROM_ALL)
install(FILES include/onnx2ir/extension.h include/onnx2ir/extension.hpp DESTINATION "${package}/include/onnx2ir" COMPONENT cross
  EXCLUDE_FROM_ALL)
install(DIRECTORY docs DESTINATION "${package}" COMPONENT cross EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "*.md")
install(FILES LICENSE NOTICE CHANGELOG.md README.md DESTINATION "${package}" COMPONENT cross EXCLUDE_FROM_ALL)
foreach(license libcxx/LICENSE.TXT=libc++ libc/musl/COPYRIGHT=musl libc/mingw/COPYING=mingw-w64)
  string(REGEX MATCH "^(.*)=(.*)$" matched ${license})
  install(FILES "${ONNX2IR_CROSS_COMPILER}/lib/${CMAKE_MATCH_1}" DESTINATION "${package}/licenses" RENAME "${CMAKE_MATCH_2}.txt"
    COMPONENT cross EXCLUDE_FROM_ALL)
endforeach()

# The library of the wheel. It exports only the C interface.
if(NOT APPLE)
  add_library(onnx2ir_cross_library SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:onnx2ir_api>)
  target_link_libraries(onnx2ir_cross_library PRIVATE onnx2ir_settings onnx2ir_api)
  set_target_properties(onnx2ir_cross_library PROPERTIES OUTPUT_NAME onnx2ir
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/wheel" RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/wheel"
    ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/wheel")  # the import library of a DLL
  if(WIN32)
    file(READ include/onnx2ir/onnx2ir.h header)
    string(REGEX MATCHALL "\nONNX2IR_C_API [^(]*\\(" exported "${header}")
    list(TRANSFORM exported REPLACE "^.*[ *](onnx2ir_[a-z_0-9]+)\\($" "  \\1")
    list(JOIN exported "\n" exported)
    file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/onnx2ir.def" CONTENT "EXPORTS\n${exported}\n")
    target_sources(onnx2ir_cross_library PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/onnx2ir.def")
    set_target_properties(onnx2ir_cross_library PROPERTIES PREFIX "")
  else()
    target_link_options(onnx2ir_cross_library PRIVATE -s -Wl,--no-undefined "-Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/../c_symbols.map")
    set_target_properties(onnx2ir_cross_library PROPERTIES LINK_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/../c_symbols.map")
  endif()
endif()
