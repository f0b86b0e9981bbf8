// SPDX-License-Identifier: Apache-2.0
// Symbolic rules of composites.
#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/common/shape_rules.h"
#include "kernels/common/symbolic/stand_ins.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/symbolic/calls.h"
#include "kernels/ops/symbolic/rules.h"

namespace tenon::kernels {

namespace {

constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> matrices("aten::mm");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> batched_matrices("aten::bmm");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> any_product("aten::matmul");
constinit const LazyOp<Tensor(const Tensor&)> transposed("aten::t");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> sum("aten::add.Tensor");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&)> chosen(
    "aten::where.self");

SymbolicDims leading(const SymbolicTensor& tensor, int64_t count) {
  SymbolicDims sizes(tensor.sizes());
  sizes.resize(count);
  return sizes;
}

// Multiplies rows, whose leading dims are those of the result, by one matrix.
Tensor rows_by_matrix(tenon_tensor* rows, tenon_tensor* matrix) {
  const SymbolicTensor a(rows);
  const int64_t last = a.ndim() - 1;
  SymbolicDims flat;
  flat.resize(2);
  flat[0] = product_of(leading(a, last));
  flat[1] = a.sizes()[static_cast<size_t>(last)];
  const Tensor product =
      matrices(call_with_sizes("aten::reshape", rows, flat), Tensor::retain(matrix));
  SymbolicDims sizes = leading(a, last + 1);
  sizes[last] = SymbolicTensor(matrix).sizes()[1];
  return call_with_sizes("aten::view", product.get(), sizes);
}

// Returns a tensor as one batch of matrices, with leading dims expanded to those of `batch`.
Tensor one_batch(tenon_tensor* tensor, const SymbolicDims& batch, SymbolicSize count) {
  const SymbolicTensor given(tensor);
  SymbolicDims sizes = batch;
  SymbolicDims flat;
  flat.insert(0, count);
  for (int64_t d = given.ndim() - 2; d < given.ndim(); ++d) {
    const SymbolicSize size = given.sizes()[static_cast<size_t>(d)];
    sizes.insert(sizes.size(), size);
    flat.insert(flat.size(), size);
  }
  const Tensor stretched = call_with_sizes("aten::expand", tensor, sizes, false);
  return call_with_sizes("aten::reshape", stretched.get(), flat);
}

// Multiplies matrices by matrices; the leading dims of both are those of the result.
Tensor batches(const Call& call, const SymbolicTensor& a, const SymbolicTensor& b) {
  SymbolicDims sizes = leading(a, a.ndim() - 2);
  const SymbolicDims of_b = leading(b, b.ndim() - 2);
  if (rules::broadcast_into(sizes, SymbolicSizes(of_b)) >= 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": dims in front of the matrices must broadcast, got sizes ",
          text_of(a.sizes()), " and ", text_of(b.sizes())});
  }
  SymbolicSize count = 1;
  for (const SymbolicSize size : sizes) count *= size;
  const Tensor product = batched_matrices(one_batch(call.tensor(0), sizes, count),
                                          one_batch(call.tensor(1), sizes, count));
  const SymbolicTensor made(product.get());
  sizes.insert(sizes.size(), made.sizes()[1]);
  sizes.insert(sizes.size(), made.sizes()[2]);
  return call_with_sizes("aten::_unsafe_view", product.get(), sizes);
}

void matmul(const Call& call) {
  const SymbolicTensor a(call.tensor(0));
  const SymbolicTensor b(call.tensor(1));
  if (a.ndim() == 0 || b.ndim() == 0) return run_with_numbers(call);
  if (a.ndim() == 1 || b.ndim() == 1) {  // a row or a column
    const Tensor self = Tensor::retain(call.tensor(0)), other = Tensor::retain(call.tensor(1));
    const Tensor product = any_product(a.ndim() == 1 ? call_unsqueeze(self, 0) : self,
                                       b.ndim() == 1 ? call_unsqueeze(other, 1) : other);
    SymbolicDims sizes = words_of(product);
    if (b.ndim() == 1) sizes.erase(sizes.size() - 1);
    if (a.ndim() == 1) sizes.erase(sizes.size() - (b.ndim() == 1 ? 1 : 2));
    return call.give(0, call_view(product, sizes));
  }
  if (b.ndim() > 2) return call.give(0, batches(call, a, b));
  if (a.ndim() == 2) {
    return call.give(0, matrices(Tensor::retain(call.tensor(0)), Tensor::retain(call.tensor(1))));
  }
  call.give(0, rows_by_matrix(call.tensor(0), call.tensor(1)));
}

