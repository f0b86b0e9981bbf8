// SPDX-License-Identifier: Apache-2.0
// Functions of libraries that are loaded by the first call that needs them: oneDNN and OpenBLAS
// take a hundred times longer to load than all our kernels, and most programs multiply no matrices.
#pragma once

namespace tenon::kernels::cpu {

// The address of a function of a shared library, which is loaded now if it was not, and stays.
void* late_symbol(const char* library, const char* name);

// The same, of the function's type. Keep it in a static: a failed attempt is made again.
template <class F>
F* late_function(const char* library, const char* name) {
  return reinterpret_cast<F*>(late_symbol(library, name));
}

}  // namespace tenon::kernels::cpu
