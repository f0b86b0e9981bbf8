// SPDX-License-Identifier: Apache-2.0
// Memory overlap: outputs that alias themselves or, only partly, an input are refused.
#pragma once

#include "kernels/common/shape.h"

namespace tenon::kernels {

struct Call;

// Throws when an output has several elements at one address, as an expanded tensor has, or one of
// as_strided whose rows overlap.
void check_no_internal_overlap(const char* op, const tenon_tensor_info& output);

// Throws when an output and an input share memory without being the very same view: elements would
// be read after they were overwritten. What cannot be told from the bounds alone (gaps) passes.
void check_no_partial_overlap(const char* op, const tenon_tensor_info& output,
                              const tenon_tensor_info& input);

// Throws when two outputs share memory.
void check_outputs_apart(const char* op, const tenon_tensor_info& a, const tenon_tensor_info& b);

// Throws when an output and an input share memory at all.
void check_no_overlap(const char* op, const tenon_tensor_info& output,
                      const tenon_tensor_info& input);
// The same of what a form that has one writes.
void check_written_apart(const Call& call, const tenon_tensor_info& input);

}  // namespace tenon::kernels
