// SPDX-License-Identifier: Apache-2.0
#include "transform/vmap.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "tensor/layout.h"
#include "transform/operators.h"
#include "transform/vmap_layer.h"
#include "value/value.h"

namespace tenon::transform {

using dispatch::Layer;
using dispatch::LayerPtr;
using dispatch::LevelTensor;
using tensor::Tensor;
using tensor::TensorPtr;
using value::OwnedValue;

namespace {

bool is_tensor(const tenon_value& value) noexcept {
  return value.tag == TENON_TAG_TENSOR && !value.as.tensor->is_undefined();
}

// Returns a dim counted from the start; TENON_DIM_NONE if it is out of range.
int64_t from_start(int64_t dim, int64_t ndim) noexcept {
  const int64_t counted = dim < 0 ? dim + ndim : dim;
  return counted >= 0 && counted < ndim ? counted : TENON_DIM_NONE;
}

// RAII: leaves the layer, even if the function throws.
class LayerScope {
 public:
  explicit LayerScope(LayerPtr layer) noexcept : layer_(std::move(layer)) {}
  ~LayerScope() {
    if (left_) return;
    try {
      dispatch::leave_layer(*layer_);
    } catch (const Error&) {
      // The function left its own layers on the stack; its error takes precedence.
    }
  }
  LayerScope(const LayerScope&) = delete;
  LayerScope& operator=(const LayerScope&) = delete;
  void leave() {
    left_ = true;
    dispatch::leave_layer(*layer_);
  }
  Layer& layer() const noexcept { return *layer_; }

 private:
  LayerPtr layer_;
  bool left_ = false;
};

// The tensors that a function returned, and whether they form a list.
struct Result {
  std::vector<OwnedValue> tensors;
  bool is_list = false;
};

Result read_result(std::string_view name, const tenon_value& given) {
  Result result;
  result.is_list = value::is_list(given.tag);
  if (!result.is_list) {
    result.tensors.emplace_back(value::copy(given));
    return result;
  }
  TENON_CHECK_ARG(given.tag == TENON_TAG_TENSOR_LIST || given.tag == TENON_TAG_LIST ||
                      given.tag == TENON_TAG_TUPLE,
                  name, ": function must return a tensor, or a list or tuple of tensors, got ",
                  value::tag_name(given.tag));
  for (uint32_t i = 0; i < given.count; ++i) {
    const tenon_value each = given.tag == TENON_TAG_TENSOR_LIST
                                 ? tenon_value_of_tensor(value::tensors(given)[i])
                                 : value::elements(given)[i];
    result.tensors.emplace_back(value::copy(each));
  }
  return result;
}

// One mapped function.
class MappedFunction {
 public:
  MappedFunction(tenon_callable function, void* ctx, const tenon_vmap_options& options)
      : function_(function),
        ctx_(ctx),
        options_(options),
        name_(options.name != nullptr ? options.name : "tenon_vmap") {}

  void run(tenon_stack* stack) {
    const std::span<const tenon_value> args(stack->args, stack->nargs);
    find_in_dims(args);
    const int64_t size = vmap_size(name_, args, in_dims_);
    TENON_CHECK_ARG(options_.chunk_size >= 0, name_, ": chunk_size must be > 0, got ",
                    options_.chunk_size);
    const int64_t chunk = options_.chunk_size == 0 ? size : options_.chunk_size;
    std::vector<std::vector<TensorPtr>> parts;  // by result
    bool is_list = false;
    for (int64_t start = 0; start < size || start == 0; start += std::max<int64_t>(chunk, 1)) {
      const int64_t count = std::min(chunk, size - start);
      std::vector<TensorPtr> results = run_part(args, start, count, size, &is_list);
      if (parts.empty()) parts.resize(results.size());
      TENON_CHECK(results.size() == parts.size(), TENON_ERROR_STATE, name_,
                  ": function must return the same number of results for each chunk, got ",
                  results.size(), " after ", parts.size());
      for (size_t i = 0; i < results.size(); ++i) parts[i].push_back(std::move(results[i]));
      if (count == size) break;
    }
    std::vector<TensorPtr> wholes;
    std::vector<Tensor*> list;
    for (size_t i = 0; i < parts.size(); ++i) {
      const int64_t dim = out_dim(i);
      const bool one = parts[i].size() == 1 || dim == TENON_DIM_NONE;
      wholes.push_back(one ? parts[i].back() : operators::cat(parts[i], dim));
      list.push_back(wholes.back().get());
    }
    stack->rets[0] = is_list ? value::new_list(TENON_TAG_TENSOR_LIST, list.data(),
                                               static_cast<int64_t>(list.size()))
                             : tenon_value_give(tenon_value_of_tensor(wholes[0].detach()));
  }

