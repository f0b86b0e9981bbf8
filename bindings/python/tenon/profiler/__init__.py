# SPDX-License-Identifier: Apache-2.0
"""Profiles of programs with PyTorch's interface; `tenon.introspect.profile` shows each dispatch."""

from __future__ import annotations

from . import profiler
from .profiler import (
    ProfilerAction,
    ProfilerActivity,
    profile,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)
from .record import record_function


def kineto_available() -> bool:
    """Returns false: profiles are collected by Tenon itself."""
    return False


__all__ = [
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "profile",
    "profiler",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]
