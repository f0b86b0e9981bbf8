# SPDX-License-Identifier: Apache-2.0
"""Profiles: tables, schedules and traces."""

import torch
import os
import json
import tempfile
from torch.profiler import (
    profile,
    record_function,
    ProfilerActivity,
    schedule,
    tensorboard_trace_handler,
)

d = tempfile.mkdtemp()
with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
    with record_function("model"):
        x = torch.ones(8, 8)
        y = (x @ x).relu().sum()
avg = prof.key_averages()
print(
    sorted((e.key for e in avg if e.key in ("model", "aten::matmul", "aten::relu", "aten::sum"))),
    [e.count for e in avg if e.key == "model"],
)
t = avg.table(sort_by="cpu_time_total", row_limit=3)
print(t.splitlines()[0][:4], t.splitlines()[1].split(), "Self CPU time total" in t)
prof.export_chrome_trace(d + "/t.json")
j = json.load(open(d + "/t.json"))
print(any((e.get("name") == "model" for e in j["traceEvents"])))
log = []
s = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
print([s(i).name for i in range(12)])
with profile(schedule=s, on_trace_ready=lambda p: log.append(p.step_num)) as p:
    for i in range(10):
        torch.ones(2) + 1
        p.step()
print(log)
with profile(
    schedule=schedule(wait=0, warmup=0, active=1, repeat=1),
    on_trace_ready=tensorboard_trace_handler(d + "/tb"),
) as p:
    for i in range(3):
        torch.ones(2) + 1
        p.step()
print(
    [f.endswith(".pt.trace.json") for f in os.listdir(d + "/tb")],
    any((e.key.startswith("ProfilerStep") for e in p.key_averages())),
)
with torch.autograd.profiler.profile() as q:
    with torch.autograd.profiler.record_function("part"):
        torch.ones(3) * 2
print("part" in q.key_averages().table(), q.self_cpu_time_total > 0)


@record_function("deco")
def f():
    return torch.ones(2)


with profile() as p:
    f()
    f()
print(
    [e.count for e in p.key_averages() if e.key == "deco"],
    any((e.cpu_parent is not None and e.cpu_parent.name == "deco" for e in p.events())),
)
