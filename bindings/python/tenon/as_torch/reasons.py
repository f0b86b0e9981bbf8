# SPDX-License-Identifier: Apache-2.0
"""Reasons why Tenon lacks names: the first pattern that matches a name with its path decides."""

from __future__ import annotations

import re

_REASONS = (
    (r"nested|jagged", "Tenon has no nested tensors"),
    (
        r"sparse|to_dense|coalesce|\.(c|r)(col|row)_indices|crow|ccol|\.smm$|sspmm|hspmm|[._]nnz",
        "Tenon has no sparse tensors",
    ),
    (
        r"quanti[sz]|\.q_|dequant|\.ao\.|\.ao$|qint|quint|int_repr|\.Q[A-Z]|qscheme|per_channel"
        r"|per_tensor|fbgemm|choose_qparams|fused_moving_avg",
        "Tenon has no quantized tensors",
    ),
    (r"^torch\.distributed|SyncBatchNorm|DistributedDataParallel", "Tenon has no process groups"),
    (r"DataParallel|nn\.parallel", "Tenon does not split a module among devices"),
    (
        r"^torch\.(cuda|xpu|mps|mtia|hip|backends)|[._]cuda|cudnn|miopen|\.xpu|\.mtia|\.hpu|\.ipu"
        r"|\.mps"
        r"|\.npu|\.maia|\.vulkan|is_xla|Storage$|[._]hip",
        "Tenon has no such device or library",
    ),
    (r"mkldnn|xnnpack|nnpack|metal", "Tenon has no other CPU libraries' layouts"),
    (r"^torch\.onnx", "Tenon's graphs are exported by other means"),
    (
        r"^torch\.(jit|compiler|export|package|classes)|\.Script"
        r"|^torch\.(parse_|import_ir|merge_type|"
        r"[A-Z][A-Za-z]*Type$|Graph|Node|Block|Value|Code|FunctionSchema|Deep|Dict|List)",
        "Tenon has no TorchScript and no compiler",
    ),
    (r"named|rename|align_|refine_names|unflatten_dim|has_names", "Tenon has no named tensors"),
    (
        r"datapipes|DataPipe|functional_datapipe|dp_sharding|guaranteed_datapipes"
        r"|runtime_validation"
        r"|non_deterministic|argument_validation",
        "data pipes are not part of Tenon",
    ),
    (
        r"^torch\.(profiler|autograd\.profiler|monitor)|kineto|\bitt\b|emit_nvtx|nvtx",
        "Tenon's profiler is tenon.profiler",
    ),
    (r"^torch\.hub|model_zoo", "Tenon downloads no models"),
    (r"^torch\.fx", "Tenon's graphs have other passes"),
    (r"share_memory|is_shared|^torch\.multiprocessing|from_file", "Tenon shares no memory"),
    (
        r"float8|float4|\.bits|\.u?int[1-7]$|fnuz|e8m0",
        "Tenon lacks the dtype",
    ),
)


def reason_for(name: str) -> str:
    """Returns why Tenon lacks a name of PyTorch, given with its path."""
    for pattern, reason in _REASONS:
        if re.search(pattern, name):
            return reason
    return "Tenon lacks it"
