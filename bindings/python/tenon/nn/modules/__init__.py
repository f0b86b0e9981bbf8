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
from .activation import LeakyReLU, LogSoftmax, ReLU, Sigmoid, SiLU, Softmax, Tanh
from .container import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from .dropout import Dropout
from .flatten import Flatten
from .linear import Identity, Linear
from .loss import CrossEntropyLoss, L1Loss, MSELoss, NLLLoss
from .module import Module
from .normalization import LayerNorm

__all__ = [
    "CrossEntropyLoss",
    "Dropout",
    "Flatten",
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
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
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
