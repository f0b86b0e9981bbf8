// SPDX-License-Identifier: Apache-2.0
// Rules of operators that no family's rule serves: what Facts::batch points to.
#pragma once

namespace tenon::kernels {

class Batch;

// cat and stack: the tensors of a list, repeated where they are not mapped.
void batch_join(Batch& batch);
// index, index_put and what is one of them.
void batch_index(Batch& batch);
void batch_index_put(Batch& batch);
void batch_embedding(Batch& batch);
void batch_take(Batch& batch);
// copy and fill with a tensor: what is written stretches to self, and not self to it.
void batch_copy(Batch& batch);
void batch_fill(Batch& batch);
// index_select, index_add and their like, which take a list of numbers along a dim.
void batch_along_dim(Batch& batch);
// What works on images: a mapped dim is one more of those that count them.
void batch_images(Batch& batch);
// convolution and the gradient of its weight: what is mapped becomes part of the batch, or groups.
void batch_convolution(Batch& batch);
void batch_convolution_weight(Batch& batch);
// The same for what takes several tensors of images, along as many dims as its name says ("2d"),
// and perhaps the sizes of one as `input_size`.
void batch_planes(Batch& batch);
// new_zeros and its like: sizes that are one for all, of a tensor that is mapped.
void batch_new(Batch& batch);
void batch_masked_fill(Batch& batch);
void batch_masked_scatter(Batch& batch);
void batch_masked_select(Batch& batch);
void batch_strided_scatter(Batch& batch);

}  // namespace tenon::kernels
