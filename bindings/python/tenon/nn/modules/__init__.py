# SPDX-License-Identifier: Apache-2.0
"""The modules, a file for each kind."""

from __future__ import annotations

from . import activation, container, dropout, flatten, hooks, linear, loss, module, state_dict
from .activation import LeakyReLU, LogSoftmax, ReLU, Sigmoid, SiLU, Softmax, Tanh
from .container import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from .dropout import Dropout
from .flatten import Flatten
from .linear import Identity, Linear
from .loss import L1Loss, MSELoss
from .module import Module

__all__ = [
    "Dropout",
    "Flatten",
    "Identity",
    "L1Loss",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "MSELoss",
    "Module",
    "ModuleDict",
    "ModuleList",
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
    "state_dict",
]
