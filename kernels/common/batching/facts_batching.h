// SPDX-License-Identifier: Apache-2.0
// Batching rules of operators that no family's rule covers: the functions in Facts::batch.
#pragma once

namespace tenon::kernels {

class Batch;

// cat and stack: tensors of the list that are not mapped are expanded.
void batch_join(Batch& batch);
// index, index_put and operators that are special cases of them.
void batch_index(Batch& batch);
void batch_index_put(Batch& batch);
void batch_embedding(Batch& batch);
void batch_take(Batch& batch);
// copy and fill with a tensor: the source is broadcast to self, not the other way round.
void batch_copy(Batch& batch);
void batch_fill(Batch& batch);
// index_select, index_add and similar operators that take a list of indices along a dim.
void batch_along_dim(Batch& batch);
// Operators on images: the mapped dim joins the batch dim.
void batch_images(Batch& batch);
// convolution and the gradient of its weight: the mapped dim joins the batch or the groups.
void batch_convolution(Batch& batch);
void batch_convolution_weight(Batch& batch);
// Like batch_images(), for operators on several tensors of images. The number of dims of an image
// follows from the operator's name ("2d"); the sizes of one tensor may be in `input_size`.
void batch_planes(Batch& batch);
// new_zeros and similar factories: the sizes are those of each example.
void batch_new(Batch& batch);
void batch_masked_fill(Batch& batch);
void batch_masked_scatter(Batch& batch);
void batch_masked_select(Batch& batch);
void batch_strided_scatter(Batch& batch);

}  // namespace tenon::kernels
