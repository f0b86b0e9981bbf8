// SPDX-License-Identifier: Apache-2.0
// Symbolic rules of operators that make new tensors or write them.
#include "kernels/ops/symbolic/rules.h"

#include <string_view>

#include "kernels/common/allocation.h"
#include "kernels/common/shape.h"
#include "kernels/common/shape_rules.h"
#include "kernels/common/symbolic/stand_ins.h"
#include "kernels/common/symbolic/unbacked.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/normalization/layer_norm.h"
#include "kernels/ops/symbolic/marks.h"

namespace tenon::kernels {

namespace {

// Returns the shape that a pointwise operator's inputs broadcast to.
SymbolicDims broadcast_inputs(const Call& call) {
  SymbolicDims shape;
  for (int k = 0; k < call.form.inputs; ++k) {
    if (call.args[k].tag != TENON_TAG_TENSOR) continue;
    const SymbolicTensor input(call.tensor(k));
    const SymbolicDims before = shape;
    if (const int64_t at = rules::broadcast_into(shape, input.sizes()); at >= 0) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {call.op(), ": sizes must broadcast, got ", text_of(before), " and ",
            text_of(input.sizes()), ", which differ at dim ", at});
    }
  }
  return shape;
}

// Returns an input's strides in the result's dims: 0, which does not decide the order, for expanded
// ones.
SymbolicDims stretched_strides(const SymbolicTensor& input, const SymbolicDims& shape) {
  SymbolicDims strides;
  strides.resize(shape.size());
  const int64_t offset = shape.size() - input.ndim();
  for (int64_t d = offset; d < shape.size(); ++d) {
    const auto own = static_cast<size_t>(d - offset);
    const bool stretched = input.sizes()[own] == 1 && !(shape[d] == 1);
    if (!stretched) strides[d] = input.strides()[own];
  }
  return strides;
}

bool is_whole(const SymbolicTensor& input, const SymbolicDims& shape) {
  return input.ndim() == shape.size() &&
         std::equal(input.info.sizes, input.info.sizes + input.info.ndim, shape.words());
}

// Makes a result whose dims are ordered in memory by all inputs in turn.
Tensor new_in_order(const Call& call, const Tensor& like, const SymbolicDims& shape) {
  const SymbolicTensor lead(call.tensor(0));
  if (lead.is_contiguous() && is_whole(lead, shape)) return new_symbolic(like, shape);
  std::vector<SymbolicDims> strides;
  for (int k = 0; k < call.form.inputs; ++k) {
    if (call.args[k].tag != TENON_TAG_TENSOR) continue;
    strides.push_back(stretched_strides(SymbolicTensor(call.tensor(k)), shape));
  }
  std::vector<const SymbolicSize*> order;
  for (const SymbolicDims& one : strides) order.push_back(one.size() > 0 ? &one[0] : nullptr);
  int64_t perm[kMaxDims];
  rules::order_dims(SymbolicSizes(shape), order.data(), static_cast<int>(order.size()), perm);
  SymbolicDims result;
  result.resize(shape.size());
  SymbolicSize next = 1;
  for (int64_t d = 0; d < shape.size(); ++d) {
    result[perm[d]] = next;
    next *= shape[perm[d]];
  }
  return new_symbolic(like, shape, &result);
}

void pointwise(const Call& call) {
  const std::vector<Tensor> like = StandIns(call).run();
  const SymbolicDims shape = broadcast_inputs(call);
  if (!call.form.is_functional()) {
    const SymbolicTensor self(call.written());
    SymbolicDims own(self.sizes());
    const bool fits =
        own.size() == shape.size() && std::equal(own.begin(), own.end(), shape.begin());
    if (!fits) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {call.op(), ": self must have the broadcast sizes ", text_of(shape),
            " to be written in place, got ", text_of(own)});
    }
    return;
  }
  for (size_t k = 0; k < like.size(); ++k) {
    call.give(static_cast<int>(k), new_in_order(call, like[k], shape));
  }
}

// Returns a mask with bit d set if dim d is folded.
uint64_t folded_dims(const Call& call, int64_t ndim) {
  const uint64_t all = ndim == 0 ? 0 : ~uint64_t{0} >> (64 - ndim);
  if (call.form.dim < 0) return all;
  const tenon_value& value = call.args[call.form.dim];
  if (value.tag == TENON_TAG_INT) return uint64_t{1} << wrap_dim(call.op(), value.as.i, ndim);
  if (value.tag == TENON_TAG_NONE) return all;
  const auto* dims = static_cast<const int64_t*>(value.as.list.data);
  uint64_t mask = 0;
  for (uint32_t k = 0; k < value.count; ++k) {
    mask |= uint64_t{1} << wrap_dim(call.op(), dims[k], ndim);
  }
  return mask == 0 && !call.facts().fold.folds_none_of_no_dims ? all : mask;
}

