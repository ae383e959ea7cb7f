// The arguments of the command line.
#pragma once

#include <filesystem>
#include <onnx2ir/onnx2ir.hpp>
#include <string>
#include <vector>

#include "cli/command_line.hpp"

namespace onnx2ir::cli {

/// A list to print instead of a conversion.
enum class Listing : std::uint8_t {
  none,
  help,
  version,
  operators,
  passes,
  faults,
  diagnostics,
  documentation
};

struct Arguments {
  std::vector<std::string> models;  ///< "-": standard input
  std::string output_model;
  Options options;
  SaveOptions saving;
  bool only_checks = false;  ///< nothing is written
  unsigned jobs = 1;
  std::string report;  ///< file of the report; "-": standard output
  bool verbose = false;
  bool quiet = false;
  bool has_json_diagnostics = false;
  std::filesystem::path checked_files;  ///< the XML of the pair to check
  Listing listing = Listing::none;
  std::string documentation;  ///< the format of Listing::documentation
};

/// The rows of all options. They write to `arguments`, which must outlive them.
std::vector<Option> option_table(Arguments& arguments);

}  // namespace onnx2ir::cli
