# The Debian package (CPack) and the tarball, for `./dev package`.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME onnx2ir)
set(CPACK_PACKAGE_VENDOR "the authors of onnx2ir")
set(CPACK_PACKAGE_CONTACT "the authors of onnx2ir <onnx2ir@invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${CMAKE_CURRENT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS python3)
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/triggers" "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_BINARY_DIR}/triggers")
include(CPack)

# The tarball has the static tool, the static library, headers, files for find_package and pkg-config, the documents, the manual page and
# the shell completions.
if(TARGET onnx2ir_static_tool)
  set(tarball "onnx2ir-${PROJECT_VERSION}-linux-x86_64")
  install(PROGRAMS $<TARGET_FILE:onnx2ir_static_tool> DESTINATION "${tarball}/bin" COMPONENT tarball EXCLUDE_FROM_ALL)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/self_contained/libonnx2ir.a" DESTINATION "${tarball}/lib" COMPONENT tarball
    EXCLUDE_FROM_ALL)
  install(FILES cmake/tarball/onnx2irConfig.cmake "${CMAKE_CURRENT_BINARY_DIR}/onnx2irConfigVersion.cmake"
    DESTINATION "${tarball}/lib/cmake/onnx2ir" COMPONENT tarball EXCLUDE_FROM_ALL)
  configure_file(cmake/tarball/onnx2ir.pc.in tarball/onnx2ir.pc @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/tarball/onnx2ir.pc" DESTINATION "${tarball}/lib/pkgconfig" COMPONENT tarball EXCLUDE_FROM_ALL)
  install(DIRECTORY docs DESTINATION "${tarball}" COMPONENT tarball EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "*.md")
  install(DIRECTORY include/onnx2ir DESTINATION "${tarball}/include" COMPONENT tarball EXCLUDE_FROM_ALL
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
  install(FILES "${documentation_dir}/onnx2ir.1" DESTINATION "${tarball}/share/man/man1" COMPONENT tarball EXCLUDE_FROM_ALL)
  install(FILES "${documentation_dir}/onnx2ir.bash" "${documentation_dir}/onnx2ir.zsh" "${documentation_dir}/onnx2ir.fish"
    DESTINATION "${tarball}/share/completions" COMPONENT tarball EXCLUDE_FROM_ALL)
  install(FILES LICENSE NOTICE CHANGELOG.md README.md DESTINATION "${tarball}" COMPONENT tarball EXCLUDE_FROM_ALL)
endif()