void fold(const Call& call) {
  const std::vector<Tensor> like = StandIns(call).run();
  const SymbolicTensor self(call.tensor(0));
  const uint64_t mask = folded_dims(call, self.ndim());
  const bool keepdim = call.form.keepdim >= 0 && call.args[call.form.keepdim].as.i != 0;
  SymbolicDims sizes;
  for (int64_t d = 0; d < self.ndim(); ++d) {
    const bool folds = (mask >> d & 1) != 0;
    const SymbolicSize size = self.sizes()[static_cast<size_t>(d)];
    if (folds && call.facts().fold.needs_elements && size == 0) {
      fail(TENON_ERROR_INDEX,
           {call.op(), ": dim must have a non-zero size, got sizes ", text_of(self.sizes())});
    }
    if (!folds || keepdim) sizes.insert(sizes.size(), folds ? SymbolicSize(1) : size);
  }
  for (size_t k = 0; k < like.size(); ++k) {
    call.give(static_cast<int>(k), new_symbolic(like[k], sizes));
  }
}

// Returns the sizes of a product of the matrices in arguments k and k + 1, with leading batch dims.
SymbolicDims product_sizes(const Call& call, int k) {
  const SymbolicTensor a(call.tensor(k));
  const SymbolicTensor b(call.tensor(k + 1));
  const auto rows = static_cast<size_t>(a.ndim() - 2);
  const bool fits =
      a.sizes()[rows + 1] == b.sizes()[rows] && (rows == 0 || a.sizes()[0] == b.sizes()[0]);
  if (!fits) {
    fail(
        TENON_ERROR_INVALID_ARGUMENT,
        {call.op(), ": ", call.form.names[k + 1], " must have as many rows as ", call.form.names[k],
         " has columns, got sizes ", text_of(a.sizes()), " and ", text_of(b.sizes())});
  }
  SymbolicDims sizes(a.sizes());
  sizes[static_cast<int64_t>(rows) + 1] = b.sizes()[rows + 1];
  return sizes;
}

void product(const Call& call) {
  const Tensor like = StandIns(call).run()[0];
  call.give(0, new_symbolic(like, product_sizes(call, 0)));
}

// A product to which the first argument is added.
void added_product(const Call& call) {
  const Tensor like = StandIns(call).run()[0];
  const SymbolicDims sizes = product_sizes(call, 1);
  const SymbolicTensor self(call.tensor(0));
  SymbolicDims common = sizes;
  const bool fits = self.ndim() <= sizes.size() &&
                    rules::broadcast_into(common, self.sizes()) < 0 &&
                    std::equal(sizes.begin(), sizes.end(), common.begin());
  if (!fits) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": self must broadcast to the product's sizes ",
                                        text_of(sizes), ", got ", text_of(self.sizes())});
  }
  call.give(0, new_symbolic(like, sizes));
}

void cat(const Call& call) {
  const Tensor like = StandIns(call).run()[0];
  const tenon_value& list = call.args[0];
  auto* const* tensors = static_cast<tenon_tensor* const*>(list.as.list.data);
  // An empty vector is ignored, whatever the dims of all other tensors.
  const auto has_none = [](const SymbolicTensor& tensor) {
    return tensor.ndim() == 1 && tensor.sizes()[0].is_number() && tensor.sizes()[0].word() == 0;
  };
  uint32_t from = 0;
  while (from + 1 < list.count && has_none(SymbolicTensor(tensors[from]))) ++from;
  const SymbolicTensor first(tensors[from]);
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), first.ndim());
  SymbolicDims sizes(first.sizes());
  for (uint32_t k = from + 1; k < list.count; ++k) {
    const SymbolicTensor next(tensors[k]);
    if (has_none(next)) continue;
    for (int64_t d = 0; d < first.ndim(); ++d) {
      const SymbolicSize size = next.sizes()[static_cast<size_t>(d)];
      if (d == dim) {
        sizes[d] += size;
      } else if (!(sizes[d] == size)) {
        fail(TENON_ERROR_INVALID_ARGUMENT,
             {call.op(), ": tensors must have the same sizes except in dim ", dim, ", got ",
              text_of(first.sizes()), " and ", text_of(next.sizes()), " at position ", k});
      }
    }
  }
  // A channels-last input has a channels-last result.
  const MarkedCall::KnownSize known[] = {{dim - first.ndim(), sizes[dim]}};
  if (first.ndim() > 3 && !first.is_contiguous() && MarkedCall(call).run(known)) return;
  call.give(0, new_symbolic(like, sizes));
}

