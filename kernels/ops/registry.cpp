// SPDX-License-Identifier: Apache-2.0
// Registers all operators.
#include "kernels/ops/registry.h"

#include <string_view>

#include "kernels/common/registrar.h"
#include "kernels/ops/operators.h"

namespace tenon::kernels {

std::vector<Library> register_ops() {
  std::vector<Library> libraries;
  libraries.emplace_back(Library::Def, "aten");
  libraries.emplace_back(Library::Fragment, "tenon");
  for (const Operator& op : operators()) {
    define(std::string_view(op.ns) == "aten" ? libraries[0] : libraries[1], *op.facts);
  }
  return libraries;
}

}  // namespace tenon::kernels
