// SPDX-License-Identifier: Apache-2.0
// Symbolic rules of operators that split a tensor along a dim whose size determines the number of
// parts.
#include "kernels/common/shape.h"
#include "kernels/ops/symbolic/calls.h"
#include "kernels/ops/symbolic/rules.h"

namespace tenon::kernels {

namespace {

using Parts = std::vector<Tensor>;

constinit const LazyOp<Tensor(const Tensor&, int64_t, std::optional<int64_t>,
                              std::optional<int64_t>, int64_t)>
    range_of("aten::slice.Tensor");
constinit const LazyOp<Parts(const Tensor&, int64_t, int64_t)> split_evenly("aten::split.Tensor");

// The tensor of a call, and the dim along which it is split.
struct SplitTensor {
  Tensor self;
  int64_t dim;
  SymbolicSize size;

  explicit SplitTensor(const Call& call, int argument = 2) : self(Tensor::retain(call.tensor(0))) {
    const SymbolicTensor words(call.tensor(0));
    if (words.ndim() == 0) {
      fail_argument(call.op(), "self", "have at least 1 dim", "a 0-dim tensor");
    }
    dim = wrap_dim(call.op(), call.get<int64_t>(argument), words.ndim());
    size = words.sizes()[static_cast<size_t>(dim)];
  }

  Tensor part(int64_t begin, int64_t end) const { return range_of(self, dim, begin, end, 1); }
};

void split(const Call& call) {
  const SplitTensor whole(call);
  const int64_t size = number_of(whole.size);
  const int64_t part = number_of(size_argument(call, 1));
  if (part < 0) fail_argument(call.op(), "split_size", "at least 0", part);
  if (part == 0 && size != 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": split_size must be greater than 0 for size ",
                                        size, " of dim ", whole.dim, ", got 0"});
  }
  if (part != 0 && size / part > UINT32_MAX) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": split_size must make at most ", int64_t{UINT32_MAX}, " parts of size ",
          size, ", got ", part});
  }
  Parts parts;
  int64_t begin = 0;
  for (; size - begin > part; begin += part) {
    parts.push_back(whole.part(begin, begin + part));
  }
  parts.push_back(whole.part(begin, size));
  call.give(0, parts);
}

void split_with_sizes(const Call& call) {
  const SplitTensor whole(call);
  const SymbolicDims sizes = sizes_argument(call, 1);
  SymbolicSize sum = 0;
  for (const SymbolicSize size : sizes) sum += size;
  if (!(sum == whole.size)) {
    const SymbolicSize given[] = {whole.size};
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": split_sizes must add up to the size of dim ",
                                        whole.dim, ", ", text_of(given), ", got ", text_of(sizes)});
  }
  Parts parts;
  int64_t begin = 0;
  for (const SymbolicSize size : sizes) {
    const int64_t count = number_of(size);
    parts.push_back(whole.part(begin, begin + count));
    begin += count;
  }
  call.give(0, parts);
}

void chunk(const Call& call) {
  const SplitTensor whole(call);
  const auto chunks = call.get<int64_t>(1);
  if (chunks <= 0) fail_argument(call.op(), "chunks", "greater than 0", chunks);
  const int64_t size = number_of(whole.size);
  if (size != 0) return call.give(0, split_evenly(whole.self, (size - 1) / chunks + 1, whole.dim));
  // An empty tensor yields exactly `chunks` empty tensors.
  call.give(0, Parts(static_cast<size_t>(chunks), whole.part(0, 0)));
}

void unbind(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> select("aten::select.int");
  const SplitTensor whole(call, 1);
  const int64_t count = number_of(whole.size);
  Parts parts;
  for (int64_t index = 0; index < count; ++index) {
    parts.push_back(select(whole.self, whole.dim, index));
  }
  call.give(0, parts);
}

constexpr NamedRule kPartsRules[] = {{"split.Tensor", &split},
                                     {"split_with_sizes", &split_with_sizes},
                                     {"split.sizes", &split_with_sizes},
                                     {"chunk", &chunk},
                                     {"unbind.int", &unbind}};

}  // namespace

int64_t number_of(SymbolicSize size) {
  if (size.is_number()) return size.word();
  const tenon_value symbol = size_value(size);
  tenon_value number{};
  check(tenon_symbol_guard(&symbol, nullptr, 0, &number));
  return number.as.i;
}

SymbolicRule symbolic_parts_rule(const Facts& facts, Forms form) {
  return find_rule(kPartsRules, facts, form);
}

}  // namespace tenon::kernels
