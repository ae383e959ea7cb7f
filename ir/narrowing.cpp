#include "ir/narrowing.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace onnx2ir::ir {
namespace {

/// Two pieces, before and after conversion, fit into the cache of one core.
constexpr std::uint64_t kPiece = std::uint64_t{1} << 18U;

template <typename Number, typename Use>
void in_blocks(std::span<const std::byte> piece, Use use) {
  if (reinterpret_cast<std::uintptr_t>(piece.data()) % alignof(Number) == 0) {
    use(std::size_t{0},
        std::span(reinterpret_cast<const Number*>(piece.data()), piece.size() / sizeof(Number)));
    return;
  }
  std::vector<Number> numbers(std::min<std::size_t>(piece.size() / sizeof(Number), 4096));
  for (std::size_t done = 0; done < piece.size() / sizeof(Number);) {
    const auto block =
        std::span(numbers).first(std::min(numbers.size(), piece.size() / sizeof(Number) - done));
    std::memcpy(block.data(), piece.data() + done * sizeof(Number), block.size_bytes());
    use(done, std::span<const Number>(block));
    done += block.size();
  }
}

/// Calls `use` with blocks of the elements as numbers. They may be unaligned, because a model's file can
/// place them anywhere.
template <typename Use>
void in_blocks(std::span<const std::byte> piece, Narrowing narrowing, Use use) {
  if (narrowing == Narrowing::f64_to_f16) {
    in_blocks<double>(piece, use);
  } else {
    in_blocks<float>(piece, use);
  }
}

}  // namespace

bool for_each_piece(const ConstantData& data, unsigned threads,
                    const std::function<bool(std::uint64_t offset, std::span<const std::byte> piece)>& work) {
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> is_stopped{false};
  std::mutex mutex;
  std::exception_ptr problem;
  const auto process_pieces = [&] {
    std::vector<std::byte> buffer(data.file() != nullptr ? std::min(kPiece, data.size()) : 0);
    const ConstantBytes memory = data.file() == nullptr ? data.bytes() : ConstantBytes(nullptr, {});
    while (!is_stopped) {
      const std::uint64_t offset = next.fetch_add(kPiece);
      if (offset >= data.size()) return;
      const std::uint64_t size = std::min(kPiece, data.size() - offset);
      std::span<const std::byte> piece;
      if (data.file() == nullptr) {
        piece = memory.span().subspan(offset, size);
      } else {
        const auto part = std::span(buffer).first(size);
        data.copy(offset, part);
        piece = part;
      }
      if (!work(offset, piece)) is_stopped = true;
    }
  };
  // An exception that leaves a thread function would end the process.
  const auto run = [&]() noexcept {
    try {
      process_pieces();
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!problem) problem = std::current_exception();
      is_stopped = true;
    }
  };
  const std::uint64_t pieces = (data.size() + kPiece - 1) / kPiece;
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  // Starting a thread costs as much as converting some pieces.
  constexpr std::uint64_t kPiecesOfOneThread = 4;
  const auto others = std::min<std::uint64_t>(threads - 1, pieces / kPiecesOfOneThread);
  {
    std::vector<std::jthread> workers;
    workers.reserve(others);
    try {
      for (std::uint64_t i = 0; i < others; ++i) workers.emplace_back(run);
    } catch (const std::system_error&) {
      // No more threads can be started: use those that exist.
    }
    run();
  }
  if (problem) std::rethrow_exception(problem);
  return !is_stopped;
}

base::HalfPrecisionFit half_precision_fit(const ConstantData& data, Narrowing narrowing, unsigned threads) {
  const std::uint64_t count = data.size() / element_size(narrowing);
  // A single number is often a factor of everything that follows, so its tolerance is smaller.
  const double tolerance = count == 1 ? 1e-4 : 1e-3;
  std::mutex mutex;
  base::HalfPrecisionFit whole;
  for_each_piece(data, threads, [&](std::uint64_t, std::span<const std::byte> piece) {
    base::HalfPrecisionFit part;
    in_blocks(piece, narrowing,
              [&](std::size_t, auto numbers) { part += base::half_precision_fit(numbers, tolerance); });
    const std::scoped_lock lock(mutex);
    whole += part;
    return true;
  });
  return whole;
}

void narrow(std::span<const std::byte> piece, Narrowing narrowing, std::span<std::uint16_t> target) {
  in_blocks(piece, narrowing, [&](std::size_t first, auto numbers) {
    base::to_half_precision(numbers, target.subspan(first, numbers.size()));
  });
}

void copy_written(const ConstantData& data, std::uint64_t offset, std::span<std::byte> target) {
  if (data.narrowing() == Narrowing::none) return data.copy(offset, target);
  const std::size_t factor = element_size(data.narrowing()) / sizeof(std::uint16_t);
  std::vector<std::byte> elements(target.size() * factor);
  data.copy(offset * factor, elements);
  std::vector<std::uint16_t> halves(target.size() / sizeof(std::uint16_t));
  narrow(elements, data.narrowing(), halves);
  std::ranges::copy(std::as_bytes(std::span(halves)), target.begin());
}

bool for_each_pair(
    const ConstantData& a, const ConstantData& b,
    const std::function<bool(std::span<const std::byte> of_a, std::span<const std::byte> of_b)>& compare) {
  constexpr std::uint64_t kPairPiece = std::uint64_t{1} << 20U;
  const std::uint64_t size = a.written_size();
  std::vector<std::byte> pieces(2 * std::min(kPairPiece, size));
  for (std::uint64_t offset = 0; offset < size; offset += kPairPiece) {
    const auto count = static_cast<std::size_t>(std::min(kPairPiece, size - offset));
    const auto of_a = std::span(pieces).first(count);
    const auto of_b = std::span(pieces).subspan(count, count);
    copy_written(a, offset, of_a);
    copy_written(b, offset, of_b);
    if (!compare(of_a, of_b)) return false;
  }
  return true;
}

bool have_equal_bytes(const ConstantData& a, const ConstantData& b) {
  if (a.written_size() != b.written_size()) return false;
  if (a.place() == b.place() && a.narrowing() == b.narrowing()) return true;
  return for_each_pair(a, b, [](std::span<const std::byte> of_a, std::span<const std::byte> of_b) {
    return std::memcmp(of_a.data(), of_b.data(), of_a.size()) == 0;
  });
}

}  // namespace onnx2ir::ir
