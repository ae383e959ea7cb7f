// The functions of fmt that callers of fmt::format need, compiled once. Debian has fmt as headers and as a
// shared library only: as headers, fmt takes 5 s in each source; as a shared library, it is one more file to
// load at start-up.
#define FMT_HEADER_ONLY 1
#include <fmt/format.h>

namespace {

// Inline functions are emitted only if something refers to them.
[[gnu::used]] std::string (*const kFormat)(fmt::string_view, fmt::format_args) = &fmt::vformat;
[[gnu::used]] const auto kError = &fmt::detail::throw_format_error;
[[gnu::used]] bool (*const kPrintable)(std::uint32_t) = &fmt::detail::is_printable;
[[gnu::used]] const auto kAssertion = &fmt::detail::assert_fail;

}  // namespace
