// SPDX-License-Identifier: Apache-2.0
// Fifty small operators as a loop that calls them, by hand in C.
#pragma once

#include <tenon/tenon.h>

TENON_BEGIN_DECLS

// Ten times x = relu(((x * w) + w) * w + w); with `is_product` the first is mm.
tenon_status bench_graph_loop(tenon_tensor* x, tenon_tensor* w, int is_product,
                              tenon_tensor** out_result);

TENON_END_DECLS
