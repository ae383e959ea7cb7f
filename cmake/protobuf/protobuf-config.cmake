# Stands in for protobuf's own CMake package where a distribution does not ship it, as Debian 12.
set(FPHSA_NAME_MISMATCHED ON)
include(FindProtobuf)
unset(FPHSA_NAME_MISMATCHED)
set(protobuf_FOUND ${Protobuf_FOUND})
