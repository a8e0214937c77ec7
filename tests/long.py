"""Tests of minutes that CI leaves out."""

import os

import pytest

LONG = pytest.mark.skipif(
    not os.environ.get("MADBENCH_LONG"), reason="takes minutes: MADBENCH_LONG=1 runs it"
)
