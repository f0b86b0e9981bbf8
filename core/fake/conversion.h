// SPDX-License-Identifier: Apache-2.0
// What real tensors become as fakes.
#pragma once

#include "fake/mode.h"

namespace tenon::fake {

/// A fake tensor like a real one, views as views of what their base becomes; a fake one itself.
/// `mode` (NULL: none) keeps it. Untracked. Throws as tenon_tensor_copy_fake.
tensor::TensorPtr copy_fake(tensor::Tensor& tensor, Mode* mode);

/// A fake tensor of the sizes, strides and dtype of one without views, that claims a device.
tensor::TensorPtr fake_like(const tensor::Tensor& tensor, const tenon_device& device);

}  // namespace tenon::fake
