#include "backend_xml/write_model.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string>

#include "backend_xml/file_output.hpp"
#include "backend_xml/output_check.hpp"
#include "backend_xml/weights_digest.hpp"
#include "backend_xml/weights_layout.hpp"
#include "backend_xml/xml_writer.hpp"
#include "base/failure.hpp"
#include "ir/narrowing.hpp"

namespace onnx2ir::backend_xml {
namespace {

/// Writes and renames the two files of a model.
class Pair {
 public:
  Pair(const ir::Model& model, const std::filesystem::path& xml, const std::filesystem::path& bin,
       const WriteOptions& options)
      : model_(&model),
        xml_(&xml),
        bin_(&bin),
        options_(&options),
        weights_(bin, std::string(kWeightsRole), options.temporary),
        text_(xml, std::string(kModelRole), options.temporary) {}

  /// Each step returns whether it succeeded; if not, problem() gives the reason.
  bool write() {
    const WeightsLayout layout = lay_out_weights(*model_);
    std::set<const base::InputFile*> files;
    report(kWeightsStage, 0);
    if (options_->progress || options_->is_cancelled) {
      const double all = static_cast<double>(std::max<std::uint64_t>(layout.size, 1));
      weights_.set_listener([this, all](std::uint64_t position) {
        report(kWeightsStage, kWeightsPart * static_cast<double>(position) / all);
      });
    }
    for (const WeightsLayout::Block& block : layout.blocks) {
      if (!weights_.seek(block.offset) || !weights_.write(*block.data, options_->threads)) return false;
      report(kWeightsStage, kWeightsPart * static_cast<double>(block.offset + block.data->written_size()) /
                                static_cast<double>(std::max<std::uint64_t>(layout.size, 1)));
      if (block.data->file() != nullptr) files.insert(block.data->file());
    }
    if (!weights_.complete()) return false;
    if (syncs()) weights_.start_sync();
    const std::string digest = weights_digest(layout);
    for (const base::InputFile* file : files) file->check_unchanged();
    std::uint64_t written = 0;
    report("xml", kWeightsPart);
    write_xml(*model_, layout, digest, [&](std::string_view piece) {
      written += piece.size();
      check_cancelled();
      return written <= options_->max_xml_size && text_.write(piece);
    });
    if (written <= options_->max_xml_size) return text_.complete();
    problem_ = Problem{DiagnosticCode::cannot_write, too_large_xml(options_->max_xml_size)};
    return false;
  }

  bool sync() {
    report("disk", kXmlPart);
    if (!syncs()) return true;
    text_.start_sync();
    return weights_.sync() && text_.sync();
  }

  bool publish() {
    check_cancelled();
    const FolderLocks locks(weights_.folder(), text_.folder());
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
  static constexpr std::string_view kWeightsStage = "weights";
  /// The parts of the work up to the end of the weights, and up to the end of the XML.
  static constexpr double kWeightsPart = 0.8;
  static constexpr double kXmlPart = 0.9;

  void check_cancelled() const {
    if (options_->is_cancelled && options_->is_cancelled())
      throw base::Failure(DiagnosticCode::cancelled, "the conversion was cancelled");
  }
  void report(std::string_view stage, double fraction) const {
    if (options_->progress) options_->progress(stage, fraction);
    check_cancelled();
  }
  bool syncs() const {
    if (options_->sync != Sync::replaced) return options_->sync == Sync::always;
    return weights_.replaces() || text_.replaces();
  }

  const ir::Model* model_;
  const std::filesystem::path* xml_;
  const std::filesystem::path* bin_;
  const WriteOptions* options_;
  FileOutput weights_;
  FileOutput text_;
  std::optional<Problem> problem_;
};

}  // namespace

Problem problem_of_writing(const base::Failure& failure, std::string_view if_cancelled) {
  if (!failure.ends_conversion()) throw failure;
  Problem problem = failure.problem();
  if (problem.code == DiagnosticCode::cancelled) problem.message = if_cancelled;
  return problem;
}

std::string too_large_xml(std::uint64_t most) {
  return "the XML is larger than " + std::to_string(most) +
         " bytes; --max-xml-size, SaveOptions::max_xml_size in C++ or max_xml_size= in Python raises the "
         "limit";
}

std::optional<Problem> write_files(const ir::Model& model, const std::filesystem::path& xml,
                                   const std::filesystem::path& bin, const WriteOptions& options) {
  try {
    if (auto refused = output_problem(xml, bin, model.inputs))
      return Problem{DiagnosticCode::cannot_write, *std::move(refused), std::string(kOtherOutput)};
    Pair pair(model, xml, bin, options);
    if (!pair.write() || !pair.sync() || !pair.publish()) return pair.problem();
    pair.sync_names();
    if (options.progress) options.progress("done", 1);
  } catch (const base::Failure& failure) {
    return problem_of_writing(failure, "the writing was cancelled; the previous files are unchanged");
  }
  return std::nullopt;
}

std::string xml_text(const ir::Model& model) {
  std::string text;
  const WeightsLayout layout = lay_out_weights(model);
  write_xml(model, layout, weights_digest(layout), [&](std::string_view piece) {
    text += piece;
    return true;
  });
  return text;
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
