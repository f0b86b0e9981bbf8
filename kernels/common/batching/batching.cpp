// SPDX-License-Identifier: Apache-2.0
// Helpers of batching rules, and the rules of families.
// Long file: the rules of all families, which share the helpers above them.
#include "kernels/common/batching/batching.h"

#include <algorithm>
#include <string_view>

#include "kernels/common/call.h"
#include "kernels/common/check.h"
#include "kernels/common/promotion.h"

namespace tenon::kernels {

namespace {

constinit const LazyOp<Tensor(const Tensor&, Sizes)> permute("aten::permute");
constinit const LazyOp<Tensor(const Tensor&, Sizes, bool)> expand("aten::expand");
constinit const LazyOp<Tensor(const Tensor&, Sizes)> view("aten::view");
constinit const LazyOp<Tensor(const Tensor&, int64_t)> squeeze_dim("aten::squeeze.dim");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> matmul("aten::matmul");
constinit const LazyOp<Tensor(const Tensor&)> alias("aten::alias");
constinit const LazyOp<Tensor(const Tensor&, Sizes)> reshape("aten::reshape");

const tenon_op* find(const char* name) {
  const tenon_op* op = nullptr;
  check(tenon_op_find(name, &op));
  return op;
}

// Returns the position of the argument with this name; -1 if there is none.
int find_argument(const BatchedForm& form, std::string_view name) {
  const auto found = std::find(form.arguments.begin(), form.arguments.end(), name);
  return found == form.arguments.end() ? -1 : static_cast<int>(found - form.arguments.begin());
}

std::vector<int64_t> ints_of(const tenon_value& value) {
  if (value.tag == TENON_TAG_INT) return {value.as.i};
  if (value.tag != TENON_TAG_INT_LIST) return {};
  const auto* const data = static_cast<const int64_t*>(value.as.list.data);
  return {data, data + value.count};
}

}  // namespace

Tensor move_dim(const Tensor& tensor, int64_t from, int64_t to) {
  if (from == to) return tensor;
  if (std::max(from, to) >= tensor.ndim()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {"vmap: a mapped tensor must have at least ", std::max(from, to),
          " dims besides the mapped dim, got ", tensor.ndim() - 1});
  }
  std::vector<int64_t> order;
  for (int64_t dim = 0; dim < tensor.ndim(); ++dim) {
    if (dim != from) order.push_back(dim);
  }
  order.insert(order.begin() + to, from);
  return permute(tensor, order);
}

Tensor with_ones(const Tensor& tensor, int64_t front, int64_t rank) {
  if (tensor.ndim() >= rank) return tensor;
  std::vector<int64_t> sizes(tensor.sizes().begin(), tensor.sizes().end());
  sizes.insert(sizes.begin() + front, static_cast<size_t>(rank - tensor.ndim()), 1);
  return view(tensor, sizes);
}

Tensor reshaped(const Tensor& tensor, Sizes sizes) { return reshape(tensor, sizes); }

Tensor expanded(const Tensor& tensor, Sizes sizes) { return expand(tensor, sizes, false); }

Batch::Batch(const BatchedForm& form, const tenon_vmap_info& info, const int64_t* in_dims,
             tenon_stack& stack, tenon_value& out_dims)
    : form_(form),
      size_(info.batch_size),
      stack_(stack),
      out_dims_(out_dims),
      args_(stack.args, stack.args + stack.nargs) {
  dims_.reserve(2 * args_.size() + 1);
  dims_.resize(args_.size() + 1);
  for (size_t k = 0; k < args_.size(); ++k) {
    dims_[k] = static_cast<int64_t>(dims_.size());
    args_[k].flags &= TENON_VALUE_HAS_SYMBOLIC;
    if (args_[k].tag == TENON_TAG_TENSOR) dims_.push_back(*in_dims++);
    if (args_[k].tag != TENON_TAG_TENSOR_LIST) continue;
    const auto* const tensors = static_cast<tenon_tensor* const*>(args_[k].as.list.data);
    for (uint32_t i = 0; i < args_[k].count; ++i) {
      dims_.push_back(tensors[i] != nullptr ? *in_dims++ : -1);
    }
  }
  dims_[args_.size()] = static_cast<int64_t>(dims_.size());
}

