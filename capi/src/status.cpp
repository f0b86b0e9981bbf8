// SPDX-License-Identifier: Apache-2.0
// Names of status codes; see tenon/status.h.
#include "tenon/status.h"

#include "base/error.h"

extern "C" {

const char* tenon_status_name(tenon_status status) { return tenon::base::status_name(status); }

const char* tenon_status_kind(tenon_status status) { return tenon::base::status_kind(status); }

}  // extern "C"
