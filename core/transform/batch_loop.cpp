// SPDX-License-Identifier: Apache-2.0
#include "transform/batch_loop.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/check.h"
#include "base/warning.h"
#include "dispatch/argument_check.h"
#include "dispatch/call_path.h"
#include "dispatch/kernel_guard.h"
#include "dispatch/lookup.h"
#include "schema/schema.h"
#include "tenon/transforms.h"
#include "tensor/layout.h"
#include "transform/batched_call.h"
#include "transform/operators.h"

namespace tenon::transform {

using dispatch::BelowLayer;
using tensor::Tensor;
using tensor::TensorPtr;
using value::OwnedValue;

namespace {

constinit std::atomic<bool> loops_warn{true};
constinit std::atomic<bool> loops_allowed{true};

// Returns the operator's traits, which follow from its schema and tags.
uint8_t traits_of(const tenon_op* op) noexcept {
  const dispatch::SnapshotGuard guard(op);
  return guard.get() != nullptr ? guard.get()->traits : 0;
}

bool holds_tensors(const schema::Type& type) {
  if (type.kind == TENON_TYPE_TENSOR) return true;
  const bool is_list = type.kind == TENON_TYPE_LIST;
  return is_list && type.elements[0]->kind == TENON_TYPE_TENSOR;
}

// One result of the operator, collected from all calls of the loop.
struct ResultColumn {
  // by index in the list, then by call; one list entry for a single tensor
  std::vector<std::vector<TensorPtr>> tensors;
  bool is_list = false;
};

// A call in a vmap, repeated for each example.
class BatchLoop {
 public:
  BatchLoop(const tenon_op& op, BatchedCall& call, tenon_stack* stack)
      : op_(op), call_(call), stack_(*stack), schema_(dispatch::schema_of_call(op, *stack)) {}

  // Throws if a loop could not serve the operator, or would compute wrong results.
  void check() const {
    TENON_CHECK(!schema_->is_vararg() && !schema_->is_varret(), TENON_ERROR_NOT_SUPPORTED,
                op_.name(), kNeedsRule, "it takes any number of arguments");
    for (const schema::Argument& argument : schema_->arguments()) {
      TENON_CHECK(!argument.is_out(), TENON_ERROR_NOT_SUPPORTED, op_.name(), kNeedsRule,
                  "it writes its result into the argument ", argument.name.view());
    }
    const auto& returns = schema_->returns();
    TENON_CHECK(!returns.empty(), TENON_ERROR_NOT_SUPPORTED, op_.name(), kNeedsRule,
                "it returns nothing");
    for (const schema::Argument& result : returns) {
      TENON_CHECK(holds_tensors(*result.type), TENON_ERROR_NOT_SUPPORTED, op_.name(),
                  ": vmap does not support operators whose result is of type ",
                  result.type->text.view(),
                  ", such as item() and bool(), as it would differ between examples");
      TENON_CHECK(result.alias == nullptr || result.is_written(), TENON_ERROR_NOT_SUPPORTED,
                  op_.name(), kNeedsRule, "it returns a view");
    }
    check_written();
  }

  void warn() const {
    if (!warns_of_loops() || !base::has_warning_handler()) return;
    const std::string text = base::concat(
        "There is a performance drop because we have not yet implemented the batching rule for ",
        op_.name(),
        ". It is called once for each example; register a rule with tenon_library_register_vmap.");
    const tenon_status status = base::warn_once(&op_, "UserWarning", text.c_str(), op_.name());
    if (status == TENON_OK) return;
    throw Error(base::adopt_current_error(op_.name(), "warning", status, true));
  }

  // Calls the operator `count` times, with one slice of each mapped tensor.
  void run(int64_t count) {
    columns_.resize(stack_.nrets);
    const BelowLayer below;
    for (int64_t index = 0; index < count; ++index) run_one(index);
  }