void stack(const Call& call) {
  const Tensor like = StandIns(call).run()[0];
  const tenon_value& list = call.args[0];
  auto* const* tensors = static_cast<tenon_tensor* const*>(list.as.list.data);
  const SymbolicTensor first(tensors[0]);
  SymbolicDims sizes(first.sizes());
  for (uint32_t k = 1; k < list.count; ++k) {
    const SymbolicTensor next(tensors[k]);
    if (next.ndim() == first.ndim() &&
        std::equal(sizes.begin(), sizes.end(), next.sizes().begin())) {
      continue;
    }
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": tensors must have the same sizes, got ", text_of(first.sizes()), " and ",
          text_of(next.sizes()), " at position ", k});
  }
  sizes.insert(wrap_dim(call.op(), call.get<int64_t>(1), first.ndim() + 1), int64_t{list.count});
  call.give(0, new_symbolic(like, sizes));
}

// Selects slices along a dim, one for each index.
void index_select(const Call& call) {
  const Tensor like = StandIns(call).run()[0];
  const SymbolicTensor self(call.tensor(0));
  const SymbolicTensor index(call.tensor(2));
  SymbolicDims sizes(self.sizes());
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), self.ndim());
  if (self.ndim() > 0) sizes[dim] = index.ndim() == 0 ? SymbolicSize(1) : index.sizes()[0];
  call.give(0, new_symbolic(like, sizes));
}

// Selects elements along a dim; all other sizes of the index are at most those of self.
void gather(const Call& call) {
  const Tensor like = StandIns(call).run()[0];
  const SymbolicTensor self(call.tensor(0));
  const SymbolicTensor index(call.tensor(2));
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), self.ndim());
  for (int64_t d = 0; d < self.ndim() && index.ndim() == self.ndim(); ++d) {
    const auto at = static_cast<size_t>(d);
    if (d == dim || index.sizes()[at] <= self.sizes()[at]) continue;
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": index must not be larger than self except along dim ", dim, ", got sizes ",
          text_of(index.sizes()), " and ", text_of(self.sizes())});
  }
  call.give(0, new_symbolic(like, SymbolicDims(index.sizes())));
}

void embedding(const Call& call) {
  const Tensor like = StandIns(call).run()[0];
  SymbolicDims sizes(SymbolicTensor(call.tensor(1)).sizes());
  sizes.insert(sizes.size(), SymbolicTensor(call.tensor(0)).sizes()[1]);
  call.give(0, new_symbolic(like, sizes));
}

// Returns true if the tensor has memory, as on another device that a call requests; sizes must then
// be concrete.
bool has_memory(const Tensor& like) { return has_data(SymbolicTensor(like.get()).info); }

// Makes a new row-major tensor with the sizes of the first argument.
void sized_as_first(const Call& call) {
  const Tensor like = StandIns(call).run()[0];
  if (has_memory(like)) return run_with_numbers(call);
  call.give(0, new_symbolic(like, SymbolicDims(SymbolicTensor(call.tensor(0)).sizes())));
}

// Returns channels-last strides: channels are innermost, followed by the dims from the last one on.
SymbolicDims channels_last(const Call& call, const SymbolicDims& sizes, MemoryFormat format) {
  const Dims ones = Dims::filled(sizes.size(), 1);
  // Refuses another number of dims.
  static_cast<void>(channels_last_strides(call.op(), ones, format));
  SymbolicDims strides;
  strides.resize(sizes.size());
  SymbolicSize next = 1;
  const auto put = [&](int64_t dim) {
    strides[dim] = next;
    next *= sizes[dim];
  };
  put(1);
  for (int64_t dim = sizes.size() - 1; dim >= 2; --dim) put(dim);
  put(0);
  return strides;
}

