#!/usr/bin/env python3
"""A server for tests, on this machine alone. Prints its ports (the server's, and that of a second
one that plays a content network) and serves until its standard input ends.

server.py [FOLDER]: FOLDER holds models as a Hub has them, FOLDER/ORG/NAME/FILE. A model whose folder
holds a file .gated wants the token "right".
"""

import http.server
import json
import pathlib
import re
import sys
import threading
import urllib.parse

FOLDER = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
CDN_PORT = 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def part(self, data):
        """The whole, or what Range asks for."""
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not wanted:
            return self.answer(200, data)
        first, last = int(wanted[1]), min(int(wanted[2]), len(data) - 1)
        if first >= len(data):
            return self.answer(416, b"", [("Content-Range", f"bytes */{len(data)}")])
        return self.answer(206, data[first:last + 1],
                           [("Content-Range", f"bytes {first}-{last}/{len(data)}")])

    def echo(self, body):
        told = {"method": self.command, "path": self.path, "body": body.decode("latin-1"),
                "headers": {name.lower(): value for name, value in self.headers.items()}}
        self.answer(200, json.dumps(told).encode(), [("X-Test", "yes")])

    def hub(self, path):
        model = "/".join(path.split("/")[:2]) if not path.startswith("api/") else path[11:]
        folder = FOLDER / urllib.parse.unquote(model)
        if not folder.is_dir():
            return self.answer(401, b"{}", [("X-Error-Code", "RepoNotFound")])
        if path.startswith("api/"):  # open for gated models too
            files = [{"rfilename": p.relative_to(folder).as_posix()}
                     for p in sorted(folder.rglob("*")) if p.is_file()]
            return self.answer(200, json.dumps({"id": model, "siblings": files}).encode())
        token = self.headers.get("Authorization", "")
        if (folder / ".gated").exists() and token != "Bearer right":
            return self.answer(403 if token else 401, b"{}", [("X-Error-Code", "GatedRepo")])
        name = path.split("/resolve/main/", 1)[1]
        if not (folder / name).is_file():
            return self.answer(404, b"", [("X-Error-Code", "EntryNotFound")])
        return self.answer(302, b"", [("Location",
                                       f"http://127.0.0.1:{CDN_PORT}/cdn/{model}/{name}?sig=1")])

    def serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        url = urllib.parse.urlsplit(self.path)
        path = url.path[1:]
        query = urllib.parse.parse_qs(url.query)
        if path == "echo":
            return self.echo(body)
        if path == "redirect":
            return self.answer(int(query.get("status", ["302"])[0]), b"",
                               [("Location", query["to"][0])])
        if path == "bytes":
            return self.part(bytes(i % 251 for i in range(int(query["n"][0]))))
        if path == "status":
            return self.answer(int(query["code"][0]), b"told")
        if path == "silent":  # until the client leaves
            self.connection.recv(1)
            self.close_connection = True
            return None
        if path == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"short")
            self.close_connection = True
            return None
        if path.startswith("cdn/"):
            if "Authorization" in self.headers:
                return self.answer(400, b"a token that is not for this server")
            return self.part((FOLDER / path[4:]).read_bytes())
        return self.hub(path) if FOLDER else self.answer(404)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = serve


def main():
    global CDN_PORT
    servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2)]
    CDN_PORT = servers[1].server_address[1]
    for server in servers:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print(*(server.server_address[1] for server in servers), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
