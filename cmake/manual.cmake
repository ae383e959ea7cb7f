# The documents that `onnx2ir explain` prints, as strings. Those that are generated from tables are printed from the tables.
set(embed "${CMAKE_CURRENT_LIST_DIR}/embed_manual.cmake")
set(folder "${CMAKE_CURRENT_SOURCE_DIR}/docs")
set(topics command-line control-flow embedding extensions from-ovc golden-files html language-models limits lint platforms quantised-models quick-start releases
  security stats text-ir verify)
list(TRANSFORM topics REPLACE "(.+)" "${folder}/\\1.md" OUTPUT_VARIABLE documents)
set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated/manual_topics.cpp")
add_custom_command(
  OUTPUT "${generated}"
  COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${folder}" "-DTOPICS=${topics}" "-DOUTPUT=${generated}" -P "${embed}"
  DEPENDS "${embed}" ${documents}
  COMMENT "Embedding the documents for onnx2ir explain"
  VERBATIM)
target_sources(onnx2ir_cli PRIVATE "${generated}")
set_source_files_properties("${generated}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
