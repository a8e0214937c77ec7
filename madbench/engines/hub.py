"""Models on the hub: commits, configs and snapshots, from its cache where there is no network."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from pydantic import JsonValue

from madbench.engines.families import READ
from madbench.engines.gguf_files import cache_folder
from madbench.types import InputError

ANSWER_S = 15.0
"""How long the hub may take to say what a branch means; then its cache is asked."""
TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt")
"""Files of which a model has one at least, whatever the kind of its tokenizer."""


@lru_cache(maxsize=64)
def commit(id: str, revision: str) -> str:
    """The commit that a revision names; from the cache if offline. Raises InputError if neither knows it."""
    if re.fullmatch("[0-9a-f]{40}", revision):
        return revision
    from huggingface_hub import HfApi, constants

    if not constants.HF_HUB_OFFLINE:
        try:
            with _explained(id, revision):
                return str(HfApi().model_info(id, revision=revision, timeout=ANSWER_S).sha)
        except InputError:
            raise
        except Exception as error:
            logging.getLogger(__name__).info("the hub did not answer (%s); asking its cache", error)
    return _cached_commit(id, revision)


def config(id: str, revision: str) -> dict[str, JsonValue]:
    """A model's config.json."""
    from huggingface_hub import hf_hub_download

    with _explained(id, revision):
        path = hf_hub_download(id, "config.json", revision=commit(id, revision))
    read: dict[str, JsonValue] = json.loads(Path(path).read_text())
    return read


def snapshot(id: str, sha: str) -> Path:
    """The folder of one commit in the hub's cache; only files without pickles are fetched. What is there with all
    of its weights is noted in our own cache, and the hub is not asked for it again as long as all of it is there.
    """
    from huggingface_hub import snapshot_download

    note = _note(id, sha)
    if note.exists() and (folder := kept(id, sha)) and _whole(note, folder):
        return folder
    with _explained(id, sha):
        folder = Path(snapshot_download(id, revision=sha, allow_patterns=[f"*{suffix}" for suffix in READ]))
    if _has_weights(folder):  # without a network the hub's cache gives what it has
        files = (path for path in folder.rglob("*") if path.suffix in READ and path.is_file())
        _write(note, "\n".join([sha, *sorted(str(path.relative_to(folder)) for path in files)]))
    return folder


def _has_weights(folder: Path) -> bool:
    """Whether all files of weights are there; an index names them where there are several."""
    index, files = folder / "model.safetensors.index.json", {"model.safetensors"}
    if index.is_file():
        files = set(
            re.findall(r'"([^"]+\.safetensors)"', index.read_text(encoding="utf-8", errors="replace"))
        )
    return all((folder / file).is_file() for file in files)


def _whole(note: Path, folder: Path) -> bool:
    """Whether all files that were noted when a snapshot was fetched, and there were some, are in its folder."""
    files = note.read_text(encoding="utf-8").splitlines()[1:]
    return files != [] and all((folder / file).is_file() for file in files)


def pin(id: str, revision: str, sha: str) -> None:
    """Remember which commit a revision meant when it was fetched: the hub's own cache does not."""
    if revision != sha:
        _write(_note(id, revision), sha)


def _note(id: str, revision: str) -> Path:
    return cache_folder() / "fetched" / f"{id}@{revision}".replace("/", "--")


def _write(note: Path, text: str) -> None:
    with suppress(OSError):  # into a cache that may only be read nothing is noted
        note.parent.mkdir(parents=True, exist_ok=True)
        beside = note.with_name(f".{note.name}.{os.getpid()}")
        beside.write_text(text, encoding="utf-8")
        beside.replace(note)


def kept(id: str, sha: str) -> Path | None:
    """The folder of one commit in the hub's cache if a tokenizer is in it; asks nobody."""
    from huggingface_hub import errors, snapshot_download

    try:
        folder = Path(snapshot_download(id, revision=sha, local_files_only=True))
    except errors.LocalEntryNotFoundError:
        return None
    return folder if any((folder / file).is_file() for file in TOKENIZERS) else None


def _cached_commit(id: str, revision: str) -> str:
    from huggingface_hub import try_to_load_from_cache

    if (pinned := _note(id, revision)).exists():
        return pinned.read_text(encoding="utf-8")
    path = try_to_load_from_cache(id, "config.json", revision=revision)
    if not isinstance(path, str):
        raise InputError(
            f"model {id}@{revision}: the hub cannot be reached and the cache does not hold it; fetch it where "
            "there is a network (python -m madbench prefetch), or use model=folder or the default smollm2_135m"
        )
    return Path(path).parent.name


@contextmanager
def _explained(id: str, revision: str) -> Iterator[None]:
    """The hub's own errors as InputErrors that say what to do."""
    from huggingface_hub import errors

    try:
        yield
    except errors.GatedRepoError as error:
        raise InputError(
            f"model {id}: access is gated; accept its terms on the hub, then `hf auth login`"
        ) from error
    except errors.RepositoryNotFoundError as error:
        raise InputError(f"model {id}: the hub has no such model, or it is private") from error
    except errors.RevisionNotFoundError as error:
        raise InputError(f"model {id}: the hub has it, but no revision {revision!r}") from error
    except errors.LocalEntryNotFoundError as error:
        raise InputError(
            f"model {id}@{revision}: not in the cache, and the hub cannot be reached; fetch it where there is a "
            "network (python -m madbench prefetch)"
        ) from error
    except errors.EntryNotFoundError as error:
        raise InputError(
            f"model {id}@{revision}: it has no config.json; GGUF repositories: model=gguf"
        ) from error
    except errors.HFValidationError as error:
        raise InputError(f"model {id!r}: not a hub id (owner/name): {error}") from error