int64_t Batch::rank(size_t k) const {
  return tenon_tensor_ndim(args_[k].as.tensor) - (is_mapped(k) ? 1 : 0);
}

std::vector<Tensor> Batch::list(size_t k) const {
  std::vector<Tensor> tensors;
  const auto* const elements = static_cast<tenon_tensor* const*>(args_[k].as.list.data);
  for (uint32_t i = 0; i < args_[k].count; ++i) tensors.push_back(Tensor::retain(elements[i]));
  return tensors;
}

Tensor Batch::front(size_t k) {
  const Tensor tensor = Tensor::retain(args_[k].as.tensor);
  return is_mapped(k) ? move_dim(tensor, mapped_dim(k), 0) : tensor;
}

Tensor Batch::repeated(size_t k) {
  const Tensor tensor = front(k);
  if (is_mapped(k)) return tensor;
  std::vector<int64_t> sizes(tensor.sizes().begin(), tensor.sizes().end());
  sizes.insert(sizes.begin(), size_);
  return expand(tensor, sizes, false);
}

void Batch::put(size_t k, Tensor tensor) {
  args_[k] = tenon_value_of_tensor(tensor.get());
  kept_.push_back(std::move(tensor));
}

void Batch::put(size_t k, std::vector<int64_t> ints) {
  kept_ints_.push_back(std::move(ints));
  args_[k] = tenon_value_of_ints(kept_ints_.back().data(),
                                 static_cast<uint32_t>(kept_ints_.back().size()));
}

int64_t Batch::shifted(int64_t dim, int64_t rank) const {
  if (dim < -rank || dim >= rank) {
    fail(TENON_ERROR_INDEX, {op(), ": dim must be between ", -rank, " and ", rank - 1,
                             " for a tensor of ", rank, " dims in a vmap, got ", dim});
  }
  return (dim < 0 ? dim + rank : dim) + 1;
}

void Batch::give_self() {
  for (tenon_value& ret : results()) tenon_value_clear(&ret);
  stack_.rets[0] =
      tenon_value_give(tenon_value_of_tensor(tenon_tensor_retain(stack_.args[0].as.tensor)));
  out_dims_ = tenon_value_of_int(mapped_dim(0));
}

void Batch::call(const tenon_op* other) {
  tenon_stack inner{};
  inner.args = args_.data();
  inner.nargs = static_cast<uint32_t>(args_.size());
  inner.rets = stack_.rets;
  inner.nrets = stack_.nrets;
  check(tenon_op_call(other, &inner));
  out_dims_ = tenon_value_of_int(0);
  if (is_in_place()) give_self();
}

void Batch::call() { call(form_.op); }

void Batch::give(Tensor result, int64_t dim) {
  stack_.rets[0] = tenon_value_give(tenon_value_of_tensor(result.release()));
  out_dims_ = tenon_value_of_int(dim);
}

void require_mapped_self(Batch& batch) {
  if (!batch.is_in_place() || batch.is_mapped(0)) return;
  fail(TENON_ERROR_STATE,
       {batch.op(), ": ", batch.form().arguments[0],
        " must be mapped by the vmap, as a mapped tensor is written into it in place, got a "
        "tensor that is not mapped; use an operation that is not inplace"});
}

