// The arguments of the command line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <onnx2ir/onnx2ir.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/commands.hpp"

namespace onnx2ir::cli {

struct Arguments;

/// A list to print instead of a conversion.
using Listing = std::string (*)(const Arguments& arguments);

/// The format of errors and warnings.
enum class DiagnosticsFormat : std::uint8_t { text, json, github, sarif };
/// Their names, in the order of the enumeration.
inline constexpr std::array<std::string_view, 4> kDiagnosticsFormats{"text", "json", "github", "sarif"};

/// When errors and warnings have colours.
enum class Color : std::uint8_t { automatic, always, never };
/// Their names, in the order of the enumeration.
inline constexpr std::array<std::string_view, 3> kColors{"auto", "always", "never"};

struct Arguments {
  Command command = Command::convert;
  std::vector<std::string> models;  ///< "-": standard input
  std::string output_model;
  Options options;
  SaveOptions saving;
  bool only_checks = false;  ///< nothing is written
  unsigned jobs = 1;
  std::string report;  ///< file of the report; "-": standard output
  std::string html;    ///< file of the HTML page; "-": standard output
  bool verbose = false;
  bool quiet = false;
  bool has_json_output = false;  ///< of lint, diff and stats
  bool ignores_names = false;    ///< of diff
  bool has_origins = false;      ///< of show
  StatsOptions stats;
  Color color = Color::automatic;
  DiagnosticsFormat diagnostics_format = DiagnosticsFormat::text;
  std::filesystem::path checked_files;  ///< the XML of the pair to check
  Listing listing = nullptr;
  std::size_t documentation = 0;  ///< the index of its form in kDocumentationForms
};

/// The rows of the options of all commands. They write to `arguments`, which must outlive them.
std::vector<Option> all_options(Arguments& arguments);
/// Those of the command in `arguments`.
std::vector<Option> option_table(Arguments& arguments);

}  // namespace onnx2ir::cli
