"""What models are called where names become folders."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator


def folder_name(name: str) -> str:
    """The last part of a hub id or path, with nothing in it that a folder's name may not hold."""
    return re.sub(r"[^\w.-]+", "_", name.rstrip("/").rpartition("/")[2]) or "model"


ModelName = Annotated[str, AfterValidator(folder_name)]
