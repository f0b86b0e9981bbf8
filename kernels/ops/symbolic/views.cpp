// SPDX-License-Identifier: Apache-2.0
// Symbolic rules of views.
#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/common/shape_rules.h"
#include "kernels/ops/symbolic/calls.h"
#include "kernels/ops/symbolic/rules.h"

namespace tenon::kernels {

namespace {

// The metadata of a view. It initially describes the tensor itself.
struct SymbolicView {
  SymbolicDims sizes;
  SymbolicDims strides;
  SymbolicSize offset;
  tenon_dtype dtype;
  const SymbolicTensor& base;

  explicit SymbolicView(const SymbolicTensor& its_base)
      : sizes(its_base.sizes()),
        strides(its_base.strides()),
        offset(its_base.offset()),
        dtype(its_base.info.dtype),
        base(its_base) {}

  int64_t ndim() const { return sizes.size(); }
  void remove(int64_t dim) {
    sizes.erase(dim);
    strides.erase(dim);
  }
  void append(SymbolicSize size, SymbolicSize stride) {
    sizes.insert(sizes.size(), size);
    strides.insert(strides.size(), stride);
  }
  void swap(int64_t a, int64_t b) {
    std::swap(sizes[a], sizes[b]);
    std::swap(strides[a], strides[b]);
  }
};

using Change = void (*)(SymbolicView& view, const Call& call);

Tensor view_of(tenon_tensor* base, const SymbolicView& view) {
  tenon_symbolic_options options{};
  options.struct_size = sizeof options;
  options.dtype = view.dtype;
  options.alias_of = base;
  options.ndim = view.ndim();
  options.sizes = view.sizes.words();
  options.strides = view.strides.words();
  options.storage_offset = view.offset.word();
  tenon_tensor* made = nullptr;
  check(tenon_tensor_new_symbolic(&options, &made));
  return Tensor(made);
}

template <Change kChange>
void run_view(const Call& call) {
  const SymbolicTensor base(call.tensor(0));
  SymbolicView view(base);
  kChange(view, call);
  call.give(0, view_of(call.tensor(0), view));
}

int64_t dim_argument(const Call& call, int k, int64_t ndim) {
  return wrap_dim(call.op(), call.get<int64_t>(k), ndim);
}

void unchanged(SymbolicView&, const Call&) {}

void t(SymbolicView& view, const Call& call) {
  if (view.ndim() > 2) fail_argument(call.op(), "self", "have at most 2 dims", view.ndim());
  if (view.ndim() == 2) view.swap(0, 1);
}

void transpose(SymbolicView& view, const Call& call) {
  const int64_t dim0 = dim_argument(call, 1, view.ndim());
  const int64_t dim1 = dim_argument(call, 2, view.ndim());
  if (dim0 != dim1) view.swap(dim0, dim1);
}

void permute(SymbolicView& view, const Call& call) {
  const auto dims = call.get<Sizes>(1);
  if (static_cast<int64_t>(dims.size()) != view.ndim()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": dims must name each of the ", view.ndim(), " dims once, got ", dims});
  }
  uint64_t seen = 0;
  for (int64_t i = 0; i < view.ndim(); ++i) {
    const int64_t dim = wrap_dim(call.op(), dims[static_cast<size_t>(i)], view.ndim());
    if ((seen >> dim & 1) != 0) fail_argument(call.op(), "dims", "free of duplicates", dims);
    seen |= uint64_t{1} << dim;
    view.sizes[i] = view.base.sizes()[static_cast<size_t>(dim)];
    view.strides[i] = view.base.strides()[static_cast<size_t>(dim)];
  }
}

void unsqueeze(SymbolicView& view, const Call& call) {
  const int64_t dim = dim_argument(call, 1, view.ndim() + 1);
  const SymbolicSize stride =
      dim < view.ndim() ? view.sizes[dim] * view.strides[dim] : SymbolicSize(1);
  view.sizes.insert(dim, 1);
  view.strides.insert(dim, stride);
}

void squeeze(SymbolicView& view, const Call&) {
  for (int64_t dim = view.ndim() - 1; dim >= 0; --dim) {
    if (view.sizes[dim] == 1) view.remove(dim);
  }
}

void squeeze_dim(SymbolicView& view, const Call& call) {
  const int64_t dim = dim_argument(call, 1, view.ndim());
  if (view.ndim() > 0 && view.sizes[dim] == 1) view.remove(dim);
}

