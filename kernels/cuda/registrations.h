// SPDX-License-Identifier: Apache-2.0
// What each file of CUDA kernels registers; plugin.cpp calls them all.
#pragma once

#include "tenon/tenon.hpp"

namespace tenon::kernels::cuda {

void register_copy(Library& aten);
void register_factories(Library& aten);
void register_mm(Library& aten);
void register_sum(Library& aten);

}  // namespace tenon::kernels::cuda
