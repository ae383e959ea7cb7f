#include "backend_xml/write_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "backend_xml/file_output.hpp"
#include "backend_xml/weights_digest.hpp"
#include "backend_xml/weights_layout.hpp"
#include "backend_xml/xml_writer.hpp"
#include "base/failure.hpp"
#include "base/overwriting.hpp"
#include "ir/narrowing.hpp"
#include "platform/temporary_file.hpp"

namespace onnx2ir::backend_xml {
namespace {

void report(const SaveOptions& options, std::string_view stage, double fraction) {
  if (options.progress) options.progress(stage, fraction);
  base::check_cancelled(options.is_cancelled);
}

/// Throws Failure (unreadable_input) if a file of constants has changed since it was opened.
void check_files(const WeightsLayout& layout) {
  std::set<const base::InputFile*> files;
  for (const WeightsLayout::Block& block : layout.blocks) {
    if (block.data->file() != nullptr) files.insert(block.data->file());
  }
  for (const base::InputFile* file : files) file->check_unchanged();
}

/// Returns whether `sink` has taken all of the XML. Sets `problem` if the XML is too large.
bool write_text(const ir::Model& model, const WeightsLayout& layout, std::string_view digest,
                const TextSink& sink, const SaveOptions& options, std::optional<Problem>& problem) {
  std::uint64_t written = 0;
  const bool done = write_xml(model, layout, digest, [&](std::string_view piece) {
    written += piece.size();
    base::check_cancelled(options.is_cancelled);
    return written <= options.max_xml_size && sink(piece);
  });
  if (written > options.max_xml_size)
    problem = Problem{DiagnosticCode::cannot_write,
                      "the XML is larger than " + std::to_string(options.max_xml_size) +
                          " bytes; --max-xml-size, SaveOptions::max_xml_size in C++ or max_xml_size= in "
                          "Python raises the limit"};
  return done;
}

/// The problem of a failure that ends the writing; throws others again.
Problem problem_of(const base::Failure& failure, std::string_view if_cancelled) {
  if (!failure.ends_conversion()) throw failure;
  Problem problem = failure.problem();
  if (problem.code == DiagnosticCode::cancelled) problem.message = if_cancelled;
  return problem;
}

/// Writes and renames the two files of a model.
class Pair {
 public:
  Pair(const ir::Model& model, const std::filesystem::path& xml, const std::filesystem::path& bin,
       const SaveOptions& options, unsigned threads)
      : model_(&model),
        xml_(&xml),
        bin_(&bin),
        options_(&options),
        threads_(threads),
        weights_(bin, std::string(platform::kWeightsRole), options.temporary),
        text_(xml, std::string(platform::kModelRole), options.temporary) {}

  /// Each step returns whether it succeeded; if not, problem() gives the reason.
  bool write() {
    const WeightsLayout layout = lay_out_weights(*model_);
    const double all = static_cast<double>(std::max<std::uint64_t>(layout.size, 1));
    const auto report_weights = [this, all](std::uint64_t position) {
      report(*options_, "weights", kWeightsPart * static_cast<double>(position) / all);
    };
    report_weights(0);
    if (options_->progress || options_->is_cancelled) weights_.set_listener(report_weights);
    for (const WeightsLayout::Block& block : layout.blocks) {
      if (!weights_.seek(block.offset) || !weights_.write(*block.data, threads_)) return false;
      report_weights(block.offset + block.data->written_size());
    }
    if (!weights_.complete()) return false;
    if (syncs()) weights_.start_sync();
    const std::string digest = weights_digest(layout);
    check_files(layout);
    report(*options_, "xml", kWeightsPart);
    const auto sink = [this](std::string_view piece) { return text_.write(piece); };
    return write_text(*model_, layout, digest, sink, *options_, problem_) && text_.complete();
  }

  bool sync() {
    report(*options_, "disk", kXmlPart);
    if (!syncs()) return true;
    text_.start_sync();
    return weights_.sync() && text_.sync();
  }

  bool publish() {
    base::check_cancelled(options_->is_cancelled);
    const platform::FolderLocks locks(weights_.folder(), text_.folder());
    if (locks.locked_by_other() != nullptr) {
      problem_ = Problem{DiagnosticCode::cannot_write, "another process holds the lock of the folder '" +
                                                           locks.locked_by_other()->path().string() + "'"};
      return false;
    }
    if (auto refused = output_problem(*xml_, *bin_, model_->inputs)) {
      problem_ = Problem{DiagnosticCode::cannot_write, *std::move(refused)};
      return false;
    }
    const bool is_locked = locks.are_held();
    if (!weights_.prepare(is_locked) || !text_.prepare(is_locked)) return false;
    if (!weights_.publish()) return false;
    if (!text_.publish()) {
      if (!weights_.unpublish()) {
        problem_ = text_.problem();
        problem_->message += "; '" + bin_->string() + "' is already the new one";
      }
      return false;
    }
    weights_.finish();
    text_.finish();
    return true;
  }

  void sync_names() {
    if (!syncs()) return;
    weights_.folder().sync();
    if (!weights_.folder().is_same(text_.folder())) text_.folder().sync();
  }