namespace {

// ---- Pointwise: dims aligned at the end -----------------------------------------------------

// Keeps the promotion of tensors that are 0-dim for each example. With the batch dim they have one
// dim and would no longer be weak in promotion, so they are cast to the dtype that the call
// promotes to without batching.
void keep_promotion(Batch& batch, const std::vector<size_t>& tensors) {
  bool has_weak = false;
  ResultType type;
  for (const size_t k : tensors) {
    tenon_tensor_info info;
    check(tenon_tensor_describe(batch.arg(k).as.tensor, &info));
    has_weak = has_weak || (batch.is_mapped(k) && batch.rank(k) == 0);
    info.ndim = static_cast<int32_t>(batch.rank(k));
    type.add(info);
  }
  if (!has_weak) return;
  const Dtype wanted = type.get();
  for (const size_t k : tensors) {
    const Tensor tensor = Tensor::retain(batch.arg(k).as.tensor);
    if (!batch.is_mapped(k) || batch.rank(k) != 0 || tensor.dtype() == wanted) continue;
    batch.put(k, cast(tensor, wanted));
  }
}

void batch_pointwise(Batch& batch) {
  require_mapped_self(batch);
  std::vector<size_t> tensors;
  int64_t rank = 0;
  bool aligned = true;
  for (size_t k = 0; k < batch.count(); ++k) {
    if (!batch.is_tensor(k)) continue;
    tensors.push_back(k);
    rank = std::max(rank, batch.rank(k));
  }
  for (const size_t k : tensors) {
    aligned = aligned && (!batch.is_mapped(k) || batch.rank(k) == rank);
  }
  if (batch.is_in_place() && batch.rank(0) < rank) {
    fail(TENON_ERROR_STATE, {batch.op(), ": ", batch.form().arguments[0],
                             " must have as many dims as the value that is written into it, got ",
                             batch.rank(0), " and ", rank});
  }
  const int masks = batch.form().facts->pointwise.masks;
  if (!aligned && tensors.size() > static_cast<size_t>(masks) + 1 && !batch.is_in_place()) {
    keep_promotion(batch, {tensors.begin() + masks, tensors.end()});
  }
  for (const size_t k : tensors) {
    if (batch.is_mapped(k)) batch.put(k, with_ones(batch.front(k), 1, rank + 1));
  }
  batch.call();
}

// ---- Folds ----------------------------------------------------------------------------------

// Returns the operator that folds along dims, for an operator that folds all dims.
const tenon_op* along_dims(std::string_view name) {
  struct Pair {
    std::string_view all;
    const char* along;
  };
  static constexpr Pair kPairs[] = {{"sum", "aten::sum.dim_IntList"},
                                    {"mean", "aten::mean.dim"},
                                    {"max", "aten::amax"},
                                    {"min", "aten::amin"},
                                    {"any", "aten::any.dims"},
                                    {"all", "aten::all.dims"}};
  for (const Pair& pair : kPairs) {
    if (pair.all == name) return find(pair.along);
  }
  return nullptr;
}

// Removes the dim of size 1 that was added to a tensor without dims, if the result still has it.
void squeeze_results(Batch& batch) {
  for (tenon_value& ret : batch.results()) {
    const Tensor whole = Tensor::retain(ret.as.tensor);
    if (whole.ndim() < 2) continue;
    tenon_value_clear(&ret);
    ret = tenon_value_give(tenon_value_of_tensor(squeeze_dim(whole, 1).release()));
  }
}

// Folds all dims of a tensor by an operator that folds a single dim: the dims are flattened first.
void fold_flat(Batch& batch) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, bool, std::optional<Dtype>)> prod(
      "aten::prod.dim_int");
  const tenon_value& dtype = batch.arg(1);
  const bool is_given = dtype.tag != TENON_TAG_NONE;
  const auto code = static_cast<uint64_t>(dtype.as.i);
  constexpr uint64_t kAll = kCodes<Dtype>;
  const bool is_dtype = code < 64 && (kAll >> code & 1) != 0;
  if (is_given && !is_dtype) return batch.decline();  // the operator itself refuses the code
  const Tensor flat = reshaped(batch.front(0), std::vector<int64_t>{batch.size(), -1});
  batch.give(
      prod(flat, 1, false, is_given ? std::optional(static_cast<Dtype>(code)) : std::nullopt));
}