void squeeze_dims(SymbolicView& view, const Call& call) {
  uint64_t named = 0;
  for (const int64_t dim : call.get<Sizes>(1)) {
    const int64_t wrapped = wrap_dim(call.op(), dim, view.ndim());
    if ((named >> wrapped & 1) != 0) {
      fail_argument(call.op(), "dim", "free of duplicates", call.get<Sizes>(1));
    }
    named |= uint64_t{1} << wrapped;
  }
  for (int64_t dim = view.ndim() - 1; dim >= 0; --dim) {
    if ((named >> dim & 1) != 0 && view.sizes[dim] == 1) view.remove(dim);
  }
}

// The position in memory is not checked, because there is no memory.
void as_strided(SymbolicView& view, const Call& call) {
  const SymbolicDims size = sizes_argument(call, 1);
  const SymbolicDims stride = sizes_argument(call, 2);
  if (size.size() != stride.size()) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": stride must have ", size.size(),
                                        " numbers like size, got ", stride.size()});
  }
  view.sizes = size;
  view.strides = stride;
  if (call.args[3].tag != TENON_TAG_NONE) view.offset = size_argument(call, 3);
}

void diagonal(SymbolicView& view, const Call& call) {
  const auto offset = call.get<int64_t>(1);
  const int64_t dim1 = dim_argument(call, 2, view.ndim());
  const int64_t dim2 = dim_argument(call, 3, view.ndim());
  if (dim1 == dim2) fail_argument(call.op(), "dim2", "different from dim1", dim2);
  const SymbolicSize rows = view.sizes[dim1] + SymbolicSize(std::min<int64_t>(offset, 0));
  const SymbolicSize columns = view.sizes[dim2] - SymbolicSize(std::max<int64_t>(offset, 0));
  const SymbolicSize least = rows.word() == columns.word() ? rows : smaller(rows, columns);
  const SymbolicSize size = offset == 0 ? least : larger(least, SymbolicSize(0));
  if (offset != 0 && size > 0) {
    view.offset += SymbolicSize(std::abs(offset)) * view.strides[offset < 0 ? dim1 : dim2];
  }
  const SymbolicSize stride = view.strides[dim1] + view.strides[dim2];
  view.remove(std::max(dim1, dim2));
  view.remove(std::min(dim1, dim2));
  view.append(size, stride);
}

void unfold(SymbolicView& view, const Call& call) {
  const int64_t dim = dim_argument(call, 1, view.ndim());
  const auto size = call.get<int64_t>(2);
  const auto step = call.get<int64_t>(3);
  const SymbolicSize whole = view.ndim() != 0 ? view.sizes[dim] : SymbolicSize(1);
  if (size < 0 || whole < SymbolicSize(size)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": size must be at least 0 and at most the ", "size of dim ", dim,
          " of sizes ", text_of(view.sizes), ", got ", size});
  }
  if (step <= 0) fail_argument(call.op(), "step", "above 0", step);
  if (view.ndim() == 0) return view.append(size, 1);
  view.append(size, view.strides[dim]);
  view.sizes[dim] = (whole - SymbolicSize(size)) / step + SymbolicSize(1);
  view.strides[dim] *= step;
}

SymbolicDims times(const SymbolicDims& words, SymbolicSize factor) {
  SymbolicDims products = words;
  for (int64_t d = 0; d < products.size(); ++d) products[d] *= factor;
  return products;
}

void view_as_real(SymbolicView& view, const Call& call) {
  const auto dtype = static_cast<Dtype>(view.dtype);
  if (!is_complex(dtype)) fail_dtype(call.op(), "self", dtype, "complex32, complex64, complex128");
  view.dtype = static_cast<tenon_dtype>(to_real(dtype));
  view.strides = times(view.strides, 2);
  view.offset *= 2;
  view.append(2, 1);
}