// Like sized_as_first(), but in the memory order of the first argument, unless the call requests
// another.
void like_first(const Call& call) {
  const int format = call.form.memory_format;
  const auto given = format < 0 ? std::nullopt : call.get<std::optional<MemoryFormat>>(format);
  const MemoryFormat asked = given.value_or(MemoryFormat::Preserve);
  if (asked == MemoryFormat::Contiguous) return sized_as_first(call);
  const Tensor like = StandIns(call).run()[0];
  if (has_memory(like)) return run_with_numbers(call);
  const SymbolicTensor first(call.tensor(0));
  if (asked == MemoryFormat::Preserve) return call.give(0, new_symbolic_like(like, first));
  const SymbolicDims sizes(first.sizes());
  const SymbolicDims strides = channels_last(call, sizes, asked);
  call.give(0, new_symbolic(like, sizes, &strides));
}

// A composite: returns the argument, or calls an operator that makes the result.
void contiguous(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<MemoryFormat>)> clone(
      "aten::clone");
  if (call.get<MemoryFormat>(1) != MemoryFormat::Contiguous) return run_with_numbers(call);
  Tensor self = Tensor::retain(call.tensor(0));
  const bool stays = SymbolicTensor(call.tensor(0)).is_contiguous();
  call.give(0, stays ? std::move(self) : clone(self, MemoryFormat::Contiguous));
}

// A factory whose argument k is the sizes.
template <int k>
void sized_by(const Call& call) {
  const Tensor like = StandIns(call).run()[0];
  if (has_memory(like)) return run_with_numbers(call);
  call.give(0, new_symbolic(like, sizes_argument(call, k)));
}

// Like sized_by(), with strides as the next argument.
template <int k>
void strided_by(const Call& call) {
  const Tensor like = StandIns(call).run()[0];
  if (has_memory(like)) return run_with_numbers(call);
  const SymbolicDims sizes = sizes_argument(call, k), strides = sizes_argument(call, k + 1);
  if (sizes.size() != strides.size()) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": stride must have ", sizes.size(),
                                        " numbers like size, got ", strides.size()});
  }
  call.give(0, new_symbolic(like, sizes, &strides));
}

// Makes a copy of the first argument with some elements replaced.
void as_first(const Call& call) {
  const SymbolicTensor first(call.tensor(0));
  call.give(0, new_symbolic_like(Tensor::retain(call.tensor(0)), first));
}

// The gradient of a part of a tensor: has the sizes in argument 1 and the dtype and device of the
// gradient.
void sized_as_whole(const Call& call) {
  call.give(0, new_symbolic(Tensor::retain(call.tensor(0)), sizes_argument(call, 1)));
}

// Returns true if data-dependent sizes of argument k become symbols.
bool tells_symbols(const Call& call, int k) {
  if (!call.form.is_functional()) return false;
  const SymbolicTensor tensor(call.tensor(k));
  return makes_symbols(tensor.info);
}

// Returns a new symbol for a size of at most `most` elements, as far as that is known.
SymbolicSize size_up_to(SymbolicSize most) {
  return new_size(most.is_number() ? most.word() : INT64_MAX);
}

void nonzero(const Call& call) {
  if (!tells_symbols(call, 0)) return run_with_numbers(call);
  const SymbolicTensor self(call.tensor(0));
  const Tensor like = allocate({}, Dtype::I64, Device(self.info.device));
  SymbolicDims sizes;
  sizes.insert(0, size_up_to(self.numel()));
  sizes.insert(1, self.ndim());
  call.give(0, new_symbolic(like, sizes));
}

