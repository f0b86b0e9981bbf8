# SPDX-License-Identifier: Apache-2.0
"""Image quality measures of pytorch-msssim and piq."""

import piq
import torch
from pytorch_msssim import MS_SSIM, ssim
from report import part

torch.manual_seed(3)
x = torch.rand(2, 3, 96, 96)
y = (x * 0.9 + torch.rand(2, 3, 96, 96) * 0.1).clamp(0, 1)
CASES = {
    "msssim_ssim": lambda: ssim(x, y, data_range=1.0),
    "msssim_ms": lambda: MS_SSIM(data_range=1.0, win_size=3)(x, y),
    "ssim": lambda: piq.ssim(x, y),
    "psnr": lambda: piq.psnr(x, y),
    "tv": lambda: piq.total_variation(x),
    "ms_ssim": lambda: piq.multi_scale_ssim(x, y, kernel_size=5),
    "vif": lambda: piq.vif_p(x, y),
    "fsim": lambda: piq.fsim(x, y),
    "gmsd": lambda: piq.gmsd(x, y),
    "ms_gmsd": lambda: piq.multi_scale_gmsd(x, y),
    "vsi": lambda: piq.vsi(x, y),
    "mdsi": lambda: piq.mdsi(x, y),
    "haarpsi": lambda: piq.haarpsi(x, y),
    "dss": lambda: piq.dss(x, y),
    "srsim": lambda: piq.srsim(torch.rand(1, 3, 161, 161), torch.rand(1, 3, 161, 161)),
    "fid": lambda: piq.FID()(torch.rand(20, 6), torch.rand(20, 6)),
    "kid": lambda: piq.KID(n_subsets=2, subset_size=10)(torch.rand(20, 6), torch.rand(20, 6)),
    "information": lambda: piq.information_weighted_ssim(
        *torch.rand(2, 1, 3, 161, 161, dtype=torch.float64), data_range=1.0
    ),
}
for name, case in CASES.items():
    case.__name__ = name
    part(case)


@part
def gradient():
    z = y.clone().requires_grad_()
    (1 - ssim(z, x, data_range=1.0)).backward()
    return z.grad