// Folds all dims except the mapped one.
void fold_all(Batch& batch) {
  if (std::string_view(batch.form().facts->name) == "prod") return fold_flat(batch);
  const tenon_op* const other = along_dims(batch.form().facts->name);
  if (other == nullptr) return batch.decline();
  const Tensor self = with_ones(batch.front(0), 1, 2);
  std::vector<int64_t> dims;
  for (int64_t dim = 1; dim < self.ndim(); ++dim) dims.push_back(dim);
  const tenon_value keepdim = tenon_value_of_bool(0);
  // The arguments are (self, dim, keepdim) and perhaps dtype.
  tenon_value args[] = {tenon_value_of_tensor(self.get()),
                        tenon_value_of_ints(dims.data(), static_cast<uint32_t>(dims.size())),
                        keepdim, batch.count() > 1 ? batch.arg(1) : tenon_value_of_none()};
  tenon_stack stack{};
  stack.args = args;
  stack.nargs = static_cast<uint32_t>(batch.count()) + 2;
  tenon_value ret{};
  stack.rets = &ret;
  stack.nrets = 1;
  check(tenon_op_call(other, &stack));
  batch.give(Tensor(ret.as.tensor));
}

void batch_fold(Batch& batch) {
  const int dim = find_argument(batch.form(), "dim");
  if (dim < 0) return fold_all(batch);
  const auto at = static_cast<size_t>(dim);
  const int keep = find_argument(batch.form(), "keepdim");
  const int64_t rank = batch.rank(0);
  const bool is_list = batch.arg(at).tag == TENON_TAG_INT_LIST;
  std::vector<int64_t> dims = ints_of(batch.arg(at));
  if (is_list && dims.empty() && batch.form().facts->fold.folds_none_of_no_dims) {
    batch.put(0, batch.front(0));
    return batch.call();
  }
  // Operators accept dim 0 and -1 for a tensor without dims.
  const int64_t counted = std::max<int64_t>(rank, 1);
  for (int64_t& each : dims) each = batch.shifted(each, counted);
  Tensor self = with_ones(batch.front(0), 1, 2);
  const bool folds_all = dims.empty();
  const bool is_flat = folds_all && batch.form().facts->fold.in_order;
  if (is_flat) {  // an index counts over all elements
    self = reshaped(self, std::vector<int64_t>{batch.size(), -1});
    dims.push_back(1);
  } else if (folds_all) {
    for (int64_t each = 1; each < self.ndim(); ++each) dims.push_back(each);
  }
  batch.put(0, self);
  if (is_list || (folds_all && !is_flat)) {
    batch.put(at, dims);
  } else {
    batch.arg(at) = tenon_value_of_int(dims[0]);
  }
  batch.call();
  const bool kept = keep >= 0 && batch.arg(static_cast<size_t>(keep)).as.i != 0;
  if (!kept) return;
  if (rank == 0) return squeeze_results(batch);
  if (!is_flat) return;
  const Tensor flat(batch.results()[0].as.tensor);
  std::vector<int64_t> sizes(static_cast<size_t>(rank) + 1, 1);
  sizes[0] = batch.size();
  batch.give(view(flat, sizes));
}

// ---- Dims and sizes shifted -----------------------------------------------------------------

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Shifts the arguments that hold dims of tensors of `rank` dims.
void shift_dims(Batch& batch, int64_t rank) {
  const BatchedForm& form = batch.form();
  for (size_t k = 0; k < batch.count(); ++k) {
    const std::string& name = form.arguments[k];
    tenon_value& value = batch.arg(k);
    if (is_one_of(name, {"dim", "dim0", "dim1", "dim2", "dimension"}) &&
        value.tag == TENON_TAG_INT) {
      value = tenon_value_of_int(batch.shifted(value.as.i, rank));
    } else if (is_one_of(name, {"dim", "dims"}) && value.tag == TENON_TAG_INT_LIST) {
      std::vector<int64_t> dims = ints_of(value);
      for (int64_t& each : dims) each = batch.shifted(each, rank);
      if (std::string_view(form.facts->name) == "permute") dims.insert(dims.begin(), 0);
      batch.put(k, dims);
    }
  }
}

// Shifts the arguments that hold the sizes of all dims.
void shift_sizes(Batch& batch) {
  for (size_t k = 0; k < batch.count(); ++k) {
    const std::string& name = batch.form().arguments[k];
    if (!is_one_of(name, {"size", "sizes", "input_sizes", "self_sizes"})) continue;
    if (batch.arg(k).tag != TENON_TAG_INT_LIST) continue;
    std::vector<int64_t> sizes = ints_of(batch.arg(k));
    sizes.insert(sizes.begin(), batch.size());
    batch.put(k, sizes);
  }
}