// Indexes a contiguous tensor by a single index among slices: a mask over the first dims, or
// indices along a dim.
void index_by_one(const Call& call) {
  const tenon_value& indices = call.args[1];
  auto* const* given = static_cast<tenon_tensor* const*>(indices.as.list.data);
  int64_t at = -1;
  for (uint32_t k = 0; k < indices.count; ++k) {
    if (given[k] == nullptr) continue;
    if (at >= 0) return run_with_numbers(call);
    at = k;
  }
  const SymbolicTensor self(call.tensor(0));
  if (at < 0 || at >= self.ndim() || !self.is_contiguous()) return run_with_numbers(call);
  const SymbolicTensor index(given[at]);
  const auto dtype = static_cast<Dtype>(index.info.dtype);
  SymbolicDims sizes(self.sizes().first(static_cast<size_t>(at)));
  int64_t next = at + 1;
  if (dtype == Dtype::Bool) {
    next = at + index.ndim();
    if (next > self.ndim() || !makes_symbols(index.info)) return run_with_numbers(call);
    for (int64_t d = 0; d < index.ndim(); ++d) {
      const auto its = static_cast<size_t>(d);
      if (!(index.sizes()[its] == self.sizes()[its + static_cast<size_t>(at)])) {
        fail(TENON_ERROR_INDEX, {call.op(), ": a mask must have the sizes of self, got ",
                                 text_of(index.sizes()), " for ", text_of(self.sizes())});
      }
    }
    sizes.insert(sizes.size(), size_up_to(index.numel()));
  } else if (dtype == Dtype::I64 || dtype == Dtype::I32) {
    for (const SymbolicSize size : index.sizes()) sizes.insert(sizes.size(), size);
  } else {
    return run_with_numbers(call);
  }
  for (int64_t d = next; d < self.ndim(); ++d) {
    sizes.insert(sizes.size(), self.sizes()[static_cast<size_t>(d)]);
  }
  call.give(0, new_symbolic(Tensor::retain(call.tensor(0)), sizes));
}

// The numbers from `start` up or down to `end`. A position of -1 means that the operator lacks the
// argument.
template <int start, int end, int step>
void arange(const Call& call) {
  const auto is_whole = [&](int k) {
    return k < 0 || call.args[k].tag == TENON_TAG_INT || call.args[k].tag == TENON_TAG_SYMINT;
  };
  if (!is_whole(start) || !is_whole(end) || !is_whole(step)) return run_with_numbers(call);
  const SymbolicSize first = start < 0 ? SymbolicSize(0) : size_argument(call, start);
  const SymbolicSize last = size_argument(call, end);
  // Records a guard, because the sign of the step decides the rule.
  const int64_t by = step < 0 ? 1 : number_of(size_argument(call, step));
  if (by == 0 || by == INT64_MIN) return run_with_numbers(call);
  const SymbolicSize span = by > 0 ? last - first : first - last;
  if (span < SymbolicSize(0)) return run_with_numbers(call);
  // Determines dtype and device with an empty result.
  std::vector<tenon_value> args(call.args, call.args + call.form.arguments);
  for (const int k : {start, end}) {
    if (k >= 0) args[static_cast<size_t>(k)] = tenon_value_of_int(0);
  }
  if (step >= 0) args[static_cast<size_t>(step)] = tenon_value_of_int(1);
  tenon_value made = tenon_value_of_none();
  call.facts().family->run(Call{call.form, args.data(), &made});
  const Tensor like(made.as.tensor);
  if (has_memory(like)) return run_with_numbers(call);
  const int64_t width = by > 0 ? by : -by;
  const SymbolicSize length =
      width == 1 ? span : (span + SymbolicSize(width - 1)) / SymbolicSize(width);
  call.give(0, new_symbolic(like, SymbolicDims{length}));
}

// Writes all elements of the first argument, whatever its sizes.
void fills_first(const Call& call) { StandIns(call).run(); }

struct Named {
  std::string_view name;
  Forms form;
  SymbolicRule rule;
};

