"""As much of a W&B server as one run needs, on loopback: it says yes to everything and notes what it is told."""

from __future__ import annotations

import gzip
import json
import re
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
    "CreateArtifactFiles": create_artifact_files,
    "CommitArtifact": commit_artifact,
    "ArtifactType": lambda said, _: {"project": None},
    "ServerFeaturesQuery": lambda said, _: {"serverInfo": {"features": []}},
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, content):
        data = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def body(self) -> bytes:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(data) if self.headers.get("Content-Encoding") == "gzip" else data

    def do_GET(self):
        self.answer({})

    def do_PUT(self):
        self.server.uploads[self.path.rpartition("/")[2]] = self.body()
        self.answer({})

    def do_POST(self):
        body = self.body()
        if self.path != "/graphql":
            return self.answer({"exitcode": None, "limits": {}})
        asked = json.loads(body)
        said = asked.get("variables") or {}
        name = re.search(r"(?:query|mutation)\s+(\w+)", asked["query"]).group(1)
        self.server.asked.append((name, said))
        base = f"http://127.0.0.1:{self.server.server_port}"
        return self.answer({"data": ANSWERS.get(name, lambda *_: {})(said, base)})

    def log_message(self, *words):
        return


class Server(ThreadingHTTPServer):
    """`asked`: every operation with its variables; `uploads`: every file by its name."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked, self.uploads = [], {}

    def handle_error(self, request, client_address):
        return