// Adds the mapped dim to results that were not requested, such as eigenvectors, which are empty
// vectors.
void map_empty_results(Batch& batch) {
  for (tenon_value& ret : batch.results()) {
    if (ret.tag != TENON_TAG_TENSOR) continue;
    const Tensor result = Tensor::retain(ret.as.tensor);
    if (result.ndim() != 1 || result.numel() != 0 || batch.size() == 0) continue;
    tenon_value_clear(&ret);
    const int64_t sizes[] = {batch.size(), 0};
    ret = tenon_value_give(tenon_value_of_tensor(reshaped(result, sizes).release()));
  }
}

// Calls the operator with the mapped dim in front, and dims and sizes shifted.
void batch_shift(Batch& batch) {
  require_mapped_self(batch);
  const int64_t rank = batch.rank(0);
  // The result of gather has the dims of its index.
  const bool gathers = std::string_view(batch.form().facts->name) == "gather";
  const bool gives_none = gathers ? batch.rank(2) == 0 : rank == 0;
  std::vector<size_t> tensors;
  for (size_t k = 0; k < batch.count(); ++k) {
    if (batch.is_tensor(k)) tensors.push_back(k);
  }
  const bool has_dim =
      find_argument(batch.form(), "dim") >= 0 || find_argument(batch.form(), "dim0") >= 0;
  // Operators accept dim 0 and -1 for a tensor without dims.
  const bool adds_one = rank == 0 && has_dim && find_argument(batch.form(), "input_sizes") < 0;
  if (adds_one && batch.is_in_place()) return batch.decline();
  for (const size_t k : tensors) {
    const bool wants_one = adds_one || (gathers && batch.rank(k) == 0);
    const Tensor tensor = batch.repeated(k);
    batch.put(k, wants_one ? with_ones(tensor, 1, 2) : tensor);
  }
  // If present, dims refer to these sizes.
  const int sizes = find_argument(batch.form(), "input_sizes");
  // If the operator adds a dim, dims refer to the result.
  const bool gains = std::string_view(batch.form().facts->name) == "diag_embed";
  shift_dims(batch, sizes >= 0 ? batch.arg(static_cast<size_t>(sizes)).count
                    : adds_one ? 1
                               : rank + (gains ? 1 : 0));
  shift_sizes(batch);
  batch.call();
  if ((adds_one || gathers) && gives_none) squeeze_results(batch);
  map_empty_results(batch);
}

// ---- Views ----------------------------------------------------------------------------------

void batch_as_strided(Batch& batch) {
  const Tensor self = batch.front(0);
  batch.put(0, self);
  shift_sizes(batch);
  std::vector<int64_t> strides = ints_of(batch.arg(2));
  strides.insert(strides.begin(), self.strides()[0]);
  batch.put(2, strides);
  batch.call();
}

