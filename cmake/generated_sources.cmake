# Sources of a layer that a Python program writes from tables.
#
#   onnx2ir_generate(LAYER NAME READS FILE... HEADERS FILE... [SOURCES FILE...])
#
# cmake/generate_NAME.py gets the paths that it reads and the folder to write to. One of the paths may be a folder: its sources are read. A header
# "views/@HEADING@.hpp" is one for each heading "[HEADING]" of the first table.
function(onnx2ir_generate layer name)
  cmake_parse_arguments(PARSE_ARGV 2 given "" "" "READS;HEADERS;SOURCES")
  list(TRANSFORM given_READS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(GET given_READS 0 table)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(generator "${CMAKE_CURRENT_SOURCE_DIR}/cmake/generate_${name}.py")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/generated/${name}")
  set(tables ${given_READS})
  set(headings "")
  if(IS_DIRECTORY "${table}")
    file(GLOB tables CONFIGURE_DEPENDS "${table}/*/*.cpp")
  else()
    file(STRINGS "${table}" headings REGEX "^\\[")
    list(TRANSFORM headings REPLACE "^\\[([a-z_]+).*" "\\1")
  endif()
  set(files "")
  foreach(file IN LISTS given_HEADERS given_SOURCES)
    if(file MATCHES "@HEADING@")
      foreach(heading IN LISTS headings)
        string(REPLACE "@HEADING@" "${heading}" each "${file}")
        list(APPEND files "${output}/${each}")
      endforeach()
    else()
      list(APPEND files "${output}/${file}")
    endif()
  endforeach()
  # A program does not write a file that would stay the same, so that nothing is compiled again. The stamp has the time of the last run.
  add_custom_command(
    OUTPUT "${output}/stamp"
    BYPRODUCTS ${files}
    COMMAND Python3::Interpreter "${generator}" ${given_READS} "${output}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${output}/stamp"
    DEPENDS "${generator}" ${tables}
    COMMENT "Writing ${name}"
    VERBATIM)
  list(TRANSFORM given_SOURCES PREPEND "${output}/")
  target_sources(${layer} PRIVATE "${output}/stamp" ${given_SOURCES})
  target_include_directories(${layer} PUBLIC "${output}")
endfunction()
