// SPDX-License-Identifier: Apache-2.0
// What real tensors become as fakes.
#pragma once

#include "fake/mode.h"

namespace tenon::fake {

/// A fake tensor like a real one, views as views of what their base becomes; a fake one itself.
/// `mode` (NULL: none) keeps it. Untracked. Throws as tenon_tensor_copy_fake.
tensor::TensorPtr copy_fake(tensor::Tensor& tensor, Mode* mode);

/// A fake tensor like one with sizes that are words; NULL: those of 2 and more become new symbols.
/// Untracked. Throws as tenon_tensor_copy_symbolic.
tensor::TensorPtr copy_symbolic(tensor::Tensor& tensor, symbol::ShapeEnv* env,
                                const int64_t* sizes);

/// The same with the symbols that names say. Throws as tenon_fake_mode_copy_dynamic.
tensor::TensorPtr copy_dynamic(tensor::Tensor& tensor, Mode& mode, const char* const* names);

/// A fake tensor of the sizes, strides and dtype of one without views, that claims a device.
tensor::TensorPtr fake_like(const tensor::Tensor& tensor, const tenon_device& device);

}  // namespace tenon::fake