void batch_view(Batch& batch) {
  const std::string_view name = batch.form().facts->name;
  const int64_t rank = batch.rank(0);
  if (name == "alias" || name == "detach") {
    const int64_t dim = batch.mapped_dim(0);
    batch.call();
    return batch.give(Tensor(batch.results()[0].as.tensor), dim);
  }
  if (name == "as_strided") return batch_as_strided(batch);
  if (name == "unsqueeze") {
    batch.put(0, batch.front(0));
    batch.arg(1) = tenon_value_of_int(batch.shifted(batch.arg(1).as.i, rank + 1));
    return batch.call();
  }
  if (name == "t") {
    if (rank > 2) return batch.decline();
    static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> transpose(
        "aten::transpose.int");
    const Tensor self = batch.front(0);
    return batch.give(rank < 2 ? alias(self) : transpose(self, 1, 2));
  }
  if (name == "squeeze") {  // must not remove the mapped dim
    static constinit const LazyOp<Tensor(const Tensor&, Sizes)> squeeze_dims("aten::squeeze.dims");
    std::vector<int64_t> dims;
    for (int64_t dim = 1; dim <= rank; ++dim) dims.push_back(dim);
    return batch.give(squeeze_dims(batch.front(0), dims));
  }
  if (rank == 0 && is_one_of(name, {"squeeze.dim", "squeeze.dims"})) {
    const bool none = batch.arg(1).tag == TENON_TAG_INT_LIST && batch.arg(1).count == 0;
    if (none || batch.is_in_place()) return batch.decline();
    batch.put(0, with_ones(batch.front(0), 1, 2));
    shift_dims(batch, 1);
    return batch.call();
  }
  if (is_one_of(name,
                {"select.int", "slice.Tensor", "split.Tensor", "split_with_sizes", "unbind.int"}) &&
      rank == 0) {
    fail(TENON_ERROR_INDEX, {batch.op(), ": self must have at least 1 dim, got a 0-dim tensor"});
  }
  if (is_one_of(name, {"view.dtype", "view_as_complex"}) && rank == 0) return batch.decline();
  if (name == "unfold" && rank == 0) {  // counts as a dim of size 1, with one window
    batch.put(0, with_ones(batch.front(0), 1, 2));
    batch.arg(1) = tenon_value_of_int(batch.shifted(batch.arg(1).as.i, 1));
    batch.call();
    return squeeze_results(batch);
  }
  if (name == "expand") {
    const auto wanted = static_cast<int64_t>(batch.arg(1).count);
    batch.put(0, with_ones(batch.front(0), 1, wanted + 1));
    shift_sizes(batch);
    return batch.call();
  }
  batch_shift(batch);
}

// ---- Products of matrices -------------------------------------------------------------------

// mm and bmm with a dtype for the result: flattens all batches of matrices into one.
void product_of_dtype(Batch& batch) {
  const Tensor a = batch.repeated(0);
  const Tensor b = batch.repeated(1);
  const bool is_batch = a.ndim() == 4;
  const auto as_one = [&](const Tensor& each) {
    const Sizes sizes = each.sizes();
    return is_batch ? reshaped(each, std::vector<int64_t>{-1, sizes[2], sizes[3]}) : each;
  };
  const int64_t count = is_batch ? a.sizes()[1] : 1;
  batch.put(0, as_one(a));
  batch.put(1, as_one(b));
  batch.call(find("aten::bmm.dtype"));
  if (!is_batch) return;
  const Tensor whole(batch.results()[0].as.tensor);
  const Sizes sizes = whole.sizes();
  batch.give(view(whole, std::vector<int64_t>{batch.size(), count, sizes[1], sizes[2]}));
}

// self * beta + mat1 @ mat2 * alpha. Factors of 1 are skipped, and self is ignored if beta is 0.
void product_and_sum(Batch& batch) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> scale("aten::mul.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> add(
      "aten::add.Tensor");
  const auto is = [&](size_t k, int64_t number) {
    return batch.arg(k).tag == TENON_TAG_INT && batch.arg(k).as.i == number;
  };
  const bool is_plain = batch.rank(0) <= 2 && batch.rank(1) == 2 && batch.rank(2) == 2;
  if (batch.is_in_place() || !is_plain) return batch.decline();
  Tensor product = matmul(batch.front(1), batch.front(2));
  const Dtype dtype = product.dtype();
  if (!is(4, 1)) product = scale(product, Scalar(batch.arg(4)));
  if (!is(3, 0)) {
    Tensor self = batch.is_mapped(0) ? with_ones(batch.front(0), 1, 3) : batch.front(0);
    if (!is(3, 1)) self = scale(self, Scalar(batch.arg(3)));
    product = add(product, self, Scalar(1));
  }
  if (product.dtype() != dtype) return batch.decline();  // the operator itself refuses it
  // If no matrix is mapped, one product serves the whole batch.
  const std::vector<int64_t> sizes{batch.size(), product.sizes().end()[-2],
                                   product.sizes().end()[-1]};
  batch.give(product.ndim() == 3 ? product : expanded(product, sizes));
}

void batch_product(Batch& batch) {
  if (batch.count() == 5) return product_and_sum(batch);
  for (size_t k = 0; k < 2; ++k) {
    const int64_t wanted = std::string_view(batch.form().facts->name).starts_with("mm") ? 2 : 3;
    if (batch.rank(k) != wanted) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {batch.op(), ": ", batch.form().arguments[k],
                                          " must have ", wanted, " dims, got ", batch.rank(k)});
    }
  }
  if (batch.count() == 3) return product_of_dtype(batch);
  batch.give(matmul(batch.front(0), batch.front(1)));
}

