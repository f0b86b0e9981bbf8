// SPDX-License-Identifier: Apache-2.0
// Memory of tensors that are not small: kept for the next tensor of that size, and in huge pages
// from some megabytes on.
//
// The system clears each page of fresh memory on its first write, which takes longer than most
// kernels take to fill it. Measured on an x86-64 server, a copy of 4 MiB takes 1.1 ms into fresh
// pages of 4 KiB, 0.36 ms into fresh huge pages, and 0.27 ms into memory in use. malloc maps and
// unmaps allocations above 32 MiB at each call, and trims the end of its heap when a few megabytes
// there are free.
#pragma once

#include <cstdint>

#include "tensor/allocator.h"

namespace tenon::tensor {

/// Minimum size of a large block, in bytes. free_elements() recognizes large blocks by the
/// requested size, which its caller passes.
constexpr int64_t kLargeBytes = int64_t{1} << 18;
/// Maximum total size of cached free blocks, in bytes. The system may reclaim the pages of cached
/// blocks from 32 MiB on when memory is short.
constexpr int64_t kMostKeptBytes = int64_t{1} << 28;

/// Allocates memory for a tensor's elements outside of its block, aligned to kAlignment. Throws
/// TENON_ERROR_OUT_OF_MEMORY.
void* allocate_elements(int64_t nbytes);
/// Frees such memory. `nbytes` is the requested size.
void free_elements(void* data, int64_t nbytes) noexcept;

/// Returns the total size of cached free blocks, in bytes.
int64_t kept_bytes() noexcept;

}  // namespace tenon::tensor