void view_as_complex(SymbolicView& view, const Call& call) {
  const auto dtype = static_cast<Dtype>(view.dtype);
  if (to_real(to_complex(dtype)) != dtype) {
    fail_dtype(call.op(), "self", dtype, "float16, float32, float64");
  }
  const int64_t last = view.ndim() - 1;
  if (last < 0 || !(view.sizes[last] == 2) || !(view.strides[last] == 1)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": self must have a last dim of size 2 and stride 1, got sizes ",
          text_of(view.sizes), " with strides ", text_of(view.strides)});
  }
  view.remove(last);
  for (int64_t d = 0; d < view.ndim(); ++d) {
    const SymbolicSize half = view.strides[d] / 2;
    if (!(half * 2 == view.strides[d])) {
      fail_argument(call.op(), "self", "have even strides except in its last dim",
                    text_of(view.strides));
    }
    view.strides[d] = half;
  }
  view.offset = view.offset / 2;
  view.dtype = static_cast<tenon_dtype>(to_complex(dtype));
}

void select(SymbolicView& view, const Call& call) {
  if (view.ndim() == 0) {
    fail(TENON_ERROR_INDEX, {call.op(), ": self must have at least 1 dim, got a 0-dim tensor"});
  }
  const int64_t dim = dim_argument(call, 1, view.ndim());
  const SymbolicSize index = size_argument(call, 2);
  const SymbolicSize size = view.sizes[dim];
  const bool counts_back = index < 0;
  if (counts_back ? SymbolicSize(0) > size + index : index >= size) {
    fail(TENON_ERROR_INDEX,
         {call.op(), ": index must lie inside of sizes ", text_of(view.sizes), " at dim ", dim});
  }
  view.offset += (counts_back ? index + size : index) * view.strides[dim];
  view.remove(dim);
}

// Returns a bound of a slice as an index from 0 to `size`.
SymbolicSize clamped(SymbolicSize index, SymbolicSize lowest, SymbolicSize size) {
  if (index < 0) index = index + size;
  return larger(lowest, smaller(index, size));
}

void slice(SymbolicView& view, const Call& call) {
  if (view.ndim() == 0) fail_argument(call.op(), "self", "have at least 1 dim", "a 0-dim tensor");
  const int64_t dim = dim_argument(call, 1, view.ndim());
  const SymbolicSize step = size_argument(call, 4);
  if (step <= 0) fail_argument(call.op(), "step", "greater than 0", "a value that is not");
  const SymbolicSize size = view.sizes[dim];
  const auto is_given = [&](int k) { return call.args[k].tag != TENON_TAG_NONE; };
  const bool ends = is_given(3) && call.args[3].as.i != INT64_MAX;
  const auto bound = [&](int k, SymbolicSize lowest) {
    constexpr int64_t kBeforeAll = -(int64_t{1} << 62);  // before the first element of any tensor
    const SymbolicSize index = clamped_argument(call, k);
    const bool is_before = index.is_number() && index.word() <= kBeforeAll;
    return is_before ? lowest : clamped(index, lowest, size);
  };
  const SymbolicSize first = is_given(2) ? bound(2, 0) : 0;
  const SymbolicSize last = ends ? bound(3, first) : size;
  view.offset += first * view.strides[dim];
  view.sizes[dim] = (last - first + step - SymbolicSize(1)) / step;
  view.strides[dim] *= step;
}

void expand(SymbolicView& view, const Call& call) {
  const SymbolicDims size = sizes_argument(call, 1);
  const int64_t added = size.size() - view.ndim();
  if (added < 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": size must have at least ", view.ndim(), " numbers, got ", text_of(size)});
  }
  const SymbolicDims sizes = view.sizes;
  const SymbolicDims strides = view.strides;
  view.sizes.resize(size.size());
  view.strides.resize(size.size());
  for (int64_t i = size.size() - 1; i >= 0; --i) {
    const int64_t old = i - added;
    SymbolicSize current = 1, stride = 0;
    if (old >= 0) {
      current = sizes[old];
      stride = strides[old];
    } else if (i + 1 < size.size()) {
      stride = view.sizes[i + 1] * view.strides[i + 1];
    }
    const bool keeps = size[i] == -1;
    if (keeps && old < 0) {
      fail_argument(call.op(), "size", "have no -1 for new leading dims", text_of(size));
    }
    const SymbolicSize wanted = keeps ? current : size[i];
    if (!(wanted == current)) {
      if (!(current == 1) || wanted < 0) {
        fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": size must match ", text_of(sizes),
                                            " in dims that are not 1, got ", text_of(size)});
      }
      stride = 0;
    }
    view.sizes[i] = wanted;
    view.strides[i] = stride;
  }
}

}  // namespace

