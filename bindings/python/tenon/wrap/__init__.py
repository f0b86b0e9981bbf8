# SPDX-License-Identifier: Apache-2.0
"""Typed wrappers of operators, written for each language from their schemas."""

from __future__ import annotations

import importlib

# Option of the command -> module with the emitter.
LANGUAGES = {"c": "c", "cpp": "cpp", "rust": "rust", "java": "java", "pyi": "pyi"}


def wrap(namespace: str, language: str, package: str = "") -> str:
    """Returns source code that wraps every operator of a namespace.

    Args:
        namespace: Such as "aten".
        language: One of LANGUAGES.
        package: The package of Java's class; other languages have none.

    Raises:
        NotFoundError: the namespace has no operators.
        InvalidArgumentError: a package for a language without.
    """
    # Builds have the emitters alone.
    from ..error import InvalidArgumentError
    from . import registry

    emitter = importlib.import_module(f".{LANGUAGES[language]}", __name__)
    space = registry.read(namespace)
    if language == "java":
        return emitter.emit(space, package)
    if package:
        raise InvalidArgumentError(f"wrap: package must be given for java only, got {language}")
    return emitter.emit(space)


__all__ = ["LANGUAGES", "wrap"]
