// SPDX-License-Identifier: Apache-2.0
#include "dispatch/built_in.h"

#include "dispatch/fallback.h"
#include "dispatch/multi_output_view.h"
#include "dispatch/transform.h"
#include "schema/schema.h"

namespace tenon::dispatch {

namespace {

bool may_hold_tensors(const schema::Type& type) {
  switch (type.kind) {
    case TENON_TYPE_TENSOR:
    case TENON_TYPE_ANY:
    case TENON_TYPE_VARIABLE:
    case TENON_TYPE_CLASS:
      return true;
    default:
      for (const schema::Type* element : type.elements) {
        if (may_hold_tensors(*element)) return true;
      }
      return false;
  }
}

int32_t concerns_factories(void*, const tenon_schema* schema) {
  if (schema->is_vararg()) return TENON_SELECT_FALLTHROUGH;
  for (const schema::Argument& argument : schema->arguments()) {
    if (may_hold_tensors(*argument.type)) return TENON_SELECT_FALLTHROUGH;
  }
  return TENON_SELECT_KERNEL;
}

int32_t concerns_writers(void*, const tenon_schema* schema) {
  const bool concerned = schema->is_mutable() || returns_multi_output_views(*schema);
  return concerned ? TENON_SELECT_KERNEL : TENON_SELECT_FALLTHROUGH;
}

Explanation explain_bump(const Arguments*) {
  return {
      "it increments the versions of written arguments and redispatches; it marks views that are "
      "returned as a list",
      false};
}

Explanation explain_select(const Arguments*) {
  return {"it redispatches to the backend of the first device argument, or to CPU if there is none",
          true};
}

// Defaults for keys whose layers are absent: the keys are skipped, unless they have work to do
// without any layer.
constexpr BuiltIn kBuiltIns[] = {
    {"skip_autocast", TENON_KEY_AUTOCAST, nullptr, nullptr, nullptr},
    {"bump_versions", TENON_KEY_AD_INPLACE_OR_VIEW, &bump_versions, &concerns_writers,
     &explain_bump},
    {"select_backend", TENON_KEY_BACKEND_SELECT, &select_backend, &concerns_factories,
     &explain_select},
    {"transform_front", TENON_KEY_TRANSFORM_FRONT, &transform_front, nullptr,
     &explain_transform_front},
    {"transform_back", TENON_KEY_TRANSFORM_BACK, &transform_back, nullptr, &explain_transform_back},
};

constinit Layers handed_in{{},
                           {},
                           {[](std::string_view) { return base::ErrorPtr(); },
                            [](const tenon_op&, tenon_key, base::ErrorPtr*) { return false; }}};

}  // namespace

std::span<const BuiltIn> built_ins() noexcept { return kBuiltIns; }

void set_layers(const Layers& layers) noexcept { handed_in = layers; }
const Layers& layers() noexcept { return handed_in; }

}  // namespace tenon::dispatch
