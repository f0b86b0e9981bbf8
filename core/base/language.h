// SPDX-License-Identifier: Apache-2.0
// Languages by number: those with fixed numbers, and those registered by name.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "tenon/language.h"

namespace tenon::base {

/// Maximum number of languages, and the number of fixed ones.
constexpr uint32_t kMaxLanguages = 32;
constexpr uint32_t kFixedLanguages = 6;

/// Returns "Python" and so on, "" for TENON_LANGUAGE_NONE, NULL for an unknown number. Static text.
const char* language_name(uint32_t language) noexcept;

/// Returns true if errors, kernels, objects and cells may carry the number. TENON_LANGUAGE_NONE is
/// valid.
inline bool is_language(uint32_t language) noexcept { return language_name(language) != nullptr; }

/// Returns the number of a name, and assigns one if it has none. Throws
/// TENON_ERROR_INVALID_ARGUMENT for "", TENON_ERROR_STATE if no number is left.
uint32_t register_language(std::string_view name);

/// Returns the number of a name, TENON_LANGUAGE_NONE if it has none.
uint32_t find_language(std::string_view name) noexcept;

/// See tenon_language_set_frames.
void set_frames(uint32_t language, tenon_frames_fn frames, void* ctx);

/// Returns a new error, which is not raised, with the calling thread's current frames in all
/// languages that have a frames function. If `most` is not 0, each language adds at most `most`
/// frames, all of user code.
ErrorPtr capture_frames(std::string_view message, int32_t most = 0);

}  // namespace tenon::base