  // For a batch of size 0: finds the sizes and dtypes of the results with one call on Meta tensors.
  void run_on_none() {
    columns_.resize(stack_.nrets);
    const BelowLayer below;
    run_one(kLike);
  }

  // Stacks the results. Throws TENON_ERROR_STATE if their sizes differ.
  void finish(int64_t count) {
    std::vector<TensorPtr> wholes;
    {
      const BelowLayer below;
      for (const ResultColumn& column : columns_) {
        for (const auto& parts : column.tensors) wholes.push_back(join(parts, count));
      }
    }
    size_t next = 0;
    for (uint32_t i = 0; i < stack_.nrets; ++i) {
      const ResultColumn& column = columns_[i];
      if (schema_->returns()[i].is_written()) {
        ++next;
        give_written(i);
        continue;
      }
      std::vector<TensorPtr> owned;
      std::vector<Tensor*> list;
      for (size_t k = 0; k < column.tensors.size(); ++k) {
        owned.push_back(new_batched(call_.layer(), *wholes[next++], 0));
        list.push_back(owned.back().get());
      }
      if (column.is_list) {
        stack_.rets[i] =
            value::new_list(TENON_TAG_TENSOR_LIST, list.data(), static_cast<int64_t>(list.size()));
      } else {
        stack_.rets[i] = tenon_value_give(tenon_value_of_tensor(owned[0].detach()));
      }
    }
  }

  // Stores the written argument as the result that aliases it in the schema.
  void give_written(uint32_t result) {
    const int64_t argument = schema_->aliased_argument(result);
    Tensor* const tensor = stack_.args[argument].as.tensor;
    tensor->retain();
    stack_.rets[result] = tenon_value_give(tenon_value_of_tensor(tensor));
  }
  bool is_mutable() const { return schema_->is_mutable(); }

 private:
  // Passed to part() instead of an index, for a Meta tensor with the sizes of a slice.
  static constexpr int64_t kLike = -1;
  static constexpr const char* kNeedsRule =
      ": operator must have a batching rule to be called in a vmap, got none: ";

  // Throws if a written argument is not mapped, because all examples would write the same tensor.
  void check_written() const {
    tenon_stack outer = stack_;
    size_t number = 0;
    for (uint32_t i = 0; i < outer.nargs; ++i) {
      const tenon_value& arg = outer.args[i];
      const bool written = schema_->arguments()[i].is_written();
      const size_t count = arg.tag == TENON_TAG_TENSOR ? 1 : count_of(arg);
      for (size_t k = 0; k < count; ++k, ++number) {
        TENON_CHECK(!written || call_.dims()[number] != BatchedCall::kNotMapped, TENON_ERROR_STATE,
                    op_.name(), ": ", schema_->arguments()[i].name.view(),
                    " must be mapped by the vmap, as a mapped tensor is written into it in place, "
                    "got a tensor that is not mapped; use an operation that is not inplace");
      }
    }
  }

  // Returns the number of tensors in a list that are not NULL.
  static size_t count_of(const tenon_value& list) {
    if (list.tag != TENON_TAG_TENSOR_LIST) return 0;
    const auto tensors = std::span(value::tensors(list), list.count);
    return static_cast<size_t>(
        std::ranges::count_if(tensors, [](const Tensor* one) { return one != nullptr; }));
  }

  TensorPtr part(const Tensor& whole, int64_t dim, int64_t index) const {
    if (index != kLike) return operators::select(whole, dim, index);
    base::SmallVector<int64_t, 8> sizes;
    for (int64_t i = 0; i < whole.ndim(); ++i) {
      if (i != dim) sizes.push_back(whole.sizes()[i]);
    }
    const tenon_device meta{TENON_DEVICE_META, 0};
    return tensor::new_tensor(whole.dtype(), &meta, {sizes.data(), sizes.size()});
  }

