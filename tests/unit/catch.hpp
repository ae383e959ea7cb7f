// Catch2, version 2 or 3: they differ in the name of the header, and in that of the matcher of parts of
// texts.
#pragma once

#include <string>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
inline auto contains(const std::string& part) {
  return Catch::Matchers::ContainsSubstring(part);
}
#else
#include <catch2/catch.hpp>
inline auto contains(const std::string& part) {
  return Catch::Matchers::Contains(part);
}
#endif