// ---- Registration ---------------------------------------------------------------------------

using Apply = void (*)(Batch& batch);

Apply rule_of(const Facts& facts) {
  switch (facts.batching) {
    case Batching::Pointwise:
      return &batch_pointwise;
    case Batching::Fold:
      return &batch_fold;
    case Batching::View:
      return &batch_view;
    case Batching::Shift:
      return &batch_shift;
    case Batching::Product:
      return &batch_product;
    case Batching::Own:
      return facts.batch;
    default:
      return nullptr;
  }
}

// Returns true if all tensors of a pointwise call have the mapped dim in front and the same rank.
// They are aligned already, and the operator can be called with the arguments unchanged.
bool lines_up(const BatchedForm& form, const int64_t* in_dims, const tenon_stack& stack) {
  if (form.facts->batching != Batching::Pointwise) return false;
  int32_t rank = -1;
  for (uint32_t k = 0; k < stack.nargs; ++k) {
    const tenon_value& arg = stack.args[k];
    if (arg.tag == TENON_TAG_TENSOR_LIST) return false;
    if (arg.tag != TENON_TAG_TENSOR || arg.as.tensor == nullptr) continue;
    if (*in_dims++ != 0) return false;
    const auto its_rank = static_cast<int32_t>(tenon_tensor_ndim(arg.as.tensor));
    if (rank >= 0 && its_rank != rank) return false;
    rank = its_rank;
  }
  return true;
}

tenon_status apply(void* ctx, const tenon_op*, const tenon_vmap_info* info, const int64_t* in_dims,
                   tenon_stack* stack, tenon_value* out_dims) {
  const auto& form = *static_cast<const BatchedForm*>(ctx);
  if (lines_up(form, in_dims, *stack)) {
    *out_dims = tenon_value_of_int(0);
    return tenon_op_call(form.op, stack);
  }
  bool declined = false;
  const tenon_status status = tenon::detail::guarded(&stack->error, [&] {
    Batch batch(form, *info, in_dims, *stack, *out_dims);
    rule_of (*form.facts)(batch);
    declined = batch.is_declined();
  });
  return status == TENON_OK && declined ? TENON_DECLINED : status;
}

}  // namespace

void register_batching(Library& library, const Facts& facts, Forms form, const std::string& name) {
  const bool is_out = form == kOut || form == kCopyOut;
  const bool is_copied = form == kCopy && facts.view.copied != nullptr;
  if (rule_of(facts) == nullptr || is_out || is_copied) return;
  const bool is_composite = facts.family->key == TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD;
  if (is_composite && facts.batching != Batching::Own) return;
  // An in-place view uses the rule of the view: its argument becomes the result.
  const bool is_view = form == kInPlace && facts.family == &kView;
  const std::string ns = name.substr(0, name.find("::") + 2);
  const tenon_op* op = nullptr;
  check(tenon_op_find(is_view ? (ns + facts.name).c_str() : name.c_str(), &op));
  tenon_schema* schema = nullptr;
  check(tenon_op_copy_schema(op, &schema));
  auto made = std::make_unique<BatchedForm>(
      BatchedForm{&facts, is_view ? kFunctional : form, name, Schema(schema), op, {}});
  for (int64_t k = 0; k < made->schema.argument_count(); ++k) {
    made->arguments.emplace_back(made->schema.argument(k).name);
  }
  tenon_vmap_rule rule{};
  rule.struct_size = sizeof(rule);
  rule.fn = &apply;
  rule.ctx = made.release();
  rule.deleter = [](void* ctx) { delete static_cast<BatchedForm*>(ctx); };
  rule.language = TENON_LANGUAGE_CPP;
  rule.file = facts.file;
  rule.line = facts.line;
  check(tenon_library_register_vmap(library.get(), name.c_str(), &rule, nullptr));
}

}  // namespace tenon::kernels