constexpr Named kRules[] = {
    {"mm", kFunctional, &product},
    {"bmm", kFunctional, &product},
    {"addmm", kFunctional, &added_product},
    {"cat", kFunctional, &cat},
    {"stack", kFunctional, &stack},
    {"index_select", kFunctional, &index_select},
    {"gather", kFunctional, &gather},
    {"embedding", kFunctional, &embedding},
    {"nonzero", kFunctional, &nonzero},
    {"arange", kFunctional, &arange<-1, 0, -1>},
    {"arange.start", kFunctional, &arange<0, 1, -1>},
    {"arange.start_step", kFunctional, &arange<0, 1, 2>},
    {"index.Tensor", kFunctional, &index_by_one},
    {"clone", kFunctional, &like_first},
    {"empty_like", kFunctional, &like_first},
    {"zeros_like", kFunctional, &like_first},
    {"ones_like", kFunctional, &like_first},
    {"full_like", kFunctional, &like_first},
    {"_to_copy", kFunctional, &like_first},
    {"contiguous", kFunctional, &contiguous},
    {"cumsum", kFunctional, &sized_as_first},
    {"_softmax", kFunctional, &sized_as_first},
    {"_log_softmax", kFunctional, &sized_as_first},
    {"_softmax_backward_data", kFunctional, &sized_as_first},
    {"_log_softmax_backward_data", kFunctional, &sized_as_first},
    {"select_backward", kFunctional, &sized_as_whole},
    {"slice_backward", kFunctional, &sized_as_whole},
    {"diagonal_backward", kFunctional, &sized_as_whole},
    {"unfold_backward", kFunctional, &sized_as_whole},
    {"select_scatter", kFunctional, &as_first},
    {"slice_scatter", kFunctional, &as_first},
    {"scatter.src", kFunctional, &sized_as_first},
    {"scatter.value", kFunctional, &sized_as_first},
    {"scatter_add", kFunctional, &sized_as_first},
    {"scatter.reduce", kFunctional, &sized_as_first},
    {"scatter.value_reduce", kFunctional, &sized_as_first},
    {"scatter_reduce.two", kFunctional, &sized_as_first},
    {"index_add", kFunctional, &sized_as_first},
    {"index_put", kFunctional, &sized_as_first},
    {"tril", kFunctional, &sized_as_first},
    {"triu", kFunctional, &sized_as_first},
    {"flip", kFunctional, &sized_as_first},
    {"clamp", kFunctional, &pointwise},
    {"clamp.Tensor", kFunctional, &pointwise},
    {"clamp_min", kFunctional, &pointwise},
    {"clamp_min.Tensor", kFunctional, &pointwise},
    {"clamp_max", kFunctional, &pointwise},
    {"clamp_max.Tensor", kFunctional, &pointwise},
    {"empty.memory_format", kFunctional, &sized_by<0>},
    {"empty_strided", kFunctional, &strided_by<0>},
    {"new_empty_strided", kFunctional, &strided_by<1>},
    {"zeros", kFunctional, &sized_by<0>},
    {"ones", kFunctional, &sized_by<0>},
    {"full", kFunctional, &sized_by<0>},
    {"rand", kFunctional, &sized_by<0>},
    {"randn", kFunctional, &sized_by<0>},
    {"new_empty", kFunctional, &sized_by<1>},
    {"new_zeros", kFunctional, &sized_by<1>},
    {"new_ones", kFunctional, &sized_by<1>},
    {"new_full", kFunctional, &sized_by<1>},
    {"copy", kInPlace, &pointwise},
    {"masked_fill.Scalar", kInPlace, &pointwise},
    {"masked_fill.Tensor", kInPlace, &pointwise},
    {"fill.Scalar", kInPlace, &fills_first},
    {"zero", kInPlace, &fills_first},
    {"native_layer_norm", kFunctional, &ops::native_layer_norm_in_words},
    {"uniform", kInPlace, &fills_first},
    {"normal", kInPlace, &fills_first},
};

}  // namespace

// Returns the rule of an operator that is not listed by name.
SymbolicRule rule_of_family(const Facts& facts, Forms form) {
  const bool is_view = std::string_view(facts.params).starts_with("Tensor(a");
  if (facts.family == &kSynonym) return &as_far_as_symbols_go;
  if (facts.family == &kView) {
    return (form & (kCopy | kCopyOut)) != 0 ? &as_far_as_symbols_go : nullptr;
  }
  if (form != kFunctional && form != kInPlace) return nullptr;
  if (facts.family == &kComposite) return &as_far_as_symbols_go;
  const bool has_own = facts.family == &kRoutine || facts.family == &kExplicit;
  if (!has_own || is_view) return nullptr;
  const std::string_view name(facts.name), tags(facts.tags);
  const bool tells_elements = tags.find("dynamic_output_shape") != std::string_view::npos ||
                              tags.find("data_dependent_output") != std::string_view::npos;
  if (tells_elements) return facts.family == &kExplicit ? &as_far_as_symbols_go : nullptr;
  const bool is_of_matrices = name.find("linalg_") != std::string_view::npos;
  return is_of_matrices ? &sized_by_matrices : &sized_by_arguments;
}

SymbolicRule symbolic_rule(const Facts& facts, Forms form) {
  if (facts.family == &kPointwise && (form == kFunctional || form == kInPlace)) return &pointwise;
  if (facts.family == &kFold && form == kFunctional) return &fold;
  for (const Named& named : kRules) {
    if (named.name == facts.name && named.form == form) return named.rule;
  }
  for (const auto find : {&symbolic_view_rule, &symbolic_parts_rule, &symbolic_image_rule,
                          &symbolic_composite_rule}) {
    if (const SymbolicRule rule = find(facts, form)) return rule;
  }
  return rule_of_family(facts, form);
}

}  // namespace tenon::kernels