SymbolicDims inferred_sizes(const char* op, SymbolicDims sizes, SymbolicSize numel) {
  int64_t unknown = -1;
  SymbolicSize known = 1;
  for (int64_t i = 0; i < sizes.size(); ++i) {
    if (!(sizes[i] == -1)) {
      known *= sizes[i];
    } else if (unknown < 0) {
      unknown = i;
    } else {
      fail_argument(op, "size", "have at most one -1", text_of(sizes));
    }
  }
  if (unknown >= 0) {
    if (known == 0) fail_argument(op, "size", "have no 0 together with -1", text_of(sizes));
    sizes[unknown] = numel / known;
    known *= sizes[unknown];
  }
  if (!(known == numel)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": size must have as many elements as self, got ", text_of(sizes)});
  }
  return sizes;
}

namespace {

// Returns true if the memory can be viewed in these sizes, and changes the view to them.
bool change_sizes(SymbolicView& view, const SymbolicDims& sizes) {
  const SymbolicTensor& base = view.base;
  SymbolicDims strides;
  if (base.is_contiguous() || base.ndim() == 0) {
    strides = rules::row_major_strides<SymbolicDims>(SymbolicSizes(sizes));
  } else if (!rules::view_strides(base.sizes(), base.strides(), SymbolicSizes(sizes), &strides)) {
    return false;
  }
  view.sizes = sizes;
  view.strides = strides;
  return true;
}

void reshaped(SymbolicView& view, const Call& call) {
  const SymbolicDims sizes = inferred_sizes(call.op(), sizes_argument(call, 1), view.base.numel());
  if (!change_sizes(view, sizes)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": size must be compatible with the sizes and strides of self, got ",
          text_of(sizes), " for sizes ", text_of(view.base.sizes()),
          "; use reshape() instead, which copies"});
  }
}

// A composite: a view if possible, otherwise a view of a copy.
void reshape(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<MemoryFormat>)> clone(
      "aten::clone");
  const SymbolicTensor base(call.tensor(0));
  SymbolicView view(base);
  const SymbolicDims sizes = inferred_sizes(call.op(), sizes_argument(call, 1), base.numel());
  if (change_sizes(view, sizes)) {
    return call.give(0, call_with_sizes("aten::view", call.tensor(0), sizes));
  }
  const Tensor copy = clone(Tensor::retain(call.tensor(0)), MemoryFormat::Contiguous);
  call.give(0, call_with_sizes("aten::_unsafe_view", copy.get(), sizes));
}

constexpr NamedRule kViewRules[] = {
    {"alias", &run_view<&unchanged>},
    {"detach", &run_view<&unchanged>},
    {"t", &run_view<&t>},
    {"transpose.int", &run_view<&transpose>},
    {"permute", &run_view<&permute>},
    {"unsqueeze", &run_view<&unsqueeze>},
    {"squeeze", &run_view<&squeeze>},
    {"squeeze.dim", &run_view<&squeeze_dim>},
    {"squeeze.dims", &run_view<&squeeze_dims>},
    {"as_strided", &run_view<&as_strided>},
    {"diagonal", &run_view<&diagonal>},
    {"unfold", &run_view<&unfold>},
    {"view_as_real", &run_view<&view_as_real>},
    {"view_as_complex", &run_view<&view_as_complex>},
    {"select.int", &run_view<&select>},
    {"slice.Tensor", &run_view<&slice>},
    {"expand", &run_view<&expand>},
    {"view", &run_view<&reshaped>},
    {"_unsafe_view", &run_view<&reshaped>},
    {"reshape", &reshape},
};

}  // namespace

Tensor call_with_sizes(const char* name, tenon_tensor* self, const SymbolicDims& sizes,
                       std::optional<bool> flag) {
  tenon_value args[3] = {tenon_value_of_tensor(self),
                         tenon_value_of_ints(sizes.words(), static_cast<uint32_t>(sizes.size())),
                         tenon_value_of_bool(flag.value_or(false) ? 1 : 0)};
  args[1].flags = TENON_VALUE_HAS_SYMBOLIC;
  return call_boxed(name, args, flag ? 3 : 2);
}

SymbolicRule symbolic_view_rule(const Facts& facts, Forms form) {
  return find_rule(kViewRules, facts, form);
}

}  // namespace tenon::kernels
