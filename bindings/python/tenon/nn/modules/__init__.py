# SPDX-License-Identifier: Apache-2.0
"""The modules, a file for each kind."""

from __future__ import annotations

from . import (
    activation,
    container,
    dropout,
    flatten,
    hooks,
    linear,
    loss,
    module,
    normalization,
    state_dict,
)
from .activation import GELU, LeakyReLU, LogSoftmax, ReLU, Sigmoid, SiLU, Softmax, Tanh
from .container import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from .dropout import Dropout
from .flatten import Flatten
from .linear import Identity, Linear
from .loss import CrossEntropyLoss, HuberLoss, L1Loss, MSELoss, NLLLoss, SmoothL1Loss
from .module import Module
from .normalization import GroupNorm, LayerNorm, RMSNorm

__all__ = [
    "GELU",
    "CrossEntropyLoss",
    "Dropout",
    "Flatten",
    "GroupNorm",
    "HuberLoss",
    "Identity",
    "L1Loss",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "MSELoss",
    "Module",
    "ModuleDict",
    "ModuleList",
    "NLLLoss",
    "ParameterDict",
    "ParameterList",
    "RMSNorm",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "Softmax",
    "Tanh",
    "activation",
    "container",
    "dropout",
    "flatten",
    "hooks",
    "linear",
    "loss",
    "module",
    "normalization",
    "state_dict",
]