void linear(const Call& call) {
  const SymbolicTensor weight(call.tensor(1));
  if (weight.ndim() != 2) return run_with_numbers(call);
  const Tensor turned = transposed(Tensor::retain(call.tensor(1)));
  Tensor product = any_product(Tensor::retain(call.tensor(0)), turned);
  const bool has_bias = call.args[2].tag == TENON_TAG_TENSOR;
  call.give(
      0, has_bias ? sum(product, Tensor::retain(call.tensor(2)), Scalar(1)) : std::move(product));
}

bool is_symbolic_number(const tenon_value& value) {
  return (value.tag >= TENON_TAG_SYMINT && value.tag <= TENON_TAG_SYMBOOL) ||
         (value.flags & TENON_VALUE_HAS_SYMBOLIC) != 0;
}

// Returns true if an error means that a routine does not support symbols: Tensor::sizes() and
// similar functions throw it, and so do arguments that must be concrete numbers.
bool asks_for_numbers(const Error& error) {
  const tenon_status code = error.code();
  return code == TENON_ERROR_NOT_SUPPORTED || code == TENON_ERROR_DATA_DEPENDENT ||
         code == TENON_ERROR_TYPE;
}

// Runs the routine, which reads sizes only through the operators that it calls.
void as_for_numbers(const Call& call) { call.facts().family->run(call); }

// Returns a symbol as a 0-dim tensor on the device of another tensor, with a dtype for which
// promotion has the same result as for a number.
Tensor symbolic_number(const tenon_value& number, const tenon_tensor* beside) {
  const tenon_op* op = nullptr;
  check(tenon_op_find("aten::full", &op));
  const auto dtype = static_cast<Dtype>(tenon_tensor_dtype(beside));
  const bool is_whole = number.tag == TENON_TAG_SYMINT;
  Dtype wanted = is_whole ? Dtype::I64 : Dtype::F64;
  if (!is_whole && is_bool_or_integral(dtype)) wanted = default_dtype();
  tenon_device device;
  tenon_fake_device(beside, &device);
  tenon_value args[4] = {tenon_value_of_ints(nullptr, 0), number,
                         tenon_value_of_dtype(static_cast<tenon_dtype>(wanted)),
                         tenon_value_of_device(device)};
  args[1].flags = 0;
  const char* const names[2] = {"dtype", "device"};
  tenon_value result = tenon_value_of_none();
  check(tenon_op_call_named(op, args, 2, names, args + 2, 2, &result, 1));
  return Tensor(result.as.tensor);
}

// An operator of a tensor and a number, which calls the operator of two tensors.
void number_form(const Call& call) {
  const int at = call.form.inputs > 0 ? 1 : 0;  // the number's position
  const uint16_t tag = call.args[at].tag;
  if (tag != TENON_TAG_SYMINT && tag != TENON_TAG_SYMFLOAT) return as_for_numbers(call);
  const Tensor number = symbolic_number(call.args[at], call.tensor(1 - at));
  tenon_value args[OperatorForm::kMaxArguments];
  std::copy_n(call.args, call.form.arguments, args);
  args[at] = tenon_value_of_tensor(number.get());
  tenon_value result = call.call_target(args);
  if (call.form.is_functional()) {
    call.results[0] = result;
  } else {
    tenon_value_clear(&result);
  }
}

// Supports a value without dims.
void masked_fill(const Call& call) {
  const Tensor like = StandIns(call).run()[0];
  const Tensor value = call_empty({}, options_like(like.info(), {}));
  call.give(0, chosen(Tensor::retain(call.tensor(1)), value, Tensor::retain(call.tensor(0))));
}

