# The manual page and the shell completions. The tool generates them.
set(documentation_dir "${CMAKE_CURRENT_BINARY_DIR}/documentation")
file(MAKE_DIRECTORY "${documentation_dir}")
set(written "")
function(onnx2ir_documentation form file destination)
  add_custom_command(
    OUTPUT "${documentation_dir}/${file}"
    COMMAND onnx2ir_cli --documentation ${form} > "${documentation_dir}/${file}"
    DEPENDS onnx2ir_cli VERBATIM)
  set(written ${written} "${documentation_dir}/${file}" PARENT_SCOPE)
  install(FILES "${documentation_dir}/${file}" DESTINATION "${destination}" RENAME "${ARGN}")
endfunction()
onnx2ir_documentation(man onnx2ir.1 "${CMAKE_INSTALL_MANDIR}/man1" onnx2ir.1)
onnx2ir_documentation(bash onnx2ir.bash "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" onnx2ir)
onnx2ir_documentation(zsh onnx2ir.zsh "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" _onnx2ir)
onnx2ir_documentation(fish onnx2ir.fish "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" onnx2ir.fish)
add_custom_target(onnx2ir_documentation ALL DEPENDS ${written})
install(FILES LICENSE NOTICE CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
