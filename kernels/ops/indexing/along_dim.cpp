// SPDX-License-Identifier: Apache-2.0
// Checks of a vector of indices along one dim.
#include "kernels/ops/indexing/along_dim.h"

#include "kernels/common/families/routine.h"
#include "kernels/common/indexing.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels {
namespace {

Tensor vector_of(const Tensor& tensor) {
  return tensor.ndim() == 0 ? call_unsqueeze(tensor, 0) : tensor;
}

}  // namespace

AlongDim::AlongDim(const Call& call, const Tensor& self) : op_(call.op()), self_(vector_of(self)) {
  const Tensor index = *call.get<Tensor>(2);
  dim_ = wrap_dim(op_, call.get<int64_t>(1), self.ndim());
  if (index.ndim() > 1) {
    fail_argument(op_, "index", "a vector (1 dim) or of 0 dims", index.sizes());
  }
  if (index.dtype() != Dtype::I64 && index.dtype() != Dtype::I32) {
    fail_argument(op_, "index", "have dtype int64 or int32", index.dtype());
  }
  index_ = vector_of(index);
  indices_[dim_] = index_.get();
}

void AlongDim::check_index() const {
  check_in_dim(op_, "index", index_, self_.sizes()[static_cast<size_t>(dim_)]);
}

Dims AlongDim::sizes() const {
  Dims sizes(self_.sizes());
  sizes[dim_] = count();
  return sizes;
}

Tensor AlongDim::source(const char* name, const Tensor& source) const {
  check_dtype_of(op_, name, source.dtype(), "self", self_.dtype());
  const Dims wanted = sizes();
  const bool is_one = source.ndim() == 0 && self_.ndim() == 1 && count() == 1;
  if (!is_one && !(Dims(source.sizes()) == wanted)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op_, ": ", name, " must have the sizes of self with as many as index has at dim ", dim_,
          ", ", wanted, ", got ", source.sizes()});
  }
  return is_one ? call_reshape(source, wanted) : source;
}

Tensor written_or_copy(const Call& call, bool keeps_strides) {
  const Tensor self = *call.get<Tensor>(0);
  if (call.form.written == 0) {
    check_out(call, self.info(), self.device());
    return self;
  }
  return call_clone(self, keeps_strides ? MemoryFormat::Preserve : MemoryFormat::Contiguous);
}

}  // namespace tenon::kernels
