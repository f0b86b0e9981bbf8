// SPDX-License-Identifier: Apache-2.0
// The names of the operators that graphs themselves call. No other file of this layer names one.
#pragma once

namespace tenon::graph::operators {

inline constexpr const char* kContiguous = "aten::contiguous";
inline constexpr const char* kCopy = "aten::copy";
inline constexpr const char* kCopyInto = "aten::copy_";
/// Calls of these operators represent the resize of a tensor in a graph.
inline constexpr const char* kResize = "aten::empty.out";
inline constexpr const char* kResizeStrided = "aten::empty_strided.out";
inline constexpr const char* kToCopy = "aten::_to_copy";

}  // namespace tenon::graph::operators
