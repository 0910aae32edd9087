"""A bucket of an object store, as deltalake's client of S3 sees it: conditional creation, ranges, lists."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

#: Parameters of a list, and a time.
_LISTED = ("prefix", "delimiter", "start-after")
_MODIFIED = "2026-11-22T08:00:00.000Z"


class _Bucket(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    files: dict[str, bytes] = {}
    lock = threading.Lock()

    def log_message(self, *_: Any) -> None: ...

    @property
    def name(self) -> str:
        return unquote(urlsplit(self.path).path).removeprefix("/bucket").lstrip("/")

    def answer(self, status: int, content: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def do_POST(self) -> None:
        """Begin or end an upload in parts."""
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        (upload,) = parse_qs(urlsplit(self.path).query).get("uploadId", [""])
        if upload:
            parts = sorted(name for name in self.files if name.startswith(f"{upload}#"))
            self.files[self.name] = b"".join(self.files.pop(name) for name in parts)
            self.answer(200, b"<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>")
        else:
            text = f"<UploadId>{escape(self.name)}</UploadId>"
            text = f"<InitiateMultipartUploadResult>{text}</InitiateMultipartUploadResult>"
            self.answer(200, text.encode())

    def do_PUT(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        query = parse_qs(urlsplit(self.path).query)
        if "uploadId" in query:
            self.files[f"{query['uploadId'][0]}#{int(query['partNumber'][0]):05}"] = content
            self.answer(200, ETag='"e"')
            return
        with self.lock:
            if self.headers.get("If-None-Match") == "*" and self.name in self.files:
                self.answer(412)
                return
            self.files[self.name] = content
        self.answer(200, ETag=f'"{md5(content).hexdigest()}"')

    def do_GET(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        if not self.name:
            self.answer(200, self.listing(*(query.get(name, [""])[0] for name in _LISTED)).encode())
        elif (content := self.files.get(self.name)) is None:
            self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        else:
            about = {"ETag": f'"{md5(content).hexdigest()}"', "Last_Modified": "Sun, 22 Nov 2026 08:00:00 GMT"}
            first, _, last = self.headers.get("Range", "").removeprefix("bytes=").partition("-")
            if not first and not last:
                self.answer(200, content, **about)
                return
            begin = int(first) if first else len(content) - int(last)
            end = min(int(last) + 1, len(content)) if first and last else len(content)
            about["Content_Range"] = f"bytes {begin}-{end - 1}/{len(content)}"
            self.answer(206, content[begin:end], **about)

    do_HEAD = do_GET

    def do_DELETE(self) -> None:
        self.files.pop(self.name, None)
        self.answer(204)

    def listing(self, prefix: str, delimiter: str, after: str) -> str:
        found, folders = [], set()
        for name in sorted(self.files):
            if not name.startswith(prefix) or name <= after:
                continue
            inner, cut, _ = name[len(prefix) :].partition(delimiter or "\0")
            if delimiter and cut:
                folders.add(f"{prefix}{inner}{delimiter}")
            else:
                size = len(self.files[name])
                about = f"<Size>{size}</Size><LastModified>{_MODIFIED}</LastModified><ETag>e</ETag>"
                found.append(f"<Contents><Key>{escape(name)}</Key>{about}</Contents>")
        common = "".join(f"<CommonPrefixes><Prefix>{escape(each)}</Prefix></CommonPrefixes>" for each in folders)
        return f"<ListBucketResult><IsTruncated>false</IsTruncated>{''.join(found)}{common}</ListBucketResult>"


@contextmanager
def serve_bucket(patch: Any) -> Iterator[dict[str, str]]:
    """Serve ``s3://bucket`` in a process of its own; return and set the environment that leads to it."""
    with subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        settings = {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.stdout.readline().strip()}",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }
        for name, value in settings.items():
            patch.setenv(name, value)
        try:
            yield settings
        finally:
            server.kill()


if __name__ == "__main__":
    served = ThreadingHTTPServer(("127.0.0.1", 0), _Bucket)
    print(served.server_port, flush=True)
    served.serve_forever()
