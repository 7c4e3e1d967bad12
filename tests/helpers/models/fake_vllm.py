"""What the tests put on PATH as `vllm`: starts slowly, has a child of its own, or dies.

Its model says what it does: `dies`, `never-ready`, `dies-later` (when it is asked for anything but
its health), or anything else to be served.
"""

import json
import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

START_S = 0.5


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/health" and sys.argv[2] == "dies-later":
            for process in ("Worker", "EngineCore"):
                print(f"({process} pid=1) ERROR RuntimeError: {process} has no offset", flush=True)
            print("leaked objects\n" * 30, flush=True)
            os._exit(1)
        self.send_response(200 if self.path == "/health" else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_): ...


def main():
    arguments = sys.argv[1:]
    # The child is as stubborn as a worker stuck in a GPU call: only SIGKILL ends it.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    told = {"pids": [os.getpid(), child.pid], "arguments": arguments}
    Path(os.environ["FAKE_VLLM_TELLS"]).write_text(json.dumps(told))
    print("loading weights", flush=True)
    if arguments[1] == "dies":
        sys.exit("CUDA out of memory")
    if arguments[1] == "never-ready":
        time.sleep(600)
    time.sleep(START_S)
    port = int(arguments[arguments.index("--port") + 1])
    HTTPServer(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    main()
