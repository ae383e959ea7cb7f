// Writes a model to functions of the program.
#include <algorithm>
#include <set>
#include <vector>

#include "backend_xml/weights_digest.hpp"
#include "backend_xml/weights_layout.hpp"
#include "backend_xml/write_model.hpp"
#include "backend_xml/xml_writer.hpp"
#include "base/failure.hpp"
#include "ir/narrowing.hpp"

namespace onnx2ir::backend_xml {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20U;
/// The part of the work up to the end of the weights.
constexpr double kWeightsPart = 0.9;

void report(const WriteOptions& options, std::string_view stage, double fraction) {
  if (options.progress) options.progress(stage, fraction);
  if (options.is_cancelled && options.is_cancelled())
    throw base::Failure(DiagnosticCode::cancelled, "the conversion was cancelled");
}

/// Returns whether `sink` has taken all weights, with zeros between the constants.
bool write_weights(const WeightsLayout& layout, const ByteSink& sink, const WriteOptions& options) {
  std::vector<std::byte> piece(std::min<std::uint64_t>(layout.size, kPiece));
  std::uint64_t position = 0;
  for (const WeightsLayout::Block& block : layout.blocks) {
    const std::vector<std::byte> gap(block.offset - position);
    if (!gap.empty() && !sink(gap)) return false;
    const std::uint64_t size = block.data->written_size();
    for (std::uint64_t done = 0; done < size;) {
      const auto part = std::span(piece).first(std::min<std::uint64_t>(size - done, piece.size()));
      ir::copy_written(*block.data, done, part);
      if (!sink(part)) return false;
      done += part.size();
      report(options, "weights",
             kWeightsPart * static_cast<double>(block.offset + done) / static_cast<double>(layout.size));
    }
    position = block.offset + size;
  }
  const std::vector<std::byte> rest(layout.size - position);
  return rest.empty() || sink(rest);
}

/// The reason why `sink` has not taken all of the XML; no value if it has.
std::optional<Problem> write_text(const ir::Model& model, const WeightsLayout& layout, const ByteSink& sink,
                                  const WriteOptions& options) {
  std::uint64_t written = 0;
  const bool done = write_xml(model, layout, weights_digest(layout), [&](std::string_view piece) {
    written += piece.size();
    if (options.is_cancelled && options.is_cancelled())
      throw base::Failure(DiagnosticCode::cancelled, "the conversion was cancelled");
    return written <= options.max_xml_size && sink(std::as_bytes(std::span(piece)));
  });
  if (done) return std::nullopt;
  const bool is_too_large = written > options.max_xml_size;
  return Problem{DiagnosticCode::cannot_write,
                 is_too_large ? too_large_xml(options.max_xml_size) : "the receiver of the XML failed"};
}

}  // namespace

std::optional<Problem> write_streams(const ir::Model& model, const ByteSink& xml, const ByteSink& bin,
                                     const WriteOptions& options) {
  try {
    report(options, "weights", 0);
    const WeightsLayout layout = lay_out_weights(model);
    if (!write_weights(layout, bin, options))
      return Problem{DiagnosticCode::cannot_write, "the receiver of the weights failed"};
    std::set<const base::InputFile*> files;
    for (const WeightsLayout::Block& block : layout.blocks) {
      if (block.data->file() != nullptr) files.insert(block.data->file());
    }
    for (const base::InputFile* file : files) file->check_unchanged();
    report(options, "xml", kWeightsPart);
    if (auto problem = write_text(model, layout, xml, options)) return problem;
    if (options.progress) options.progress("done", 1);
  } catch (const base::Failure& failure) {
    return problem_of_writing(failure, "the writing was cancelled");
  }
  return std::nullopt;
}

}  // namespace onnx2ir::backend_xml
