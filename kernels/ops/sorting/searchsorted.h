// SPDX-License-Identifier: Apache-2.0
// aten::searchsorted: insertion indices of values in a sorted sequence; aten::bucketize, with its
// arguments in the other order.
#pragma once

#include "kernels/common/families/routine.h"
#include "kernels/common/maths/element.h"

namespace tenon::kernels {

// One call with checked arguments; the sequence has the dims of the values, or one dim.
struct Search {
  Tensor result;
  tenon_tensor_info sequence;
  tenon_tensor_info values;
  std::optional<tenon_tensor_info> sorter;  // int64 indices that sort the sequence, of its sizes
  bool right;
};
Search search_of(const Call& call);

namespace ops {

void searchsorted_meta(const Call& call);

inline constexpr Facts kSearchsorted{
    .family = &kRoutine,
    .name = "searchsorted.Tensor",
    .params =
        "Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? "
        "side=None, Tensor? sorter=None",
    .forms = kFunctional | kOut,
    .out = "Tensor_out",
    .tags = "",
    .gradient = "none: an index",
    .tangent = "none: an index",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&searchsorted_meta},
};

void searchsorted_scalar(const Call& call);

inline constexpr Facts kSearchsortedScalar{
    .family = &kExplicit,
    .name = "searchsorted.Scalar",
    .params =
        "Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? "
        "side=None, Tensor? sorter=None",
    .forms = kFunctional | kOut,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: an index",
    .tangent = "none: an index",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&searchsorted_scalar},
};

void bucketize(const Call& call);

inline constexpr Facts kBucketize{
    .family = &kExplicit,
    .name = "bucketize.Tensor",
    .params = "Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False",
    .forms = kFunctional | kOut,
    .out = "Tensor_out",
    .tags = "",
    .gradient = "none: an index",
    .tangent = "none: an index",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&bucketize},
};

inline constexpr Facts kBucketizeScalar{
    .family = &kExplicit,
    .name = "bucketize.Scalar",
    .params = "Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False",
    .forms = kFunctional | kOut,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: an index",
    .tangent = "none: an index",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&bucketize},
};

}  // namespace ops

}  // namespace tenon::kernels
