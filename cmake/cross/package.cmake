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
