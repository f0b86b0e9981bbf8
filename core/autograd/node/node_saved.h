// SPDX-License-Identifier: Apache-2.0
// What a node has saved, looked at from outside: names, values, and packing one by hand.
#pragma once

#include <string>

#include "autograd/node/node.h"
#include "autograd/node/saved_tensor.h"

namespace tenon::autograd {

/// See tenon_node_saved_count, tenon_node_saved_name, tenon_node_copy_saved and
/// tenon_node_pack_saved.
int64_t saved_count(const Node& node) noexcept;
std::string saved_name(const Node& node, int64_t index);
tenon_value copy_saved(Node& node, int64_t index);
void pack_saved(Node& node, int64_t index, const SavedHooksPtr& hooks);

}  // namespace tenon::autograd
