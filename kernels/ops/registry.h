// SPDX-License-Identifier: Apache-2.0
// All operators that ship: the one list from which they are registered.
#pragma once

#include <vector>

#include "tenon/tenon.hpp"

namespace tenon::kernels {

// Opens the libraries that own `aten` and a part of `tenon`, and registers everything that needs no
// device: schemas, composites, views and Meta kernels.
std::vector<Library> register_ops();

}  // namespace tenon::kernels
