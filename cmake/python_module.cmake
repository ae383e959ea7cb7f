# The Python package, which calls the C interface, for CPython 3.9 and newer. In the build folder it is in python/, next to the
# library.
set(ONNX2IR_PYTHON_DIR "lib/python3/dist-packages" CACHE STRING "Folder of the Python package, below the prefix")
file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/python")
file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}/python/onnx2ir" "${CMAKE_CURRENT_BINARY_DIR}/python/onnx2ir" SYMBOLIC)
install(DIRECTORY python/onnx2ir DESTINATION "${ONNX2IR_PYTHON_DIR}" COMPONENT python
  FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
