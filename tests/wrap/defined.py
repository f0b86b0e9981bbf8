# SPDX-License-Identifier: Apache-2.0
"""Imported, this defines the namespace `wrapped` in Python."""

from namespace import define

library = define("wrapped")
