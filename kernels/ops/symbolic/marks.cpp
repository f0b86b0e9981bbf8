// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/symbolic/marks.h"

#include <algorithm>

#include "kernels/common/allocation.h"
#include "kernels/common/shape.h"
#include "kernels/common/shape_rules.h"
#include "kernels/common/symbolic/replaced_args.h"
#include "kernels/ops/symbolic/rules.h"

namespace tenon::kernels {

namespace {

// Note: marks. The concrete routine runs twice. Each symbol is replaced by a mark: a prime from the
// first row in the first run, and from the second row in the second. If a size of the result equals
// the mark of one symbol in both runs, it is that symbol; if it differs from the mark by the same
// small number in both runs, it is the symbol plus that number. Marks ascend with the symbols'
// hints, so that comparisons of sizes have the same outcome as with the hints. They are far enough
// apart that a mark plus or minus kMostAdded is unambiguous. A sum or difference of up to three
// marks, each used once or twice, changes from the first run to the second by a number by which no
// mark changes, so that it is not mistaken for a symbol plus a number.
//
// Two runs cannot distinguish a size that does not depend on symbols from one that is constant only
// for large symbols, such as the lesser of a symbol and 50. All sizes are therefore compared with
// those of a third run, with the small numbers of the last row, unless the routine refuses these,
// and with those of a fourth run, with the hints. If a size differs, the call is served with
// concrete numbers and a guard.
constexpr int64_t kPrimes[3][12] = {
    {211, 307, 401, 503, 601, 701, 809, 907, 1009, 1103, 1201, 1301},
    {257, 509, 683, 887, 1201, 1483, 1723, 1997, 2221, 2459, 2699, 2837},
    {7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47}};
constexpr int kSmallRun = 2, kHintRun = 3;
constexpr size_t kMost = std::size(kPrimes[0]);
// Maximum number that may be added to or subtracted from a size, as padding does.
constexpr int64_t kMostAdded = 40;

std::optional<int64_t> hint_of(int64_t word) {
  tenon_value hint = tenon_value_of_none();
  tenon_symbol_hint(tenon_dim_symbol(word), &hint);
  if (hint.tag != TENON_TAG_INT) return std::nullopt;
  return hint.as.i;
}

template <class Each>
void each_word(const tenon_value& value, Each&& each) {
  const auto of_tensor = [&](const tenon_tensor* tensor) {
    if (tensor == nullptr) return;
    const SymbolicTensor symbolic(tensor);
    for (const SymbolicSize size : symbolic.sizes()) each(size.word());
  };
  if (value.tag == TENON_TAG_TENSOR) {
    of_tensor(value.as.tensor);
  } else if (value.tag == TENON_TAG_TENSOR_LIST) {
    auto* const* tensors = static_cast<tenon_tensor* const*>(value.as.list.data);
    for (uint32_t k = 0; k < value.count; ++k) of_tensor(tensors[k]);
  } else if (value.tag == TENON_TAG_SYMINT) {
    each(tenon_dim_of_symbol(value.as.symbol));
  } else if (value.tag == TENON_TAG_INT_LIST && (value.flags & TENON_VALUE_HAS_SYMBOLIC) != 0) {
    const auto* words = static_cast<const int64_t*>(value.as.list.data);
    std::for_each(words, words + value.count, each);
  }
}

// Returns dense strides with dims in the order of a tensor's in memory; strides of 0 stay 0.
Dims strides_like(const SymbolicTensor& tensor, const Dims& sizes) {
  int64_t perm[kMaxDims];
  const SymbolicSize* strides = tensor.strides().data();
  rules::order_dims(tensor.sizes(), &strides, 1, perm);
  Dims made = Dims::filled(sizes.size(), 0);
  int64_t next = 1;
  for (int64_t k = 0; k < sizes.size(); ++k) {
    const auto dim = static_cast<size_t>(perm[k]);
    if (tensor.strides()[dim].is_number() && tensor.strides()[dim].word() == 0) continue;
    made[perm[k]] = next;
    next *= std::max<int64_t>(sizes[perm[k]], 1);
  }
  return made;
}

}  // namespace

// One run of the routine, with one of the numbers of each mark.
class MarkedCall::Round {
 public:
  Round(const MarkedCall& marked, int which)
      : marked_(marked),
        which_(which),
        args_(marked.call_),
        results_(static_cast<size_t>(marked.call_.form.results), tenon_value_of_none()) {
    args_.replace([this](tenon_tensor* tensor) { return replacement(tensor); },
                  [this](int64_t word) { return number_of(word); });
    marked.call_.facts().family->run(
        Call{marked.call_.form, args_.values().data(), results_.data()});
  }
  ~Round() {
    for (tenon_value& result : results_) tenon_value_clear(&result);
  }
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

  const tenon_value& result(int k) const { return results_[static_cast<size_t>(k)]; }

