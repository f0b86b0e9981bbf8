/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of recorded calls and backward passes, each run `calls` times. */
#ifndef TENON_BENCH_RECORDED_PATHS_H
#define TENON_BENCH_RECORDED_PATHS_H

void path_recorded_mul(int calls);
void path_recorded_mul_typed_caller(int calls);
void path_mul_no_grad(int calls);
void path_recorded_mm(int calls);
void path_autocast_mm(int calls);
void path_mul_in_autocast(int calls);
void path_mapped_mul(int calls);
void path_backward_of_20_products(int calls);

#endif
