// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/allocation.h"

#include "kernels/common/checked_size.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

namespace {

// Once for an operator, whose name stands for the place. A handler that makes an error of it, as
// Python's does when told to, ends the call before anything is changed.
void warn_of_resize(const char* op, const Tensor& out, Sizes sizes) {
  const std::string message = std::string(op) + ": out has elements and other sizes than the " +
                              "result, so it is resized from " + Part(out.sizes()).text() + " to " +
                              Part(sizes).text() + "; give one without elements, or of these sizes";
  check(tenon_warning_emit_once(op, "UserWarning", message.c_str()));
}

// Refuses sizes that cannot be had, before the warning about them: memory is asked for and given
// back, which touches none of it.
void check_result(const char* op, const Tensor& out, Sizes sizes) {
  for (const int64_t size : sizes) {
    if (size < 0) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": sizes of the result must be >= 0, got ", sizes});
    }
  }
  static_cast<void>(CheckedSize(op, numel_of(sizes)) * size_of(out.dtype()));
  static_cast<void>(allocate(sizes, out.dtype(), out.device()));
}

// Elements that a view does not show belong to other tensors: one that grows would write to them.
// A view of a tensor without any has no others.
void check_no_view(const char* op, tenon_tensor* out, Sizes sizes) {
  const Tensor base(tenon_tensor_copy_base(out));
  if (base.get() == nullptr || tenon_storage_nbytes(tenon_tensor_storage(out)) == 0) return;
  fail(TENON_ERROR_INVALID_ARGUMENT,
       {op, ": out must have sizes ", sizes, ", since a view cannot be resized, got ",
        TensorRef(out)->sizes()});
}

}  // namespace

void resize_out(const char* op, tenon_tensor* out, Sizes sizes, const int64_t* strides) {
  check_no_view(op, out, sizes);
  if (tenon_tensor_numel(out) != 0) {
    check_result(op, *TensorRef(out), sizes);
    warn_of_resize(op, *TensorRef(out), sizes);
  }
  try {
    check(tenon_tensor_resize(out, static_cast<int64_t>(sizes.size()), sizes.data(), strides));
  } catch (const Error& error) {
    if (error.code() != TENON_ERROR_STATE) throw;
    Error refusal(TENON_ERROR_STATE, std::string(op) + ": out must have sizes " +
                                         Part(sizes).text() +
                                         ", since imported memory cannot be resized, got " +
                                         Part(TensorRef(out)->sizes()).text());
    tenon_error_set_cause(refusal.get(), tenon_error_retain(error.get()));
    throw refusal;
  }
}

}  // namespace tenon::kernels
