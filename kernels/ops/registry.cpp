// SPDX-License-Identifier: Apache-2.0
// Registers all operators.
#include "kernels/ops/registry.h"

#include <string_view>

#include "kernels/common/registrar.h"
#include "kernels/ops/operators.h"

namespace tenon::kernels {

#define TENON_DECLARE(stem) void register_##stem(Library& library);
TENON_ATEN_OPS(TENON_DECLARE)
#undef TENON_DECLARE

std::vector<Library> register_ops() {
  std::vector<Library> libraries;
  Library& aten = libraries.emplace_back(Library::Def, "aten");
#define TENON_REGISTER_ATEN(stem) register_##stem(aten);
  TENON_ATEN_OPS(TENON_REGISTER_ATEN)
#undef TENON_REGISTER_ATEN
  libraries.emplace_back(Library::Fragment, "tenon");
  for (const Operator& op : operators()) {
    define(std::string_view(op.ns) == "aten" ? libraries[0] : libraries[1], *op.facts);
  }
  return libraries;
}

}  // namespace tenon::kernels
