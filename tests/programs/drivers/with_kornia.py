# SPDX-License-Identifier: Apache-2.0
"""Colour, filters, geometry, morphology and losses of kornia."""

import kornia
import torch
from report import part

K = kornia
torch.manual_seed(2)
x = torch.rand(1, 3, 12, 12)
gray = x[:, :1]
points = torch.rand(1, 6, 2)
square = torch.tensor([[[1.0, 0.1, 0.5], [0.0, 0.9, 0.2]]])
CASES = {
    "gray": lambda: K.color.rgb_to_grayscale(x),
    "hsv": lambda: K.color.rgb_to_hsv(x),
    "hls": lambda: K.color.rgb_to_hls(x),
    "lab": lambda: K.color.rgb_to_lab(x),
    "luv": lambda: K.color.rgb_to_luv(x),
    "ycbcr": lambda: K.color.rgb_to_ycbcr(x),
    "yuv": lambda: K.color.rgb_to_yuv(x),
    "xyz": lambda: K.color.rgb_to_xyz(x),
    "sepia": lambda: K.color.sepia(x),
    "hsv_back": lambda: K.color.hsv_to_rgb(x),
    "gaussian": lambda: K.filters.gaussian_blur2d(x, (3, 3), (1.5, 1.5)),
    "box": lambda: K.filters.box_blur(x, (3, 3)),
    "sobel": lambda: K.filters.sobel(x),
    "median": lambda: K.filters.median_blur(x, (3, 3)),
    "laplacian": lambda: K.filters.laplacian(x, 3),
    "canny": lambda: K.filters.canny(x),
    "gradient": lambda: K.filters.spatial_gradient(x),
    "unsharp": lambda: K.filters.unsharp_mask(x, (3, 3), (1.0, 1.0)),
    "bilateral": lambda: K.filters.bilateral_blur(x, (3, 3), 0.1, (1.5, 1.5)),
    "motion": lambda: K.filters.motion_blur(x, 3, 45.0, 1.0),
    "guided": lambda: K.filters.guided_blur(x, x, 3, 0.1),
    "rotate": lambda: K.geometry.rotate(x, torch.tensor([30.0])),
    "scale": lambda: K.geometry.scale(x, torch.tensor([[1.5, 1.5]])),
    "resize": lambda: K.geometry.resize(x, (7, 9)),
    "hflip": lambda: K.geometry.hflip(x),
    "shear": lambda: K.geometry.shear(x, torch.tensor([[0.3, 0.1]])),
    "affine": lambda: K.geometry.warp_affine(x, square, (12, 12)),
    "perspective": lambda: K.geometry.warp_perspective(x, torch.eye(3)[None] * 1.0, (9, 9)),
    "elastic": lambda: K.geometry.elastic_transform2d(x, torch.rand(1, 2, 12, 12)),
    "pyramid": lambda: K.geometry.build_pyramid(x, 2),
    "crop": lambda: K.geometry.center_crop(x, (6, 6)),
    "quaternion": lambda: K.geometry.conversions.axis_angle_to_quaternion(torch.rand(3, 3)),
    "rotation": lambda: K.geometry.axis_angle_to_rotation_matrix(torch.rand(3, 3)),
    "homography": lambda: K.geometry.find_homography_dlt(
        points.double(), (points * 2 + 0.1).double()
    ),
    "homogeneous": lambda: K.geometry.convert_points_to_homogeneous(points),
    "equalize": lambda: K.enhance.equalize(x),
    "gamma": lambda: K.enhance.adjust_gamma(x, 1.4),
    "contrast": lambda: K.enhance.adjust_contrast(x, 0.6),
    "hue": lambda: K.enhance.adjust_hue(x, 0.4),
    "invert": lambda: K.enhance.invert(x),
    "posterize": lambda: K.enhance.posterize(x, 3),
    "sharpness": lambda: K.enhance.sharpness(x, 0.5),
    "solarize": lambda: K.enhance.solarize(x, 0.3),
    "histogram": lambda: K.enhance.histogram(
        gray.reshape(1, -1), torch.linspace(0, 1, 5), torch.tensor(0.1)
    ),
    "clahe": lambda: K.enhance.equalize_clahe(torch.rand(1, 1, 16, 16), grid_size=(2, 2)),
    "zca": lambda: K.enhance.zca_whiten(torch.rand(6, 3)),
    "normalize": lambda: K.enhance.normalize_min_max(x),
    "dilate": lambda: K.morphology.dilation(x, torch.ones(3, 3)),
    "erode": lambda: K.morphology.erosion(x, torch.ones(3, 3)),
    "opening": lambda: K.morphology.opening(x, torch.ones(3, 3)),
    "tophat": lambda: K.morphology.top_hat(x, torch.ones(3, 3)),
    "ssim": lambda: K.losses.ssim_loss(x, x * 0.9, 5),
    "psnr": lambda: K.losses.psnr_loss(x, x * 0.9, 1.0),
    "tv": lambda: K.losses.total_variation(x),
    "dice": lambda: K.losses.dice_loss(x, torch.zeros(1, 12, 12, dtype=torch.int64)),
    "focal": lambda: K.losses.focal_loss(
        x, torch.ones(1, 12, 12, dtype=torch.int64), 0.5, 2.0, "mean"
    ),
    "lovasz": lambda: K.losses.lovasz_softmax_loss(x, torch.ones(1, 12, 12, dtype=torch.int64)),
    "js": lambda: K.losses.js_div_loss_2d(x.softmax(-1), (x * 2).softmax(-1)),
    "harris": lambda: K.feature.harris_response(gray, 0.04),
    "gftt": lambda: K.feature.gftt_response(gray),
    "hessian": lambda: K.feature.hessian_response(gray),
    "sift": lambda: K.feature.SIFTDescriptor(12, 8, 4)(gray),
    "metrics": lambda: K.metrics.mean_iou(torch.tensor([[0, 1, 1]]), torch.tensor([[0, 1, 0]]), 2),
    "heatmap": lambda: K.geometry.subpix.spatial_soft_argmax2d(gray),
    "augment": lambda: K.augmentation.RandomHorizontalFlip(p=0.5)(x),
    "jitter": lambda: K.augmentation.ColorJitter(0.1, 0.1, 0.1, 0.1, p=1.0)(x),
    "affine_random": lambda: K.augmentation.RandomAffine(15.0, p=1.0)(x),
    "erase": lambda: K.augmentation.RandomErasing(p=1.0)(x),
}
for name, case in CASES.items():
    case.__name__ = name
    part(case)
