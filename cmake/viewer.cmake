# The frame, style and scripts of the HTML page, as strings.
set(embed "${CMAKE_CURRENT_LIST_DIR}/embed_viewer.cmake")
set(folder "${CMAKE_CURRENT_SOURCE_DIR}/backend_html/viewer")
set(scripts model families folding layout placement drawing minimap statistics details main)  # in the order of the page
list(TRANSFORM scripts REPLACE "(.+)" "${folder}/\\1.js" OUTPUT_VARIABLE script_files)
set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated/viewer_files.cpp")
add_custom_command(
  OUTPUT "${generated}"
  COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${folder}" "-DSCRIPTS=${scripts}" "-DOUTPUT=${generated}" -P "${embed}"
  DEPENDS "${embed}" "${folder}/page.html" "${folder}/style.css" ${script_files}
  COMMENT "Embedding the viewer of the HTML page"
  VERBATIM)
target_sources(onnx2ir_backend_html PRIVATE "${generated}")
set_source_files_properties("${generated}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