 private:
  void find_in_dims(std::span<const tenon_value> args) {
    const auto count = static_cast<int64_t>(args.size());
    if (options_.in_dims != nullptr && options_.nin_dims == count) {
      in_dims_.assign(options_.in_dims, options_.in_dims + count);
      return;
    }
    TENON_CHECK_ARG(options_.in_dims == nullptr || options_.nin_dims == 1, name_,
                    ": number of in_dims must be that of the arguments, ", count, ", got ",
                    options_.nin_dims);
    const int64_t all = options_.in_dims != nullptr ? options_.in_dims[0] : 0;
    for (const tenon_value& each : args) in_dims_.push_back(is_tensor(each) ? all : TENON_DIM_NONE);
  }
  int64_t out_dim(size_t result) const noexcept {
    if (options_.out_dims == nullptr) return 0;
    return options_.out_dims[options_.nout_dims == 1 ? 0 : result];
  }

  std::vector<TensorPtr> run_part(std::span<const tenon_value> args, int64_t start, int64_t count,
                                  int64_t size, bool* out_is_list) const {
    std::vector<TensorPtr> whole;
    for (size_t i = 0; i < args.size(); ++i) {
      if (in_dims_[i] == TENON_DIM_NONE) {
        whole.emplace_back();
        continue;
      }
      Tensor& tensor = *args[i].as.tensor;
      const int64_t dim = from_start(in_dims_[i], tensor.ndim());
      whole.push_back(count == size ? TensorPtr::share(&tensor)
                                    : operators::narrow(tensor, dim, start, count));
    }
    LayerScope entered(enter_vmap_layer(count, options_.randomness));
    std::vector<TensorPtr> mapped;
    std::vector<tenon_value> inner(args.begin(), args.end());
    for (size_t i = 0; i < inner.size(); ++i) {
      inner[i].flags &= static_cast<uint16_t>(~(TENON_VALUE_OWNED | TENON_VALUE_MOVABLE));
      if (whole[i] == nullptr) continue;
      mapped.push_back(wrap_mapped(entered.layer(), *whole[i], in_dims_[i]));
      inner[i].as.tensor = mapped.back().get();
    }
    tenon_value ret{};
    tenon_stack stack{};
    stack.args = inner.data();
    stack.nargs = static_cast<uint32_t>(inner.size());
    stack.rets = &ret;
    stack.nrets = 1;
    const tenon_status status = function_(ctx_, &stack);
    const OwnedValue given(ret);
    if (status != TENON_OK) {
      if (stack.error != nullptr) throw Error(base::ErrorPtr::adopt(stack.error));
      throw Error(base::adopt_current_error(name_.c_str(), "function", status, true));
    }
    entered.leave();
    Result result = read_result(name_, given.get());
    *out_is_list = result.is_list;
    TENON_CHECK_ARG(options_.out_dims == nullptr || options_.nout_dims == 1 ||
                        options_.nout_dims == static_cast<int64_t>(result.tensors.size()),
                    name_, ": number of out_dims must be that of the results, ",
                    result.tensors.size(), ", got ", options_.nout_dims);
    std::vector<TensorPtr> tensors;
    for (size_t i = 0; i < result.tensors.size(); ++i) {
      tensors.push_back(vmap_result(entered.layer(), name_, static_cast<int64_t>(i),
                                    result.tensors[i].get(), out_dim(i)));
    }
    return tensors;
  }

