// SPDX-License-Identifier: Apache-2.0
// All operators that Tenon provides, and their registration.
#pragma once

#include <vector>

#include "tenon/tenon.hpp"

namespace tenon::kernels {

// Creates the libraries that own `aten` and a part of `tenon`, and registers everything that needs
// no device: schemas, composites, views and Meta kernels.
std::vector<Library> register_ops();

}  // namespace tenon::kernels
