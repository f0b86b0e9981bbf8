// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/allocation.h"

namespace tenon::kernels {

void resize_out(const char* op, tenon_tensor* out, Sizes sizes, const int64_t* strides) {
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
