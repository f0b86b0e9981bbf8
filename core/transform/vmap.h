// SPDX-License-Identifier: Apache-2.0
// vmap of whole functions, and the checks of its arguments and results that all languages share.
#pragma once

#include <span>
#include <string_view>

#include "dispatch/transform.h"
#include "tenon/transforms.h"

namespace tenon::transform {

/// See tenon_vmap_size and tenon_vmap_result.
int64_t vmap_size(std::string_view name, std::span<const tenon_value> args,
                  std::span<const int64_t> in_dims);
tensor::TensorPtr vmap_result(dispatch::Layer& layer, std::string_view name, int64_t number,
                              const tenon_value& result, int64_t out_dim);
/// Returns a tensor of the layer that wraps `below`, with dim `dim` mapped. Throws
/// TENON_ERROR_INVALID_ARGUMENT.
tensor::TensorPtr wrap_mapped(dispatch::Layer& layer, tensor::Tensor& below, int64_t dim);

/// See tenon_vmap. `options` must be a complete struct of this version.
void vmap(tenon_callable function, void* ctx, const tenon_vmap_options& options,
          tenon_stack* stack);

}  // namespace tenon::transform