  const std::optional<Problem>& problem() const {
    if (problem_) return problem_;
    return weights_.problem() ? weights_.problem() : text_.problem();
  }

 private:
  /// The parts of the work up to the end of the weights, and up to the end of the XML.
  static constexpr double kWeightsPart = 0.8;
  static constexpr double kXmlPart = 0.9;

  bool syncs() const {
    using Sync = SaveOptions::Sync;
    if (options_->sync != Sync::replaced) return options_->sync == Sync::always;
    return weights_.replaces() || text_.replaces();
  }

  const ir::Model* model_;
  const std::filesystem::path* xml_;
  const std::filesystem::path* bin_;
  const SaveOptions* options_;
  unsigned threads_;
  FileOutput weights_;
  FileOutput text_;
  std::optional<Problem> problem_;
};

/// The part of the work of write_streams() up to the end of the weights.
constexpr double kStreamedWeightsPart = 0.9;

/// Returns whether `sink` has taken all weights, with zeros between the constants.
bool write_weights(const WeightsLayout& layout, const ByteSink& sink, const SaveOptions& options) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20U;
  std::vector<std::byte> piece(std::min(layout.size, kPiece));
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
      report(
          options, "weights",
          kStreamedWeightsPart * static_cast<double>(block.offset + done) / static_cast<double>(layout.size));
    }
    position = block.offset + size;
  }
  const std::vector<std::byte> rest(layout.size - position);
  return rest.empty() || sink(rest);
}

}  // namespace

std::optional<std::string> output_problem(const std::filesystem::path& xml, const std::filesystem::path& bin,
                                          std::span<const base::Input> inputs) {
  if (base::is_one_target(xml, bin))
    return fmt::format("the model and its weights cannot both be written to '{}'", xml.string());
  std::vector<base::UsedFile> used;
  for (const base::Input& input : inputs)
    used.push_back({input.path, "the model is read from", input.identity});
  for (const auto& [path, role] :
       {std::pair(&xml, platform::kModelRole), std::pair(&bin, platform::kWeightsRole)}) {
    std::error_code error;
    if (path->filename().empty()) return fmt::format("'{}' is not the name of a file", path->string());
    if (std::filesystem::exists(*path, error) && !std::filesystem::is_regular_file(*path, error))
      return fmt::format("'{}' exists and is not a regular file", path->string());
    if (auto problem = base::overwriting_problem(*path, used)) return problem;
    // A file with this name is removed before the new one gets it.
    const auto temporary = path->parent_path() / platform::temporary_name(role);
    if (auto problem = base::overwriting_problem(temporary, used)) return problem;
  }
  return std::nullopt;
}

std::optional<Problem> write_files(const ir::Model& model, const std::filesystem::path& xml,
                                   const std::filesystem::path& bin, const SaveOptions& options,
                                   unsigned threads) {
  try {
    if (auto refused = output_problem(xml, bin, model.inputs))
      return Problem{DiagnosticCode::cannot_write, *std::move(refused), std::string(kOtherOutput)};
    Pair pair(model, xml, bin, options, threads);
    if (!pair.write() || !pair.sync() || !pair.publish()) return pair.problem();
    pair.sync_names();
    if (options.progress) options.progress("done", 1);
  } catch (const base::Failure& failure) {
    return problem_of(failure, "the writing was cancelled; the previous files are unchanged");
  }
  return std::nullopt;
}

std::optional<Problem> write_streams(const ir::Model& model, const ByteSink& xml, const ByteSink& bin,
                                     const SaveOptions& options) {
  try {
    report(options, "weights", 0);
    const WeightsLayout layout = lay_out_weights(model);
    if (!write_weights(layout, bin, options))
      return Problem{DiagnosticCode::cannot_write, "the receiver of the weights failed"};
    const std::string digest = weights_digest(layout);
    check_files(layout);
    report(options, "xml", kStreamedWeightsPart);
    std::optional<Problem> problem;
    const auto sink = [&](std::string_view piece) { return xml(std::as_bytes(std::span(piece))); };
    if (!write_text(model, layout, digest, sink, options, problem))
      return problem ? problem : Problem{DiagnosticCode::cannot_write, "the receiver of the XML failed"};
    if (options.progress) options.progress("done", 1);
  } catch (const base::Failure& failure) {
    return problem_of(failure, "the writing was cancelled");
  }
  return std::nullopt;
}

std::string xml_text(const ir::Model& model) {
  const WeightsLayout layout = lay_out_weights(model);
  return xml_text(model, layout, weights_digest(layout));
}

std::vector<std::byte> weights_bytes(const ir::Model& model) {
  std::vector<std::byte> bytes;
  copy_weights(model, [&](std::size_t size) {
    bytes.resize(size);
    return bytes.data();
  });
  return bytes;
}

void copy_weights(const ir::Model& model, const std::function<std::byte*(std::size_t size)>& allocate) {
  const WeightsLayout layout = lay_out_weights(model);
  const std::span<std::byte> bytes(allocate(layout.size), layout.size);
  for (const WeightsLayout::Block& block : layout.blocks) {
    ir::copy_written(*block.data, 0, bytes.subspan(block.offset, block.data->written_size()));
  }
}

}  // namespace onnx2ir::backend_xml