  void run_one(int64_t index) {
    tenon_stack whole = call_.below(stack_);
    dispatch::OwnArguments arguments(whole);
    size_t number = 0;
    arguments.replace_tensors([&](Tensor& tensor) -> TensorPtr {
      const int64_t dim = call_.dims()[number++];
      if (tensor.is_undefined()) return {};
      if (dim == BatchedCall::kNotMapped && index != kLike) return {};
      return part(tensor, dim, index);
    });
    std::vector<tenon_value> rets(stack_.nrets);
    tenon_stack inner = arguments.stack_for(whole);
    inner.rets = rets.data();
    if (dispatch::call(&op_, &inner) != TENON_OK) throw Error(base::take_current_error());
    std::vector<OwnedValue> owned;
    for (const tenon_value& ret : rets) owned.emplace_back(ret);
    for (size_t i = 0; i < owned.size(); ++i) keep(owned[i].get(), &columns_[i]);
  }

  void keep(const tenon_value& ret, ResultColumn* column) const {
    const bool is_list = ret.tag == TENON_TAG_TENSOR_LIST;
    const size_t count = is_list ? ret.count : 1;
    column->is_list = is_list;
    if (column->tensors.empty()) column->tensors.resize(count);
    TENON_CHECK(count == column->tensors.size(), TENON_ERROR_STATE, op_.name(),
                ": number of results must be the same for each example, got ", count, " after ",
                column->tensors.size());
    for (size_t k = 0; k < count; ++k) {
      Tensor* const tensor = is_list ? value::tensors(ret)[k] : ret.as.tensor;
      TENON_CHECK(ret.tag != TENON_TAG_NONE && tensor != nullptr && !tensor->is_undefined(),
                  TENON_ERROR_STATE, op_.name(),
                  ": result must be a tensor for each example, got none");
      column->tensors[k].push_back(TensorPtr::share(tensor));
    }
  }

  TensorPtr join(const std::vector<TensorPtr>& parts, int64_t count) const {
    const Tensor& first = *parts.front();
    if (count == 0) {
      base::SmallVector<int64_t, 8> sizes;
      sizes.push_back(0);
      for (const int64_t size : first.size_span()) sizes.push_back(size);
      return operators::zeros({sizes.data(), sizes.size()}, first.dtype(), device());
    }
    for (const TensorPtr& each : parts) {
      TENON_CHECK(std::ranges::equal(each->size_span(), first.size_span()), TENON_ERROR_STATE,
                  op_.name(), ": results must have the same sizes for each example, got ",
                  tensor::print_dims(first.size_span()), " and ",
                  tensor::print_dims(each->size_span()));
    }
    return operators::stack(parts);
  }

  tenon_device device() const {
    for (uint32_t i = 0; i < stack_.nargs; ++i) {
      const tenon_value& arg = stack_.args[i];
      if (arg.tag == TENON_TAG_TENSOR) return arg.as.tensor->device();
      if (count_of(arg) == 0) continue;
      for (uint32_t k = 0; k < arg.count; ++k) {
        if (value::tensors(arg)[k] != nullptr) return value::tensors(arg)[k]->device();
      }
    }
    return {TENON_DEVICE_CPU, 0};
  }

