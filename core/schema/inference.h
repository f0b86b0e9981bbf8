// SPDX-License-Identifier: Apache-2.0
// Lowered signatures of typed kernels, and checks of kernels against their operators' schemas.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schema/schema.h"

namespace tenon::schema {

/// Returns the letters of tenon/kernel.h for a schema, such as "TTv>T". Empty if the schema has no
/// typed form because it ends in `...`.
std::string signature_codes(const Schema& schema);

/// Returns the FNV-1a hash of the letters, never 0.
uint64_t signature_hash(std::string_view codes);

/// Returns a schema text with these letters, such as "(Tensor _0, float _1) -> Tensor"; `v` becomes
/// Any. Throws TENON_ERROR_INVALID_ARGUMENT for an unknown letter or a missing `>`.
std::string schema_text_from_codes(std::string_view codes);

/// Returns a one-line reason why a kernel with schema `kernel` cannot serve an operator with schema
/// `declared`, nullopt if it can. Compares only the number and the lowered types of arguments and
/// returns, not names, defaults, annotations or list sizes.
std::optional<std::string> find_mismatch(const Schema& kernel, const Schema& declared);

}  // namespace tenon::schema
