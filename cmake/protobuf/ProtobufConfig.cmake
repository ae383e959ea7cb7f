# ONNX's package looks for protobuf's CMake configuration; Debian's libprotobuf-dev ships none. CMake's own module
# defines the same targets.
set(Protobuf_USE_STATIC_LIBS ON)
include(FindProtobuf)
