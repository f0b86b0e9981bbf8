// SPDX-License-Identifier: Apache-2.0
#include "graph_loop.h"

#include <tenon/ops/aten.h>

// Replaces a tensor by the result of a call, if the call succeeded.
static tenon_status next(tenon_status status, tenon_tensor** tensor, tenon_tensor* made) {
  if (status != TENON_OK) return status;
  tenon_tensor_release(*tensor);
  *tensor = made;
  return TENON_OK;
}

static tenon_status turn(tenon_tensor** at, tenon_tensor* w, int is_product) {
  tenon_tensor* made = NULL;
  tenon_status status = is_product ? aten_mm(*at, w, &made) : aten_mul_Tensor(*at, w, &made);
  status = next(status, at, made);
  if (status == TENON_OK) status = aten_add_Tensor(*at, w, NULL, &made);
  status = next(status, at, made);
  if (status == TENON_OK) status = aten_mul_Tensor(*at, w, &made);
  status = next(status, at, made);
  if (status == TENON_OK) status = aten_add_Tensor(*at, w, NULL, &made);
  status = next(status, at, made);
  if (status == TENON_OK) status = aten_relu(*at, &made);
  return next(status, at, made);
}

tenon_status bench_graph_loop(tenon_tensor* x, tenon_tensor* w, int is_product,
                              tenon_tensor** out_result) {
  tenon_tensor* at = tenon_tensor_retain(x);
  tenon_status status = TENON_OK;
  for (int i = 0; i < 10 && status == TENON_OK; ++i) status = turn(&at, w, is_product);
  if (status != TENON_OK) {
    tenon_tensor_release(at);
    return status;
  }
  *out_result = at;
  return TENON_OK;
}
