"""As much of a model hub as it takes to fetch one model: revisions, lists of files, files; on loopback."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SHA = "0123456789abcdef0123456789abcdef01234567"
INFO = re.compile(r"/api/models/([^/]+/[^/]+)/(revision|tree)/([^/?]+)")
FILE = re.compile(r"/([^/]+/[^/]+)/resolve/([^/]+)/([^?]+)")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        self.server.asked.append((self.command, self.path))
        if (match := INFO.match(self.path)) and match[1] == self.server.id and match[3] in ("main", SHA):
            return self.send(json.dumps(self.told(match[2])).encode(), {"Content-Type": "application/json"})
        if (match := FILE.match(self.path)) and match[1] == self.server.id and match[2] == SHA:
            file = self.server.folder / match[3]
            if file.is_file():
                data = file.read_bytes()
                tag = f'"{hashlib.sha256(data).hexdigest()}"'
                return self.send(data, {"ETag": tag, "X-Repo-Commit": SHA})
            return self.send(b"", {"X-Error-Code": "EntryNotFound"}, 404)
        return self.send(b"", {"X-Error-Code": "RepoNotFound"}, 404)

    def told(self, what):
        files = sorted(path for path in self.server.folder.iterdir() if path.is_file())
        if what == "tree":
            return [
                {"type": "file", "oid": path.name, "size": path.stat().st_size, "path": path.name}
                for path in files
            ]
        return {"id": self.server.id, "sha": SHA, "siblings": [{"rfilename": path.name} for path in files]}

    def send(self, data, headers, status=200):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *words):
        return


class Hub(ThreadingHTTPServer):
    """Has one model, the files of a folder, of which `main` is the only branch."""

    daemon_threads = True

    def __init__(self, id: str, folder: Path):
        super().__init__(("127.0.0.1", 0), Handler)
        self.id, self.folder, self.asked = id, folder, []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def hub(id: str, folder: Path):
    with Hub(id, folder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
