// SPDX-License-Identifier: Apache-2.0
#include "transform/batched_call.h"

#include "base/check.h"
#include "dispatch/argument_check.h"
#include "dispatch/call_path.h"
#include "dispatch/replace_results.h"
#include "tensor/layout.h"

namespace tenon::transform {

using dispatch::level_tensor;
using dispatch::LevelTensor;
using tensor::Tensor;
using tensor::TensorPtr;

BatchedCall::BatchedCall(const tenon_op& op, const tenon_stack& stack)
    : op_(op), layer_(dispatch::peek_top_layer()), arguments_(stack) {
  if (layer_ != nullptr) info_ = vmap_info(*layer_);
  arguments_.replace_tensors([&](Tensor& tensor) -> Tensor* {
    Tensor& now = dispatch::unwrap_ended_levels(op.name(), tensor);
    const LevelTensor* level = info_ != nullptr ? level_tensor(now, *layer_) : nullptr;
    dims_.push_back(level != nullptr ? batch_dim(*level) : kNotMapped);
    has_mapped_ = has_mapped_ || level != nullptr;
    Tensor* below = level != nullptr ? level->below.get() : &now;
    if (below == &tensor) return nullptr;
    replacements_.push_back({&tensor, below});
    return below;
  });
}

tenon_status BatchedCall::call_below(tenon_stack* stack) {
  tenon_stack inner = below(*stack);
  const dispatch::BelowLayer below;
  const tenon_status status = dispatch::call(&op_, &inner);
  if (status != TENON_OK || replacements_.empty()) return status;
  dispatch::replace_results(
      stack, [&](Tensor& result) { return dispatch::map_back(replacements_, result); });
  return TENON_OK;
}

TensorPtr BatchedCall::wrap(const std::string& who, Tensor& result, int64_t dim) const {
  for (const dispatch::Replacement& each : replacements_) {
    if (each.replaced_by != &result) continue;
    const LevelTensor* level = level_tensor(*each.argument, *layer_);
    const int64_t its_dim = level != nullptr ? batch_dim(*level) : kNotMapped;
    if (its_dim == dim) return TensorPtr::share(each.argument);
  }
  if (dim == kNotMapped || result.is_undefined()) return {};
  TENON_CHECK(dim >= 0 && dim < result.ndim() && result.sizes()[dim] == info_->size,
              TENON_ERROR_STATE, who, ": out_dims must be a dim of size ", info_->size,
              " in a result of sizes ", tensor::print_dims(result.size_span()), ", got ", dim);
  if (Tensor* self = viewed_in_place()) {
    replace_batched(*self, result, dim);
    return TensorPtr::share(self);
  }
  return new_batched(*layer_, result, dim,
                     dispatch::viewed_argument(replacements_, *layer_, result));
}

Tensor* BatchedCall::viewed_in_place() const {
  const dispatch::SnapshotGuard guard(&op_);
  const bool is_view = guard.get() != nullptr && (guard.get()->traits & dispatch::kIsInPlaceView);
  return is_view ? replacements_[0].argument : nullptr;
}

namespace {

int64_t count_tensors(const tenon_stack& stack) {
  int64_t count = 0;
  for (uint32_t i = 0; i < stack.nrets; ++i) {
    const tenon_value& ret = stack.rets[i];
    count += ret.tag == TENON_TAG_TENSOR_LIST ? ret.count : ret.tag == TENON_TAG_TENSOR ? 1 : 0;
  }
  return count;
}

}  // namespace

void BatchedCall::wrap_results(const std::string& who, const tenon_value& out_dims,
                               tenon_stack* stack) {
  const bool is_list = out_dims.tag == TENON_TAG_INT_LIST;
  const int64_t count = count_tensors(*stack);
  TENON_CHECK(is_list || out_dims.tag == TENON_TAG_INT || out_dims.tag == TENON_TAG_NONE,
              TENON_ERROR_STATE, who, ": out_dims must be an int, a list of ints or None");
  TENON_CHECK(!is_list || out_dims.count == count, TENON_ERROR_STATE, who,
              ": number of out_dims must be that of the returned tensors, ", count, ", got ",
              out_dims.count);
  const auto* const list = static_cast<const int64_t*>(is_list ? out_dims.as.list.data : nullptr);
  int64_t next = 0;
  dispatch::replace_results(stack, [&](Tensor& result) {
    const int64_t number = next++;
    const int64_t dim = list != nullptr                 ? list[number]
                        : out_dims.tag == TENON_TAG_INT ? out_dims.as.i
                                                        : kNotMapped;
    return wrap(who, result, dim);
  });
}

}  // namespace tenon::transform
