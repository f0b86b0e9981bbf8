# SPDX-License-Identifier: Apache-2.0
"""Typed wrappers of operators, written for each language from their schemas."""

from __future__ import annotations

import importlib

from . import operator

# Option of the command -> module with the emitter.
LANGUAGES = {"c": "c", "cpp": "cpp", "rust": "rust", "pyi": "pyi"}


def wrap(namespace: str, language: str) -> str:
    """Returns source code that wraps every operator of a namespace.

    Args:
        namespace: Such as "aten".
        language: One of LANGUAGES.

    Raises:
        NotFoundError: the namespace has no operators.
    """
    emitter = importlib.import_module(f".{LANGUAGES[language]}", __name__)
    return emitter.emit(operator.read(namespace))


__all__ = ["LANGUAGES", "wrap"]
