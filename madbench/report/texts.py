"""The texts of a page, each kept once."""

from __future__ import annotations

from dataclasses import dataclass, field

from madbench.report.cells import plain

KEPT = "\n\t"


@dataclass
class Texts:
    """Every text once: prompts repeat from turn to turn and from arm to arm."""

    places: dict[str, int] = field(default_factory=dict)
    size: int = 0

    def put(self, text: str) -> int:
        if text not in self.places:
            self.places[text] = len(self.places)
            self.size += len(text)
        return self.places[text]

    @property
    def all(self) -> list[str]:
        """The texts in the order of their places, hidden characters spelled out."""
        return [plain(text, keep=KEPT) for text in self.places]