// Calls a factory like a tensor. If `dtype` is NULL, the tensor's dtype is used.
Tensor call_new(const char* name, tenon_tensor* like, const SymbolicDims& sizes,
                const tenon_value* dtype = nullptr) {
  const tenon_op* op = nullptr;
  check(tenon_op_find(name, &op));
  tenon_value args[2] = {tenon_value_of_tensor(like),
                         tenon_value_of_ints(sizes.words(), static_cast<uint32_t>(sizes.size()))};
  args[1].flags = TENON_VALUE_HAS_SYMBOLIC;
  const char* const names[1] = {"dtype"};
  tenon_value result = tenon_value_of_none();
  check(tenon_op_call_named(op, args, 2, names, dtype, dtype != nullptr ? 1 : 0, &result, 1));
  return Tensor(result.as.tensor);
}

Tensor zeros_of_kind(tenon_tensor* like, const SymbolicDims& sizes) {
  return call_new("aten::new_zeros", like, sizes);
}

// Returns zeros with the sizes in argument 1, like the gradient in argument 0.
Tensor zeros_like_grad(const Call& call) {
  return zeros_of_kind(call.tensor(0), sizes_argument(call, 1));
}

void gather_backward(const Call& call) {
  call.give(0, call_scatter_add(zeros_like_grad(call), call.get<int64_t>(2), *call.get<Tensor>(3),
                                *call.get<Tensor>(0)));
}

void index_backward(const Call& call) {
  call.give(
      0, call_index_put(zeros_like_grad(call), call.get<TensorList>(2), call.get<Tensor>(0), true));
}

void index_select_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&, const Tensor&,
                                       const Scalar&)>
      add("aten::index_add");
  call.give(0, add(zeros_like_grad(call), call.get<int64_t>(2), call.get<Tensor>(3),
                   call.get<Tensor>(0), Scalar(1)));
}

// Computes the gradient of the table; the indices are all dims of argument 1.
void embedding_dense_backward(const Call& call) {
  if (call.get<bool>(4) || call.get<int64_t>(3) >= 0) return run_with_numbers(call);
  const SymbolicTensor grad(call.tensor(0));
  SymbolicDims flat, rows, table;
  flat.insert(0, -1);
  const SymbolicSize width = grad.sizes().back();
  rows.insert(0, -1);
  rows.insert(1, width);
  table.insert(0, size_argument(call, 2));
  table.insert(1, width);
  const Tensor indices = call_with_sizes("aten::reshape", call.tensor(1), flat);
  tenon_tensor* const list[] = {indices.get()};
  call.give(0, call_index_put(zeros_of_kind(call.tensor(0), table), TensorList(list, 1),
                              call_with_sizes("aten::reshape", call.tensor(0), rows), true));
}

// Returns the sizes of a list in a list: words if it is flagged so, otherwise numbers.
SymbolicDims sizes_of_list(const tenon_value& list) {
  const auto* const given = static_cast<const int64_t*>(list.as.list.data);
  if ((list.flags & TENON_VALUE_HAS_SYMBOLIC) != 0) {
    return SymbolicDims(symbolic(given, list.count));
  }
  SymbolicDims sizes;
  for (uint32_t i = 0; i < list.count; ++i) sizes.push_back(SymbolicSize(given[i]));
  return sizes;
}

// Splits a gradient into those of the concatenated tensors, whose sizes are argument 1.
void cat_backward(const Call& call) {
  const SymbolicTensor grad(call.tensor(0));
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(2), grad.ndim());
  const tenon_value& all = call.args[1];
  const tenon_op* slice = nullptr;
  check(tenon_op_find("aten::slice.Tensor", &slice));
  std::vector<Tensor> parts;
  SymbolicSize start = 0;
  for (uint32_t i = 0; i < all.count; ++i) {
    const tenon_value& list = static_cast<const tenon_value*>(all.as.list.data)[i];
    const SymbolicDims sizes = sizes_of_list(list);
    // Tensors that cat ignored, whatever the other dims.
    const bool skipped = sizes.size() == 1 && sizes[0].is_number() && sizes[0].word() == 0;
    if (!skipped && sizes.size() != grad.ndim()) {
      fail_argument(call.op(), call.form.names[1], "have as many sizes as the gradient has dims",
                    text_of(sizes));
    }
    const SymbolicSize end = skipped ? start : start + sizes[dim];
    tenon_value args[5] = {tenon_value_of_tensor(call.tensor(0)), tenon_value_of_int(dim),
                           size_value(start), size_value(end), tenon_value_of_int(1)};
    tenon_value part = tenon_value_of_none();
    tenon_stack stack{args, &part, 5, 1, nullptr, {0, 0}};
    check(tenon_op_call(slice, &stack));
    const Tensor made(part.as.tensor);
    parts.push_back(skipped ? call_with_sizes("aten::reshape", made.get(), sizes) : made);
    start = end;
  }
  call.give(0, parts);
}

