# The package: the shared library, the public headers, the tool, and files for find_package and pkg-config.
# All paths are relative to the files, so the tree can be moved.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/onnx2ir")

install(TARGETS onnx2ir onnx2ir_extension EXPORT onnx2irTargets)
install(TARGETS onnx2ir_cli)
install(DIRECTORY include/onnx2ir TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(EXPORT onnx2irTargets NAMESPACE onnx2ir:: DESTINATION "${package_dir}")

configure_package_config_file(cmake/onnx2irConfig.cmake.in onnx2irConfig.cmake INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(onnx2irConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/onnx2irConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/onnx2irConfigVersion.cmake"
  DESTINATION "${package_dir}")

set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH PKGCONFIG_TO_PREFIX "/${pkgconfig_dir}" "/")
configure_file(cmake/onnx2ir.pc.in onnx2ir.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/onnx2ir.pc" DESTINATION "${pkgconfig_dir}")
