# SPDX-License-Identifier: Apache-2.0
"""A lens whose surface is found by ray tracing, differentiated by its two parameters.

Light travels through glass along the axis and leaves it at a conic surface. Exactly one conic
focuses every ray in the same point: the hyperbola with conic constant -n^2, of curvature 1 / ((n -
1) f) (Born and Wolf, Principles of Optics, 4.2.3).
"""

import tenon
from tenon.func import jacfwd, vmap

INDEX = 1.5  # refractive index of the glass
FOCUS = 2.0  # where the rays should meet, measured from the vertex
HEIGHTS = tenon.arange(-6, 7, dtype=tenon.float64) * 0.1
EXACT = (1 / ((INDEX - 1) * FOCUS), -(INDEX**2))


def ray(surface, height):
    """Traces one ray; returns where it leaves the glass, and where it crosses the focal plane."""
    curvature, conic = surface[0], surface[1]
    root = (1 - (1 + conic) * (curvature * height) ** 2).sqrt()
    sag = curvature * height**2 / (1 + root)
    slope = curvature * height / root
    # Snell's law by vectors: the normal is (1, slope) / sqrt(1 + slope^2), the ray (1, 0).
    cos_in = 1 / (1 + slope**2).sqrt()
    cos_out = (1 - INDEX**2 * (1 - cos_in**2)).sqrt()
    along = INDEX + (cos_out - INDEX * cos_in) * cos_in
    across = (cos_out - INDEX * cos_in) * cos_in * slope
    return sag, height + across / along * (FOCUS + sag)


def misses(surface):
    """Returns the distance of each ray from the focus in the focal plane."""
    return vmap(ray, in_dims=(None, 0))(surface, HEIGHTS)[1]


def fit(surface, steps=12):
    """Runs Gauss-Newton; returns the surfaces of all steps."""
    found = [surface]
    for _ in range(steps):
        miss, jacobian = misses(surface), jacfwd(misses)(surface)
        normal, right = jacobian.t().matmul(jacobian), jacobian.t().matmul(miss)
        (a, b), (_, d) = normal.tolist()
        p, q = right.tolist()
        determinant = a * d - b * b
        step = [(d * p - b * q) / determinant, (a * q - b * p) / determinant]
        surface = surface - tenon.tensor(step, dtype=tenon.float64)
        found.append(surface)
    return found
