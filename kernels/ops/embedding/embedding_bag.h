// SPDX-License-Identifier: Apache-2.0
// aten::embedding_bag: the sum, mean or maximum of the rows of a matrix at the indices in each bag,
// and its gradients.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels {

enum class BagMode : uint8_t { Sum, Mean, Max };

// The results of a call with checked arguments.
struct EmbeddingBags {
  Tensor rows;         // one row for each bag
  Tensor bags;         // the bag of each index
  Tensor counts;       // number of indices that count in each bag; 0 for sums, which do not need it
  Tensor max_indices;  // the index that each maximum is from; otherwise the same as `counts`
  BagMode mode;
  bool includes_last;

  void give(const Call& call);
};
EmbeddingBags embedding_bags(const Call& call);

namespace ops {

void embedding_bag_meta(const Call& call);

inline constexpr Facts kEmbeddingBagDirect{
    .family = &kRoutine,
    .name = "_embedding_bag",
    .params =
        "Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, "
        "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, "
        "int padding_idx=-1",
    .returns = "(Tensor, Tensor, Tensor, Tensor)",
    .forms = kFunctional | kOut,
    .outs = "out0, out1, out2, out3",
    .tags = "core",
    .gradient =
        "weight: _embedding_bag_backward(grad, indices, offsets, result1, result2, result3, "
        "weight.size(0), scale_grad_by_freq, mode, sparse, per_sample_weights, padding_idx); "
        "per_sample_weights: _embedding_bag_per_sample_weights_backward(grad, weight, indices, "
        "offsets, result1, mode, padding_idx)",
    .tangent = "derived",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&embedding_bag_meta},
};

inline constexpr Facts kEmbeddingBagForwardOnly{
    .family = &kRoutine,
    .name = "_embedding_bag_forward_only",
    .params =
        "Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, "
        "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, "
        "int padding_idx=-1",
    .returns = "(Tensor, Tensor, Tensor, Tensor)",
    .forms = kFunctional | kOut,
    .outs = "out0, out1, out2, out3",
    .tags = "",
    .gradient = "none: for inference alone",
    .tangent = "none: for inference alone",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&embedding_bag_meta},
};

void embedding_bag(const Call& call);

inline constexpr Facts kEmbeddingBag{
    .family = &kComposite,
    .name = "embedding_bag",
    .params =
        "Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, "
        "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False",
    .returns = "(Tensor, Tensor, Tensor, Tensor)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&embedding_bag},
};

inline constexpr Facts kEmbeddingBagPaddingIdx{
    .family = &kComposite,
    .name = "embedding_bag.padding_idx",
    .params =
        "Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, "
        "bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx",
    .returns = "(Tensor, Tensor, Tensor, Tensor)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&embedding_bag},
};

void embedding_bag_backward(const Call& call);

// The gradient of the matrix: each bag's gradient is added to the rows that it read.
inline constexpr Facts kEmbeddingBagBackward{
    .family = &kComposite,
    .name = "_embedding_bag_backward",
    .params =
        "Tensor grad, Tensor indices, Tensor offsets, Tensor offset2bag, Tensor bag_size, "
        "Tensor maximum_indices, SymInt num_weights, bool scale_grad_by_freq, int mode, "
        "bool sparse, Tensor? per_sample_weights, int padding_idx=-1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&embedding_bag_backward},
};

void embedding_bag_dense_backward(const Call& call);

inline constexpr Facts kEmbeddingBagDenseBackward{
    .family = &kComposite,
    .name = "_embedding_bag_dense_backward",
    .params =
        "Tensor grad, Tensor indices, Tensor offset2bag, Tensor bag_size, Tensor maximum_indices, "
        "SymInt num_weights, bool scale_grad_by_freq, int mode, Tensor? per_sample_weights, "
        "int padding_idx=-1",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&embedding_bag_dense_backward},
};

void embedding_bag_weights_backward(const Call& call);

// The gradient of the per-sample weights.
inline constexpr Facts kEmbeddingBagPerSampleWeightsBackward{
    .family = &kComposite,
    .name = "_embedding_bag_per_sample_weights_backward",
    .params =
        "Tensor grad, Tensor weight, Tensor indices, Tensor offsets, Tensor offset2bag, int mode, "
        "int padding_idx=-1",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&embedding_bag_weights_backward},
};

}  // namespace ops

}  // namespace tenon::kernels
