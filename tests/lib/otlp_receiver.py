#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""otlp_receiver - keeps the requests that are POSTed to it, and answers as it should

otlp_receiver.py FOLDER (PORT | SOCKET) [STATUS... | --to SOCKET]: listens on this port of
127.0.0.1, on a free one for 0, or on a unix socket, and prints `ready` and the port. The request
number N, from 1 on, is FOLDER/N.body, decompressed, and FOLDER/N.json: {"path", "headers":
[[name, value]], "compressed": bytes, "status"}. The answers have these statuses in turn, the last
one over and over; 200 by default. With --to a request is passed on as it came, to the receiver that
listens on SOCKET, and answered as that one does. Needs no root.
"""
import gzip
import http.client
import http.server
import json
import os
import socket
import socketserver
import sys

FOLDER, PLACE, *STATUSES = sys.argv[1:]
NEXT = STATUSES[1] if STATUSES[:1] == ["--to"] else None
STATUSES = [200] if NEXT else [int(status) for status in STATUSES] or [200]
SUCCESS = b"\x0a\x00" # an empty partial_success, as OpenTelemetry's collector has it


def passed_on(path, body, headers):
    """(status, body): what the next receiver answers."""
    connection = http.client.HTTPConnection("localhost")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(NEXT)
    connection.request("POST", path, body, {name: value for name, value in headers.items()
                                            if name.lower() not in ("connection", "host")})
    answer = connection.getresponse()
    found = (answer.status, answer.read())
    connection.close()
    return found


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    count = 0

    def do_POST(self): # pylint: disable=invalid-name
        body = self.rfile.read(int(self.headers["Content-Length"]))
        kept = {"path": self.path, "headers": self.headers.items(), "compressed": len(body)}
        Handler.count += 1
        status = STATUSES[min(Handler.count, len(STATUSES)) - 1]
        answer = SUCCESS if status == 200 else b""
        if NEXT:
            status, answer = passed_on(self.path, body, self.headers)
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        name = os.path.join(FOLDER, "%d" % Handler.count)
        with open(name + ".body", "wb") as file:
            file.write(body)
        with open(name + ".json.part", "w", encoding="utf-8") as file:
            json.dump({**kept, "status": status}, file)
        os.rename(name + ".json.part", name + ".json")
        self.send_response(status)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def address_string(self):
        return "peer"

    def log_message(self, *_): # pylint: disable=arguments-differ
        pass


class UnixServer(socketserver.UnixStreamServer):
    def server_bind(self):
        super().server_bind()
        os.chmod(self.server_address, 0o666) # the exporter has an account of its own


def main():
    if PLACE.isdigit():
        server = http.server.HTTPServer(("127.0.0.1", int(PLACE)), Handler)
    else:
        server = UnixServer(PLACE, Handler)
    print("ready", *([server.server_port] if PLACE.isdigit() else []), flush=True)
    server.serve_forever()


main()
