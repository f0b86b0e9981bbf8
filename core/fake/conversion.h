// SPDX-License-Identifier: Apache-2.0
// Conversion of real tensors to fake tensors.
#pragma once

#include "fake/mode.h"

namespace tenon::fake {

/// Returns a fake tensor like a real one; a view becomes a view of its base's fake, and a fake
/// tensor is returned unchanged. `mode` (NULL: none) caches the result. Untracked. Throws like
/// tenon_tensor_copy_fake.
tensor::TensorPtr copy_fake(tensor::Tensor& tensor, Mode* mode);

/// Returns a fake tensor like `tensor` with the given words as sizes. If `sizes` is NULL, sizes of
/// 2 or more become new symbols. Untracked. Throws like tenon_tensor_copy_symbolic.
tensor::TensorPtr copy_symbolic(tensor::Tensor& tensor, symbol::ShapeEnv* env,
                                const int64_t* sizes);

/// Like copy_symbolic(), with symbols of the given names. Throws like tenon_fake_mode_copy_dynamic.
tensor::TensorPtr copy_dynamic(tensor::Tensor& tensor, Mode& mode, const char* const* names);

/// Returns a fake tensor on `device` with the sizes, strides and dtype of a tensor; not a view.
tensor::TensorPtr fake_like(const tensor::Tensor& tensor, const tenon_device& device);

}  // namespace tenon::fake
