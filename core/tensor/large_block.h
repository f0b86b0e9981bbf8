// SPDX-License-Identifier: Apache-2.0
// Memory of tensors that are not small: kept for the next one of that size, and from some megabytes
// on in huge pages.
//
// The system clears each page of fresh memory when it is first written, which takes longer than
// what most kernels do with it. On an x86-64 server, for a copy of 4 MiB: 1.1 ms into fresh pages
// of 4 KiB, 0.36 into fresh huge ones, 0.27 into memory that is there already. malloc maps and
// unmaps what is beyond 32 MiB at each call, and gives back the end of its heap when a few
// megabytes there are free.
#pragma once

#include <cstdint>

#include "tensor/allocator.h"

namespace tenon::tensor {

/// From this on blocks are large. A tensor's memory never changes its kind: whoever frees it tells
/// how many bytes were asked for.
constexpr int64_t kLargeBytes = int64_t{1} << 18;
/// Of blocks that nobody uses, so much is kept in all. Of those from 32 MiB on the system may take
/// the pages when memory is short.
constexpr int64_t kMostKeptBytes = int64_t{1} << 28;

/// Memory for a tensor's elements outside of its block, aligned to kAlignment. Throws
/// TENON_ERROR_OUT_OF_MEMORY.
void* allocate_elements(int64_t nbytes);
/// `nbytes` is what was asked for.
void free_elements(void* data, int64_t nbytes) noexcept;

/// How many bytes are kept now.
int64_t kept_bytes() noexcept;

}  // namespace tenon::tensor
