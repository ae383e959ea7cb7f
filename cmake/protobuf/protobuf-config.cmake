# Stands in for protobuf's own CMake package where a distribution does not ship it, as Debian 12.
include(FindProtobuf)
set(protobuf_FOUND ${Protobuf_FOUND})