// Returns a view with the sizes of another tensor.
void sized_as_other(const Call& call, const char* name, std::optional<bool> flag = std::nullopt) {
  const SymbolicDims sizes(SymbolicTensor(call.tensor(1)).sizes());
  call.give(0, call_with_sizes(name, call.tensor(0), sizes, flag));
}
void expand_as(const Call& call) { sized_as_other(call, "aten::expand", false); }
void view_as(const Call& call) { sized_as_other(call, "aten::view"); }
void reshape_as(const Call& call) { sized_as_other(call, "aten::reshape"); }
void broadcast_to(const Call& call) {
  call.give(0, call_with_sizes("aten::expand", call.tensor(0), sizes_argument(call, 1), false));
}

constexpr NamedRule kCompositeRules[] = {
    {"gather_backward", &gather_backward},
    {"index_backward", &index_backward},
    {"index_select_backward", &index_select_backward},
    {"embedding_dense_backward", &embedding_dense_backward},
    {"cat_backward", &cat_backward},
    {"matmul", &matmul},
    {"linear", &linear},
    {"expand_as", &expand_as},
    {"view_as", &view_as},
    {"reshape_as", &reshape_as},
    {"broadcast_to", &broadcast_to},
    {"masked_fill.Scalar", &masked_fill},
    {"masked_fill.Tensor", &masked_fill},
};

}  // namespace

Tensor new_ones(tenon_tensor* beside, const SymbolicDims& sizes, Dtype dtype) {
  const tenon_value value = tenon_value_of_dtype(static_cast<tenon_dtype>(dtype));
  return call_new("aten::new_ones", beside, sizes, &value);
}

void run_with_numbers(const Call& call) {
  const auto specialize = [](tenon_tensor* tensor, const char* name) {
    if (tensor != nullptr) check(tenon_tensor_specialize(tensor, name));
  };
  std::vector<tenon_value> args(call.args, call.args + call.form.arguments);
  std::vector<Value> numbers;
  for (int k = 0; k < call.form.arguments; ++k) {
    tenon_value& value = args[static_cast<size_t>(k)];
    if (value.tag == TENON_TAG_TENSOR) {
      specialize(value.as.tensor, call.form.names[k]);
    } else if (value.tag == TENON_TAG_TENSOR_LIST) {
      auto* const* tensors = static_cast<tenon_tensor* const*>(value.as.list.data);
      for (uint32_t i = 0; i < value.count; ++i) specialize(tensors[i], call.form.names[k]);
    } else if (is_symbolic_number(value)) {
      tenon_value number = tenon_value_of_none();
      check(tenon_symbol_guard(&value, nullptr, 0, &number));
      numbers.emplace_back(number);
      value = number;
      value.flags = 0;
    }
  }
  call.facts().family->run(Call{call.form, args.data(), call.results});
}

void as_far_as_symbols_go(const Call& call) {
  std::vector<tenon_value> results(static_cast<size_t>(call.form.results), tenon_value_of_none());
  try {
    call.facts().family->run(Call{call.form, call.args, results.data()});
  } catch (const Error& error) {
    for (tenon_value& result : results) tenon_value_clear(&result);
    if (!asks_for_numbers(error)) throw;
    return run_with_numbers(call);
  }
  if (call.form.is_functional()) std::copy(results.begin(), results.end(), call.results);
}

SymbolicRule symbolic_composite_rule(const Facts& facts, Forms form) {
  if (facts.family == &kNumberForm && (form == kFunctional || form == kInPlace)) {
    return &number_form;
  }
  return find_rule(kCompositeRules, facts, form);
}

}  // namespace tenon::kernels
