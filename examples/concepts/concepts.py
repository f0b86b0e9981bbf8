# SPDX-License-Identifier: Apache-2.0
"""The code of docs/concepts.md, run as a test. The page quotes each part."""

# [quote.begin define]
import tenon
from tenon.library import DispatchKeySet, ExcludeDispatchKeyGuard, IncludeDispatchKeyGuard, Library

library = Library("shop", "DEF")
library.define("scale(Tensor x, float by=2.0) -> Tensor")


@library.impl("scale", dispatch_key="CPU")
def scale_on_cpu(x, by=2.0):
    return tenon.tensor([v * by for v in x.tolist()])


@library.impl("scale", dispatch_key="Meta")
def scale_without_data(x, by=2.0):
    return tenon.empty_like(x)


x = tenon.tensor([1.0, 2.0])
print(tenon.ops.shop.scale(x))  # tensor([2., 4.])
print(tenon.ops.shop.scale(x, by=3.0))  # tensor([3., 6.])
# [quote.end]

# [quote.begin keys]
keys = DispatchKeySet("CPU", "AutogradCPU")
print(keys)  # DispatchKeySet({AutogradCPU, CPU})
print(keys.highest())  # AutogradCPU
print(keys.below("AutogradCPU").highest())  # CPU
# [quote.end]

# [quote.begin explain]
print(tenon.introspect.explain("shop::scale", x))
# Among other lines:
#   x has {AutocastCPU, ADInplaceOrView, CPU}
#   skipped: ADInplaceOrView, BackendSelect, which fall through
#   the call has {CPU}
#   nothing is below CPU: its kernel ends the call
# [quote.end]

# [quote.begin redispatch]
calls = []


@library.impl("scale", dispatch_key="Tracer", with_keyset=True)
def note_and_go_on(keys, x, by=2.0):
    calls.append(f"scale by {by}")
    return tenon.ops.shop.scale.default.redispatch(keys.below("Tracer"), x, by)


with IncludeDispatchKeyGuard("Tracer"):
    print(tenon.ops.shop.scale(x))  # tensor([2., 4.])
print(calls)  # ['scale by 2.0']
# [quote.end]

# [quote.begin alias]
library.define("twice(Tensor x) -> Tensor")


@library.impl("twice", dispatch_key="CompositeImplicitAutograd")
def twice(x):
    return tenon.ops.shop.scale(x, by=2.0)


print(tenon.ops.shop.twice(x))  # tensor([2., 4.])
print(tenon.ops.shop.twice(tenon.empty(2, device="meta")).shape)  # tenon.Size([2])
# [quote.end]

# [quote.begin fallback]
everything = Library("_", "IMPL")
seen = []


def count(op, *args, **kwargs):
    seen.append(op.name())
    with ExcludeDispatchKeyGuard("Tracer"):
        return op(*args, **kwargs)


everything.fallback(count, "Tracer")
with IncludeDispatchKeyGuard("Tracer"):
    x + x
print(seen)  # ['aten::add.Tensor']
# [quote.end]

# [quote.begin fallthrough]
with Library("aten", "IMPL") as quiet:
    quiet.impl("add.Tensor", tenon.library.fallthrough_kernel, "Tracer")
    with IncludeDispatchKeyGuard("Tracer"):
        x + x
print(seen)  # ['aten::add.Tensor']
# [quote.end]

assert calls == ["scale by 2.0"], calls
assert seen == ["aten::add.Tensor"], seen
