// SPDX-License-Identifier: Apache-2.0
// Memory overlap: outputs that overlap themselves or partially overlap an input are refused.
#pragma once

#include "kernels/common/shape.h"

namespace tenon::kernels {

struct Call;

// Throws if several elements of an output share an address, as in an expanded tensor or an
// as_strided view whose rows overlap.
void check_no_internal_overlap(const char* op, const tenon_tensor_info& output);

// Throws if an output and an input share memory but are not the same view: elements would be read
// after they were overwritten. Tensors with gaps, whose bounds do not decide it, pass.
void check_no_partial_overlap(const char* op, const tenon_tensor_info& output,
                              const tenon_tensor_info& input);

// Throws if two outputs share memory.
void check_outputs_apart(const char* op, const tenon_tensor_info& a, const tenon_tensor_info& b);

// Throws if an output and an input share any memory.
void check_no_overlap(const char* op, const tenon_tensor_info& output,
                      const tenon_tensor_info& input);
// Like check_no_overlap(), for the argument that a call writes. Does nothing in the functional
// form.
void check_written_apart(const Call& call, const tenon_tensor_info& input);

}  // namespace tenon::kernels
