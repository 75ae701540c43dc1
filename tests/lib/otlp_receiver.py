#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""otlp_receiver - keeps the requests that are POSTed to it, and answers as it should

otlp_receiver.py FOLDER (PORT | SOCKET) [STATUS...]: listens on this port of 127.0.0.1, or on a unix
socket, and prints `ready`. The request number N, from 1 on, is FOLDER/N.body, decompressed, and
FOLDER/N.json: {"path", "headers": [[name, value]], "compressed": bytes}. The answers have these
statuses in turn, the last one over and over; 200 by default. Needs no root.
"""
import gzip
import http.server
import json
import os
import socketserver
import sys

FOLDER, PLACE, *STATUSES = sys.argv[1:]
STATUSES = [int(status) for status in STATUSES] or [200]
SUCCESS = b"\x0a\x00" # an empty partial_success, as OpenTelemetry's collector has it


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    count = 0

    def do_POST(self): # pylint: disable=invalid-name
        body = self.rfile.read(int(self.headers["Content-Length"]))
        kept = {"path": self.path, "headers": self.headers.items(), "compressed": len(body)}
        Handler.count += 1
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        status = STATUSES[min(Handler.count, len(STATUSES)) - 1]
        name = os.path.join(FOLDER, "%d" % Handler.count)
        with open(name + ".body", "wb") as file:
            file.write(body)
        with open(name + ".json.part", "w", encoding="utf-8") as file:
            json.dump({**kept, "status": status}, file)
        os.rename(name + ".json.part", name + ".json")
        self.send_response(status)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(SUCCESS) if status == 200 else 0))
        self.end_headers()
        if status == 200:
            self.wfile.write(SUCCESS)

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
    print("ready", flush=True)
    server.serve_forever()


main()
