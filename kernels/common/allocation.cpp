// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/allocation.h"

#include "kernels/common/checked_size.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

namespace {

// Warns once for each operator, whose name identifies the warning. If the handler raises an error,
// as Python's does under `-W error`, the call ends before anything has changed.
void warn_of_resize(const char* op, const Tensor& out, Sizes sizes) {
  const std::string message = std::string(op) + ": out has elements and does not match the " +
                              "sizes of the result, so it is resized from " +
                              Part(out.sizes()).text() + " to " + Part(sizes).text() +
                              "; pass an empty tensor, or one of these sizes";
  check(tenon_warning_emit_once(op, "UserWarning", message.c_str()));
}

// Refuses sizes that cannot be allocated, before the warning is emitted. To find out, it allocates
// memory of these sizes and frees it without touching it.
void check_result(const char* op, const Tensor& out, Sizes sizes) {
  for (const int64_t size : sizes) {
    if (size < 0) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": sizes of the result must be >= 0, got ", sizes});
    }
  }
  static_cast<void>(CheckedSize(op, numel_of(sizes)) * size_of(out.dtype()));
  static_cast<void>(allocate(sizes, out.dtype(), out.device()));
}

// Refuses to resize a view to sizes that cover elements outside the view: those elements belong to
// other tensors on the same storage, and the operator would overwrite them. A dense view may
// shrink, and may grow if it reaches the end of its storage.
void check_view(const char* op, tenon_tensor* out, Sizes sizes) {
  const Tensor base(tenon_tensor_copy_base(out));
  if (base.get() == nullptr || (tenon_tensor_flags(out) & TENON_TENSOR_SYMBOLIC) != 0) return;
  const tenon_tensor_info info = TensorRef(out)->info();
  const bool is_dense =
      info.numel == 0 || is_non_overlapping_and_dense(sizes_of(info), strides_of(info));
  const int64_t end = (info.storage_offset + info.numel) * size_of(dtype_of_info(info));
  const bool reaches_end = end >= tenon_storage_nbytes(tenon_tensor_storage(out));
  if (is_dense && (numel_of(sizes) <= info.numel || reaches_end)) return;
  fail(TENON_ERROR_INVALID_ARGUMENT,
       {op, ": out must have sizes ", sizes, ", since a view cannot be resized over elements ",
        "outside of it, got ", sizes_of(info)});
}

}  // namespace

void resize_out(const char* op, tenon_tensor* out, Sizes sizes, const int64_t* strides) {
  check_view(op, out, sizes);
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
