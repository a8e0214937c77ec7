"""What models are called where names become folders, and whose children they are."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator


def folder_name(name: str) -> str:
    """The last part of a hub id or path, with nothing in it that a folder's name may not hold."""
    return re.sub(r"[^\w.-]+", "_", name.rstrip("/").rpartition("/")[2]) or "model"


ModelName = Annotated[str, AfterValidator(folder_name)]


def family_of(name: str) -> str:
    """The letters that a model's name begins with: `qwen` of `Qwen2.5-7B-Instruct`, `gemma` of `gemma3_270m`.

    Empty where it begins with none. A model whose name tells another story is given a name that does not.
    """
    found = re.match(r"(?:meta[-_])?([a-z]+)", name.lower())
    return found[1] if found else ""
