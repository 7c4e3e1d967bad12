"""Fifty clients for a minute, and one that means harm, against the command itself."""

import json
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

import pytest

from sidelight.sample import sample_path

CLIENTS, SECONDS, PORT = 50, 60, 8799
ADDRESS = f"http://127.0.0.1:{PORT}"
# A browser waits this long between looking and looking again.
PAUSE_S = 0.2
IDLE = 2_000
HARMFUL = "127.0.0.2"  # another address of this machine, as another client would have
SLOWEST_ANSWER_S, SLOWEST_END_S = 2, 5


def ask(path, body=None):
    request = urllib.request.Request(ADDRESS + path, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def resident_mb(pid):
    fields = Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1].split()
    return int(fields[0]) / 1000


def client(articles, until, statuses, number):
    while time.monotonic() < until:
        status, content = ask("/investigations", articles[number % len(articles)])
        statuses[status] += 1
        if status == 202:
            job = json.loads(content)["id"]
            statuses[ask(f"/investigations/{job}/events")[0]] += 1
            statuses[ask(f"/investigations/{job}/page")[0]] += 1
        statuses[ask("/")[0]] += 1
        time.sleep(PAUSE_S)


def look(until, seconds):
    """Ask for the start page again and again, as one more client does."""
    while time.monotonic() < until:
        begin = time.monotonic()
        assert ask("/")[0] == 200
        seconds.append(time.monotonic() - begin)
        time.sleep(PAUSE_S)


def harm(until):
    """Hold connections open, and send what is no article or takes long to read."""
    bodies = [b"{", b'{"text": NaN}', b"[" * 50_000]
    bodies += [
        json.dumps({"title": "x", "url": "https://x.example", "text": text}).encode()
        for text in (". " * 90_000, "." * 180_000, "e\u0301" * 60_000, "Lorem Ipsum Dolor " * 9_000)
    ]
    held: list[socket.socket] = []
    while time.monotonic() < until:
        for number in range(IDLE):
            try:
                one = socket.create_connection(("127.0.0.1", PORT), 5, (HARMFUL, 0))
                if number % 10 == 0:
                    body = bodies[number // 10 % len(bodies)]
                    head = f"POST /investigations HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\n"
                    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
                    one.sendall(head.encode() + body)
                held.append(one)
            except OSError:  # it is refused, as it should be
                continue
        time.sleep(1)
        for one in held:
            one.close()
        held.clear()


@pytest.mark.slow
def test_fifty_clients_for_a_minute(mini_web_index, tmp_path):
    lines = (sample_path() / "topics.jsonl").read_text().splitlines()
    articles = [
        json.dumps({"title": topic["title"], "url": topic["url"], "text": topic["body"]}).encode()
        for topic in map(json.loads, lines)
    ]
    command = [sys.executable, "-m", "sidelight.cli.main", "serve", "--port", str(PORT)]
    command += ["--index", str(mini_web_index.path), "--output", str(tmp_path / "served")]
    command += ["--per-minute", "100000", "--keep", "5", "--queue", "10"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as server:
        try:
            for _ in range(300):
                try:
                    ask("/")
                    break
                except OSError:
                    time.sleep(0.2)
            statuses: Counter[int] = Counter()
            until = time.monotonic() + SECONDS
            threads = [
                threading.Thread(target=client, args=(articles, until, statuses, number))
                for number in range(CLIENTS)
            ]
            seconds: list[float] = []
            threads.append(threading.Thread(target=look, args=(until, seconds)))
            threads.append(threading.Thread(target=harm, args=(until,)))
            for thread in threads:
                thread.start()
            memory = []
            while any(thread.is_alive() for thread in threads):
                memory.append(resident_mb(server.pid))
                time.sleep(1)
        finally:
            begin = time.monotonic()
            server.terminate()
            errors = server.communicate()[1].decode()
            ended = time.monotonic() - begin
    assert set(statuses) == {200, 202, 429}
    assert "Traceback" not in errors
    assert max(seconds) < SLOWEST_ANSWER_S, sorted(seconds)[-10:]
    assert ended < SLOWEST_END_S
    # Models and index are loaded by the first investigations; after a third it only goes on.
    third = len(memory) // 3
    assert max(memory[-third:]) < 1.1 * max(memory[third : 2 * third])
    print(statuses, [round(value) for value in memory[:: max(1, third // 3)]])