  const tenon_callable function_;
  void* const ctx_;
  const tenon_vmap_options& options_;
  const std::string name_;
  std::vector<int64_t> in_dims_;
};

}  // namespace

int64_t vmap_size(std::string_view name, std::span<const tenon_value> args,
                  std::span<const int64_t> in_dims) {
  TENON_CHECK_ARG(!args.empty(), name,
                  ": function must be called with arguments to map over, got none");
  TENON_DCHECK(args.size() == in_dims.size());
  int64_t size = -1;
  size_t first = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    const int64_t dim = in_dims[i];
    if (dim == TENON_DIM_NONE) continue;
    TENON_CHECK_ARG(is_tensor(args[i]), name, ": in_dims must be None for argument ", i,
                    ", which is not a tensor but ", value::tag_name(args[i].tag), ", got ", dim);
    const Tensor& tensor = *args[i].as.tensor;
    const int64_t counted = from_start(dim, tensor.ndim());
    TENON_CHECK_ARG(counted != TENON_DIM_NONE, name, ": in_dims must be a dim of argument ", i,
                    ", a tensor of ", tensor.ndim(), " dims of sizes ",
                    tensor::print_dims(tensor.size_span()), ", got ", dim);
    const int64_t its_size = tensor.sizes()[counted];
    TENON_CHECK_ARG(size < 0 || its_size == size, name,
                    ": mapped dims must have the same size, got ", size, " of argument ", first,
                    " and ", its_size, " of argument ", i);
    if (size < 0) first = i;
    size = its_size;
  }
  TENON_CHECK_ARG(size >= 0, name,
                  ": in_dims must map at least one argument, got None for all of them");
  return size;
}

TensorPtr wrap_mapped(Layer& layer, Tensor& below, int64_t dim) {
  const int64_t counted = from_start(dim, below.ndim());
  const int64_t size = vmap_info(layer)->size;
  TENON_CHECK_ARG(counted != TENON_DIM_NONE && below.sizes()[counted] == size,
                  "tenon_layer_wrap: dim must be a dim of size ", size, " in a tensor of sizes ",
                  tensor::print_dims(below.size_span()), ", got ", dim);
  TENON_CHECK(!below.is_symbolic(), TENON_ERROR_NOT_SUPPORTED,
              "tenon_layer_wrap: tensor must have concrete sizes, got a symbolic shape");
  return new_batched(layer, below, counted);
}

TensorPtr vmap_result(Layer& layer, std::string_view name, int64_t number,
                      const tenon_value& result, int64_t out_dim) {
  TENON_CHECK_ARG(is_tensor(result), name, ": result ", number, " must be a tensor, got ",
                  value::tag_name(result.tag));
  Tensor& tensor = *result.as.tensor;
  const LevelTensor* level = dispatch::level_tensor(tensor, layer);
  if (out_dim == TENON_DIM_NONE) {
    TENON_CHECK_ARG(level == nullptr, name, ": out_dims must be a dim for result ", number,
                    ", which is mapped, got None");
    return TensorPtr::share(&tensor);
  }
  const int64_t ndim = level != nullptr ? level->below->ndim() : tensor.ndim() + 1;
  const int64_t counted = from_start(out_dim, ndim);
  TENON_CHECK_ARG(counted != TENON_DIM_NONE, name, ": out_dims must be from ", -ndim, " to ",
                  ndim - 1, " for result ", number, ", a tensor of sizes ",
                  tensor::print_dims(tensor.size_span()), " for each example, got ", out_dim);
  if (level == nullptr) return operators::repeat_along(tensor, counted, vmap_info(layer)->size);
  return operators::move_dim(*level->below, batch_dim(*level), counted);
}

void vmap(tenon_callable function, void* ctx, const tenon_vmap_options& options,
          tenon_stack* stack) {
  MappedFunction(function, ctx, options).run(stack);
}

}  // namespace tenon::transform
