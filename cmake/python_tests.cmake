# ctest also runs the Python tests: each file is a test, labelled with its folder (`ctest -L golden`). A first `./dev test` makes the
# environment. Folders that need more packages or Chromium have options of `./dev test` instead: see tests/conftest.py.
set(ONNX2IR_TEST_PYTHON "${CMAKE_CURRENT_SOURCE_DIR}/build/environment/bin/python" CACHE FILEPATH "the Python that runs the tests")
file(GLOB files RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS tests/test_*.py tests/*/test_*.py)
list(FILTER files EXCLUDE REGEX "^tests/(browser|cross|devices|genai|zoo)/")
foreach(file IN LISTS files)
  cmake_path(GET file PARENT_PATH folder)
  cmake_path(GET folder FILENAME label)
  if(label STREQUAL "tests")
    set(label repository)
  endif()
  add_test(NAME "${file}" COMMAND "${ONNX2IR_TEST_PYTHON}" -m pytest "${file}" WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  # The conformance cases use two processes; nothing is selected from some files on a release. The longest test takes ten minutes.
  set_tests_properties("${file}" PROPERTIES LABELS "python;${label}" PROCESSORS 2 TIMEOUT 3600)
endforeach()
