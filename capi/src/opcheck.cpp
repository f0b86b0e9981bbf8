// SPDX-License-Identifier: Apache-2.0
// Operator checks over core/opcheck; see tenon/opcheck.h.
#include "tenon/opcheck.h"

#include "base/check.h"
#include "guard.h"
#include "not_null.h"
#include "opcheck/opcheck.h"
#include "value/buffer.h"

namespace opcheck = tenon::opcheck;
using tenon::capi::guarded;

namespace {

std::string run_check(const tenon_op& op, uint32_t check, opcheck::Arguments args,
                      const opcheck::Closeness& closeness) {
  switch (check) {
    case TENON_OPCHECK_SCHEMA:
      return opcheck::check_schema(op, args);
    case TENON_OPCHECK_AUTOGRAD_REGISTRATION:
      return opcheck::check_autograd_registration(op, args);
    case TENON_OPCHECK_FAKE:
      return opcheck::check_fake(op, args);
    case TENON_OPCHECK_TRACE:
      return opcheck::check_trace(op, args, closeness);
    default:
      tenon::fail(TENON_ERROR_INVALID_ARGUMENT,
                  "tenon_opcheck: check must be a TENON_OPCHECK_* number, got ", check);
  }
}

}  // namespace

extern "C" {

tenon_status tenon_opcheck(const tenon_op* op, uint32_t check, const tenon_value* args,
                           int64_t nargs, double rtol, double atol, tenon_buffer** out_report) {
  TENON_REQUIRE(out_report);
  *out_report = nullptr;
  return guarded([&] {
    TENON_CHECK_ARG(op != nullptr, "tenon_opcheck: op must be given, got NULL");
    TENON_CHECK_ARG(nargs >= 0 && nargs <= UINT16_MAX && (args != nullptr || nargs == 0),
                    "tenon_opcheck: args must be given, got ", nargs,
                    args == nullptr ? " at NULL" : "");
    const std::string report =
        run_check(*op, check, {args, static_cast<size_t>(nargs)}, {rtol, atol});
    if (!report.empty()) *out_report = tenon::value::text_buffer(report).detach();
  });
}

}  // extern "C"
