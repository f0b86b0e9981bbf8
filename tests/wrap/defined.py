# SPDX-License-Identifier: Apache-2.0
"""Defines the namespace `wrapped` in Python when it is imported."""

from namespace import define

library = define("wrapped")
