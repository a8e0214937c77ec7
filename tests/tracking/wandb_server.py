"""As much of a W&B server as one run needs, on loopback: it says yes to everything and notes what it is told.

Faults are functions of a request's handler that answer it themselves, wrongly, and say so by returning True.
"""

from __future__ import annotations

import gzip
import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

NUMBERS = count()


def upsert_bucket(said, _):
    project = {
        "id": "UA==",
        "name": said.get("project"),
        "entity": {"id": "RQ==", "name": said.get("entity") or "us"},
    }
    bucket = {"id": "Ug==", "name": said.get("name"), "displayName": said.get("displayName"), "config": None}
    return {
        "upsertBucket": {"inserted": True, "bucket": bucket | {"historyLineCount": 0, "project": project}}
    }


def create_run_files(said, base):
    files = [{"name": name, "uploadUrl": f"{base}/upload/{name}"} for name in said.get("files", [])]
    return {"createRunFiles": {"runID": "Ug==", "uploadHeaders": [], "files": files}}


def create_artifact(said, base):
    artifact = {"id": f"A{next(NUMBERS)}", "state": "PENDING", "artifactSequence": {"latestArtifact": None}}
    return {"createArtifact": {"artifact": artifact}}


def create_artifact_manifest(said, base):
    file = {"id": f"F{next(NUMBERS)}", "uploadUrl": f"{base}/manifest", "uploadHeaders": []}
    return {"createArtifactManifest": {"artifactManifest": {"id": f"M{next(NUMBERS)}", "file": file}}}


def update_artifact_manifest(said, base):
    file = {"id": f"F{next(NUMBERS)}", "uploadUrl": f"{base}/manifest", "uploadHeaders": []}
    manifest = {"id": said.get("artifactManifestID"), "file": file}
    return {"updateArtifactManifest": {"artifactManifest": manifest}}


def create_artifact_files(said, base):
    nodes = [
        {
            "storagePath": f"stored/{file['name']}",
            "uploadUrl": f"{base}/artifact/{file['name']}",
            "uploadHeaders": [],
            "uploadMultipartUrls": None,
            "artifact": {"id": file["artifactID"]},
        }
        for file in said["input"]["artifactFiles"]
    ]
    return {"createArtifactFiles": {"files": {"edges": [{"node": node} for node in nodes]}}}


def commit_artifact(said, _):
    return {"commitArtifact": {"artifact": {"id": said["artifactID"], "digest": "d"}}}


def viewer(said, _):
    return {"viewer": {"id": "VQ==", "entity": "us", "username": "us", "flags": "{}", "teams": {"edges": []}}}


ANSWERS = {
    "Viewer": viewer,
    "UpsertBucket": upsert_bucket,
    "CreateRunFiles": create_run_files,
    "CreateArtifact": create_artifact,
    "CreateArtifactManifest": create_artifact_manifest,
    "CommitArtifact": commit_artifact,
    "ArtifactType": lambda said, _: {"project": None},
    "CreateArtifactFiles": create_artifact_files,
    "UpdateArtifactManifest": update_artifact_manifest,
    "ClientIDMapping": lambda said, _: {"clientIDMapping": {"serverID": "A0"}},
    "ServerFeaturesQuery": lambda said, _: {"serverInfo": {"features": []}},
}


def failing(status):
    """Every request is refused with this status."""

    def fault(handler):
        handler.body()
        handler.answer({"error": "not now"}, status)
        return True

    return fault


def silent_at_the_end(handler):
    """Runs may begin; what they then log is never taken."""
    if "/file_stream" not in handler.path:
        return False
    handler.server.over.wait()
    return True


def cutting(handler):
    """Runs may begin; then every connection is cut in the middle of the answer."""
    if "/file_stream" not in handler.path:
        return False
    handler.body()
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{")
    handler.close_connection = True
    return True


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, content, status=200):
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def body(self) -> bytes:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(data) if self.headers.get("Content-Encoding") == "gzip" else data

    def do_GET(self):
        if not self.server.fault(self):
            self.answer({})

    def do_PUT(self):
        if not self.server.fault(self):
            self.server.uploads[self.path.rpartition("/")[2]] = self.body()
            self.answer({})

    def do_POST(self):
        if self.server.fault(self):
            return None
        body = self.body()
        if self.path != "/graphql":
            if "/file_stream" in self.path:
                self.server.streams.append((self.path, json.loads(body)))
            return self.answer({"exitcode": None, "limits": {}})
        asked = json.loads(body)
        said = asked.get("variables") or {}
        name = re.search(r"(?:query|mutation)\s+(\w+)", asked["query"]).group(1)
        self.server.asked.append((name, said))
        base = self.server.url
        return self.answer({"data": ANSWERS.get(name, lambda *_: {})(said, base)})

    def log_message(self, *words):
        return


class Server(ThreadingHTTPServer):
    """`asked`: every operation with its variables; `uploads`: every file by its name; `streams`: every path and
    body of what runs log.
    """

    daemon_threads = True

    def __init__(self, fault=lambda handler: False):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked, self.uploads, self.streams = [], {}, []
        self.fault, self.over = fault, threading.Event()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        return

    def logged(self, file):
        """The lines of a file of a run's (`wandb-history.jsonl`), by the run's id."""
        found = {}
        for path, body in self.streams:
            for line in (body.get("files") or {}).get(file, {}).get("content", []):
                found.setdefault(path.split("/")[-2], []).append(json.loads(line))
        return found


@contextmanager
def serving(fault=lambda handler: False):
    with Server(fault) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