  // Returns true if a tensor shares memory with an argument.
  bool is_of_argument(const tenon_tensor* tensor) const {
    return std::any_of(tensors_.begin(), tensors_.end(), [&](const Tensor& own) {
      return tenon_tensor_storage(own.get()) == tenon_tensor_storage(tensor);
    });
  }

 private:
  int64_t number_of(int64_t word) const {
    for (const Mark& mark : marked_.marks_) {
      if (mark.word == word) return mark.numbers[which_];
    }
    return word;
  }

  tenon_tensor* replacement(tenon_tensor* tensor) {
    const SymbolicTensor words(tensor);
    if ((words.info.flags & TENON_TENSOR_SYMBOLIC) == 0) return tensor;
    Dims sizes;
    for (const SymbolicSize size : words.sizes()) sizes.push_back(number_of(size.word()));
    const Dims strides = words.is_contiguous() ? Dims{} : strides_like(words, sizes);
    tensors_.push_back(allocate(sizes, dtype_of_info(words.info), Device(words.info.device),
                                words.is_contiguous() ? nullptr : strides.begin()));
    return tensors_.back().get();
  }

  const MarkedCall& marked_;
  const int which_;
  ReplacedArgs args_;
  std::vector<tenon_value> results_;
  std::vector<Tensor> tensors_;
};

void MarkedCall::add(int64_t word, bool equal_hints_are_equal) {
  if (tenon_dim_is_symbol(word) == 0) return;
  for (const Mark& mark : marks_) {
    if (mark.word == word) return;
    if (equal_hints_are_equal && hint_of(mark.word) && hint_of(mark.word) == hint_of(word)) {
      return marks_.push_back({word, mark.like, {}});
    }
  }
  marks_.push_back({word, word, {}});
}

// Assigns numbers to all symbols. Returns false if there are more symbols than numbers.
bool MarkedCall::collect(bool equal_hints_are_equal) {
  marks_.clear();
  for (int k = 0; k < call_.form.arguments; ++k) {
    each_word(call_.args[k], [&](int64_t word) { add(word, equal_hints_are_equal); });
  }
  if (marks_.size() > kMost) return false;
  std::stable_sort(marks_.begin(), marks_.end(), [](const Mark& a, const Mark& b) {
    return hint_of(a.word).value_or(INT64_MAX) < hint_of(b.word).value_or(INT64_MAX);
  });
  size_t next = 0;
  for (Mark& mark : marks_) {
    if (mark.like != mark.word) continue;
    for (Mark& same : marks_) {
      if (same.like != mark.word) continue;
      for (int which = 0; which < kHintRun; ++which) same.numbers[which] = kPrimes[which][next];
      same.numbers[kHintRun] = hint_of(same.word).value_or(-1);
    }
    ++next;
  }
  return true;
}

// Returns the mark that a size with these numbers in the first two runs differs from by a small
// number; NULL if there is none.
const MarkedCall::Mark* MarkedCall::find_mark(int64_t first, int64_t second) const {
  for (const Mark& mark : marks_) {
    const int64_t added = first - mark.numbers[0];
    if (added == second - mark.numbers[1] && std::abs(added) <= kMostAdded) return &mark;
  }
  return nullptr;
}

// Returns the size that has these numbers in the first two runs; nullopt if it is ambiguous.
std::optional<SymbolicSize> MarkedCall::symbol_of(int64_t first, int64_t second) const {
  if (first == second) return SymbolicSize(first);
  const Mark* mark = find_mark(first, second);
  if (mark == nullptr) return std::nullopt;
  const int64_t added = first - mark->numbers[0];
  if (added == 0) return SymbolicSize::of_word(mark->word);
  const SymbolicSize sum = SymbolicSize::of_word(mark->word) + SymbolicSize(added);
  // If the size may become 0, routines have other sizes or refuse it.
  if (added < 0 && !(sum > SymbolicSize(0))) return std::nullopt;
  return sum;
}

// Returns false if a size that symbol_of() derived from the first two runs differs in another run.
bool MarkedCall::confirms(int run, const Round& first, const Round& second,
                          std::span<const KnownSize> known) const {
  // Without a hint, there is no run with hints.
  const auto lacks_number = [run](const Mark& mark) { return mark.numbers[run] < 0; };
  if (std::any_of(marks_.begin(), marks_.end(), lacks_number)) return true;
  std::optional<Round> made;
  try {
    made.emplace(*this, run);
  } catch (const Error&) {
    return run == kSmallRun;  // the routine requires larger sizes, which the hints have
  }
  for (int k = 0; k < call_.form.results; ++k) {
    if (made->result(k).tag != TENON_TAG_TENSOR) return false;
    const Tensor one = Tensor::retain(first.result(k).as.tensor);
    const Tensor other = Tensor::retain(second.result(k).as.tensor);
    const Tensor got = Tensor::retain(made->result(k).as.tensor);
    if (got.ndim() != one.ndim()) return false;
    for (int64_t d = 0; d < one.ndim(); ++d) {
      const auto at = static_cast<size_t>(d);
      const auto is_this = [&](const KnownSize& size) { return size.dim == d - one.ndim(); };
      if (std::any_of(known.begin(), known.end(), is_this)) continue;
      const int64_t size = one.sizes()[at];
      const Mark* mark = size == other.sizes()[at] ? nullptr : find_mark(size, other.sizes()[at]);
      const int64_t expected =
          mark == nullptr ? size : size - mark->numbers[0] + mark->numbers[run];
      // A guard excludes a difference that is not positive, see symbol_of().
      if (expected != got.sizes()[at] && (mark == nullptr || expected > 0)) return false;
    }
  }
  return true;
}

std::optional<SymbolicDims> MarkedCall::sizes_of_result(const Tensor& first, const Tensor& second,
                                                        std::span<const KnownSize> known) const {
  SymbolicDims sizes;
  const int64_t ndim = first.ndim();
  if (second.ndim() != ndim) return std::nullopt;
  for (int64_t d = 0; d < ndim; ++d) {
    const auto at = static_cast<size_t>(d);
    const auto told = std::find_if(known.begin(), known.end(),
                                   [&](const KnownSize& one) { return one.dim == d - ndim; });
    const std::optional<SymbolicSize> size =
        told != known.end() ? told->size : symbol_of(first.sizes()[at], second.sizes()[at]);
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

// Returns dense strides with dims in the order of a result's in memory; nullopt if it has gaps.
static std::optional<SymbolicDims> dense_like(const Tensor& made, const SymbolicDims& sizes) {
  int64_t perm[kMaxDims];
  const int64_t* strides = made.strides().data();
  order_dims(made.sizes(), &strides, 1, perm);
  SymbolicDims result;
  result.resize(sizes.size());
  SymbolicSize next = 1;
  int64_t number = 1;
  for (int64_t k = 0; k < sizes.size(); ++k) {
    const auto dim = static_cast<size_t>(perm[k]);
    if (made.sizes()[dim] != 1 && made.strides()[dim] != number) return std::nullopt;
    result[perm[k]] = next;
    next *= larger(sizes[perm[k]], SymbolicSize(1));
    number *= std::max<int64_t>(made.sizes()[dim], 1);
  }
  return result;
}

bool MarkedCall::serve(std::span<const KnownSize> known) {
  const Round first(*this, 0), second(*this, 1);
  if (!call_.form.is_functional()) return true;
  std::vector<Tensor> results;
  for (int k = 0; k < call_.form.results; ++k) {
    if (first.result(k).tag != TENON_TAG_TENSOR) return false;
    const Tensor one = Tensor::retain(first.result(k).as.tensor);
    const Tensor other = Tensor::retain(second.result(k).as.tensor);
    if (first.is_of_argument(one.get())) return false;
    const std::optional<SymbolicDims> sizes = sizes_of_result(one, other, known);
    if (!sizes) return false;
    if (has_row_major_strides(one.info())) {
      results.push_back(new_symbolic(one, *sizes));
      continue;
    }
    const std::optional<SymbolicDims> strides = dense_like(one, *sizes);
    if (!strides) return false;
    results.push_back(new_symbolic(one, *sizes, &*strides));
  }
  for (const int run : {kSmallRun, kHintRun}) {
    if (!confirms(run, first, second, known)) return false;
  }
  for (int k = 0; k < call_.form.results; ++k) {
    call_.give(k, std::move(results[static_cast<size_t>(k)]));
  }
  return true;
}

bool MarkedCall::run(std::span<const KnownSize> known) {
  for (const bool equal_hints_are_equal : {false, true}) {
    if (!collect(equal_hints_are_equal)) return false;
    try {
      if (!serve(known)) return false;
    } catch (const Error&) {
      continue;  // the routine requires some sizes to be equal or to have their actual values
    }
    for (const Mark& mark : marks_) {
      // Records a guard.
      static_cast<void>(SymbolicSize::of_word(mark.word) == SymbolicSize::of_word(mark.like));
    }
    return true;
  }
  return false;
}

void sized_by_arguments(const Call& call) {
  if (!MarkedCall(call).run()) run_with_numbers(call);
}

void sized_by_matrices(const Call& call) {
  for (int k = 0; k < call.form.inputs; ++k) {
    if (call.args[k].tag != TENON_TAG_TENSOR) continue;
    const SymbolicTensor words(call.tensor(k));
    if (words.ndim() < 2) continue;
    const SymbolicSize rows = words.sizes()[static_cast<size_t>(words.ndim()) - 2];
    const SymbolicSize columns = words.sizes().back();
    const bool is_wide = !(rows == columns) && rows < columns;
    // Marks are greater than all concrete sizes.
    const SymbolicSize lesser = is_wide ? rows : columns, greater = is_wide ? columns : rows;
    if (lesser.is_number() != greater.is_number() && greater.is_number()) {
      return run_with_numbers(call);
    }
  }
  sized_by_arguments(call);
}

}  // namespace tenon::kernels