  const tenon_op& op_;
  BatchedCall& call_;
  tenon_stack& stack_;
  const schema::SchemaPtr schema_;
  std::vector<ResultColumn> columns_;
};

void call_for_each(const tenon_op& op, BatchedCall& call, tenon_stack* stack) {
  const int64_t size = call.info().size;
  BatchLoop loop(op, call, stack);
  loop.check();
  loop.warn();
  if (size != 0) {
    loop.run(size);
  } else if (loop.is_mutable()) {
    for (uint32_t i = 0; i < stack->nrets; ++i) loop.give_written(i);
    return;
  } else {
    loop.run_on_none();
  }
  loop.finish(size);
}

// Runs a random operator once, and uses the same numbers for all examples of the vmap.
tenon_status call_random_same(const tenon_op& op, BatchedCall& call, tenon_stack* stack) {
  if (!call.has_mapped()) return call.call_below(stack);
  const bool writes = op.written.load(std::memory_order_relaxed) != 0;
  tenon_stack whole = call.below(*stack);
  tenon_value* const end = whole.args + whole.nargs;
  tenon_value* const written = std::find_if(
      whole.args, end, [](const tenon_value& arg) { return arg.tag == TENON_TAG_TENSOR; });
  // The written tensor must be the only tensor argument.
  TENON_CHECK(writes && call.dims().size() == 1 && written != end && call.info().size != 0,
              TENON_ERROR_NOT_SUPPORTED, op.name(),
              ": vmap with randomness \"same\" does not support mapped arguments here, got one; "
              "use randomness \"different\"");
  {
    Tensor& self = *written->as.tensor;
    const BelowLayer below;
    const int64_t dim = call.dims()[0];
    const TensorPtr first = operators::select(self, dim, 0);
    written->as.tensor = first.get();
    tenon_value ret{};
    whole.rets = &ret;
    whole.nrets = 1;
    const tenon_status status = dispatch::call(&op, &whole);
    const OwnedValue owned(ret);
    written->as.tensor = &self;
    if (status != TENON_OK) return status;
    operators::copy_into(
        self, *operators::repeat_along(*operators::select(self, dim, 0), dim, call.info().size));
  }
  BatchLoop(op, call, stack).give_written(0);
  return TENON_OK;
}

// Runs a random operator, with mapped arguments or without, as the vmap's randomness requires.
tenon_status call_random(const tenon_op& op, BatchedCall& call, tenon_stack* stack) {
  const uint32_t randomness = call.info().randomness;
  TENON_CHECK(randomness != TENON_RANDOMNESS_ERROR, TENON_ERROR_STATE, op.name(),
              ": randomness of the vmap must be \"same\" or \"different\" to call a random "
              "operation in it, got \"error\"");
  if (randomness == TENON_RANDOMNESS_SAME) return call_random_same(op, call, stack);
  BatchLoop loop(op, call, stack);
  loop.check();
  if (call.info().size == 0) {
    loop.run_on_none();
  } else {
    loop.run(call.info().size);
  }
  loop.finish(call.info().size);
  return TENON_OK;
}

}  // namespace

bool warns_of_loops() noexcept { return loops_warn.load(std::memory_order_relaxed); }
void set_warns_of_loops(bool warns) noexcept { loops_warn.store(warns, std::memory_order_relaxed); }
bool allows_loops() noexcept { return loops_allowed.load(std::memory_order_relaxed); }
void set_allows_loops(bool allows) noexcept {
  loops_allowed.store(allows, std::memory_order_relaxed);
}

void call_each(const tenon_op& op, BatchedCall& call, tenon_stack* stack) {
  TENON_CHECK((traits_of(&op) & dispatch::kHasDynamicShape) == 0, TENON_ERROR_NOT_SUPPORTED,
              op.name(),
              ": vmap does not support operators with dynamic shape, as the result's shape would "
              "differ between examples");
  TENON_CHECK(allows_loops(), TENON_ERROR_NOT_SUPPORTED, op.name(),
              ": operator must have a batching rule to be called in a vmap, got none, and calling "
              "it once for each example is disabled");
  call_for_each(op, call, stack);
}

tenon_status batch_each(void*, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  return dispatch::guard_kernel(stack, [&]() -> tenon_status {
    BatchedCall call(*op, *stack);
    if (!call.is_mapped()) {
      return dispatch::redispatch(op, keys & dispatch::keys_below(TENON_KEY_BATCHED), stack);
    }
    if ((traits_of(op) & dispatch::kIsRandom) != 0) return call_random(*op, call, stack);
    if (!call.has_mapped()) return call.call_below(stack);
    call_each(*op, call, stack);
    return TENON_OK;
  });
}

}  // namespace tenon::transform
