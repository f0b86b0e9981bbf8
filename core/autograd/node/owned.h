// SPDX-License-Identifier: Apache-2.0
// What only a tensor or a node keeps, for collectors of cycles.
#pragma once

#include "autograd/node/node.h"
#include "tenon/hooks.h"

namespace tenon::autograd {

/// See tenon_tensor_visit_owned, tenon_node_visit_owned, tenon_tensor_clear_owned and
/// tenon_node_clear_owned. Throws std::bad_alloc.
int32_t visit_owned(const tensor::Tensor& tensor, uint32_t language, tenon_owned_fn visit,
                    void* ctx);
int32_t visit_owned(const Node& node, uint32_t language, tenon_owned_fn visit, void* ctx);
void clear_owned(const tensor::Tensor& tensor, uint32_t language);
void clear_owned(const Node& node, uint32_t language);

}  // namespace tenon::autograd
