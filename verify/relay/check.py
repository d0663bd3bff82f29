#!/usr/bin/env python3
"""Starts the relay, lets its parts fail, and checks what it does: `check.py PROGRAM`. Exits with 1 if a check fails."""
import os, re, signal, socket, subprocess, sys, tempfile, threading, time, urllib.request, urllib.error

BIN = sys.argv[1]
failed = []

def check(what, ok, more=""):
    print(("ok    " if ok else "FAIL  ") + what + (f"  {more}" if more or not ok else ""), flush=True)
    if not ok:
        failed.append(what)

def until(what, test, within=8.0):
    begun = time.time()
    while time.time() - begun < within:
        try:
            if test():
                check(what, True, f"{time.time() - begun:.2f} s")
                return
        except Exception:
            pass
        time.sleep(0.02)
    check(what, False, f"not within {within} s")

def port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]

class Upstream:
    def __init__(self, p):
        self.socket = socket.create_server(("127.0.0.1", p), reuse_port=False)
        self.peers, self.n = [], 0
        threading.Thread(target=self.accept, daemon=True).start()
    def accept(self):
        while True:
            try:
                self.peers.append(self.socket.accept()[0])
            except OSError:
                return
    def send(self, text):
        for p in self.peers:
            try: p.sendall((text + "\n").encode())
            except OSError: pass
    def kill(self):
        self.socket.shutdown(socket.SHUT_RDWR); self.socket.close()
        for p in self.peers:
            p.close()

class Client:
    def __init__(self, name, read=True):
        self.socket = socket.create_connection(("127.0.0.1", LISTEN), timeout=5)
        if not read:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.lines, self.closed = [], False
        self.say(name)
        if read:
            threading.Thread(target=self.read, daemon=True).start()
    def say(self, line):
        self.socket.sendall((line + "\n").encode())
    def read(self):
        self.socket.settimeout(None)
        try:
            for line in self.socket.makefile():
                self.lines.append(line.rstrip("\n"))
        except OSError:
            pass
        self.closed = True
    def has(self, line):
        return line in self.lines
    def ask(self, line, within=5):
        n = len([l for l in self.lines if not l.startswith("ITEM ")])
        self.say(line)
        begun = time.time()
        while time.time() - begun < within:
            answers = [l for l in self.lines if not l.startswith("ITEM ")]
            if len(answers) > n:
                return answers[n]
            time.sleep(0.002)
        return None

def get(path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{HTTP}{path}", timeout=2) as r:
            return r.status, r.read().decode()
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode()
    except OSError as e:
        return 0, str(e)

def health():
    return get("/health")[0]

def log():
    return open(LOG).read()

LISTEN, HTTP, UP1, UP2 = port(), port(), port(), port()
DIR = tempfile.mkdtemp()
CONF, LOG = f"{DIR}/app.toml", f"{DIR}/log"

def config(upstream, greeting):
    with open(CONF + ".new", "w") as f:
        f.write(f'listen = "127.0.0.1:{LISTEN}"\nhttp = "127.0.0.1:{HTTP}"\nupstream = "127.0.0.1:{upstream}"\n'
                f'greeting = "{greeting}"\nprocess = "while :; do date; sleep 1; done"\n')
    os.rename(CONF + ".new", CONF)

config(UP1, "hello")
app = subprocess.Popen([BIN, CONF], stderr=open(LOG, "w"), stdout=subprocess.DEVNULL)
try:
    print("-- start, without an upstream")
    until("health is served, 503", lambda: health() == 503)
    until("the start is through", lambda: "started path=Relay" in log())
    early = Client("early")
    until("clients are accepted", lambda: early.has("hello early"))
    until("the reason is in the log", lambda: re.search(r"path=upstream .*cannot connect to 127", log()))
    until("it is retried 4 times", lambda: len(re.findall(r"failed(?: again)?; restarting path=upstream", log())) >= 4)
    delays = [float(m) for m in re.findall(r"restarting path=upstream .* delay=([\d.]+)m?s ", log())]
    raw = re.findall(r"restarting path=upstream .* delay=(\S+)", log())
    seconds = [float(d[:-2]) / 1000 if d.endswith("ms") else float(d[:-1]) for d in raw]
    check("the delays grow", seconds == sorted(seconds) and len(seconds) >= 4, str(raw))
    check("health is 503", health() == 503, get("/health")[1].strip())

    print("-- with an upstream")
    up = Upstream(UP1)
    until("health is 200", lambda: health() == 200)
    anna, bert = Client("anna"), Client("bert")
    until("anna is greeted", lambda: anna.has("hello anna"))
    again = Client("anna"); time.sleep(0.3)
    check("a name is taken only once", again.lines == ["ERR the name is taken"], str(again.lines))
    check("SUB", anna.ask("SUB") == "OK subscribed" and bert.ask("SUB") == "OK subscribed")
    for n in range(3):
        up.send(f"first {n}")
    for who in (anna, bert):
        until("each line comes", lambda: [l for l in who.lines if l.startswith("ITEM first")] == [f"ITEM first {n}" for n in range(3)])

    print("-- the upstream goes")
    up.kill()
    until("health is 503", lambda: health() == 503)
    until("the reason is in the log", lambda: "has closed the connection" in log() or "broke" in log())
    check("clients are served", anna.ask("GREETING") == "OK hello")
    time.sleep(0.5)
    up = Upstream(UP1)
    until("health is 200 again", lambda: health() == 200)
    up.send("second")
    until("anna has the next line, without another SUB", lambda: anna.has("ITEM second"))
    until("and bert", lambda: bert.has("ITEM second"))

    print("-- the process is killed")
    pids = lambda: [int(p) for p in re.findall(r"the process runs pid=(\d+)", log())]
    first = pids()[-1]
    os.kill(first, signal.SIGKILL)
    until("another one runs", lambda: len(pids()) == 2 and pids()[-1] != first)
    until("the reason is in the log", lambda: re.search(r"path=process .*signal: 9", log()))
    ticks = lambda: int(re.search(r"ticks=(\d+)", anna.ask("STATS")).group(1))
    before = ticks()
    until("its lines come", lambda: ticks() >= before + 2)
    until("health is 200", lambda: health() == 200)

    print("-- one client panics")
    carl = Client("carl"); carl.ask("GREETING")
    carl.say("PANIC")
    until("its connection is closed", lambda: carl.closed)
    check("the others are served", anna.ask("GREETING") == "OK hello" and bert.ask("GREETING") == "OK hello")
    check("health is 200", health() == 200, get("/health")[1].strip())
    until("the log says so", lambda: re.search(r"path=clients/carl .*carl asked for it", log()))
    check("the name is free again", Client("carl").ask("GREETING") is not None)

    print("-- a slow client holds up nobody")
    dora = Client("dora", read=False); dora.say("SUB"); time.sleep(0.3)
    begun = time.time()
    for n in range(6000):
        up.send(f"flood {n} " + "x" * 1000)
        if n % 20 == 0: time.sleep(0.01)
    for who in (anna, bert):
        until("all lines come", lambda: len([l for l in who.lines if l.startswith("ITEM flood")]) == 6000, 10)
    print(f"      6000 lines in {time.time() - begun:.2f} s; missed: {[l for l in anna.lines + bert.lines if l.startswith('MISSED')]}")
    until("the slow one is given up", lambda: "client is gone or too slow name=\"dora\"" in log() or re.search(r'too slow name="?dora', log()), 6)

    print("-- the job")
    jobs = lambda: int(re.search(r"jobs=(\d+)", anna.ask("STATS")).group(1))
    before, worst, begun = jobs(), 0.0, time.time()
    while time.time() - begun < 4.2:
        t = time.time(); assert anna.ask("GREETING"); worst = max(worst, time.time() - t); time.sleep(0.005)
    check("it has run", jobs() >= before + 2, f"{before} -> {jobs()}")
    check("no answer waits for it", worst < 0.15, f"the slowest took {worst * 1000:.0f} ms")

    print("-- SIGHUP")
    up2 = Upstream(UP2)
    config(UP2, "good morning")
    app.send_signal(signal.SIGHUP)
    until("the new greeting", lambda: anna.ask("GREETING") == "OK good morning")
    until("the new upstream", lambda: len(up2.peers) == 1)
    until("health is 200", lambda: health() == 200)
    up2.send("third")
    until("its lines come", lambda: anna.has("ITEM third") and bert.has("ITEM third"))
    open(CONF, "w").write("greeting = \n")
    app.send_signal(signal.SIGHUP)
    until("a broken file is in the log", lambda: "the configuration stays as it is" in log())
    check("and changes nothing", anna.ask("GREETING") == "OK good morning" and health() == 200)
    check("the upstream is not restarted by it", len(up2.peers) == 1)

    print("-- the tree")
    tree = get("/tree")[1]
    check("/tree shows all", all(w in tree for w in "http journal upstream undertaker process job clients listener reloader anna bert".split()))
    print(tree)
    check("the console", get("/console/info.json")[0] == 200, get("/console/info.json")[1].strip())
    check("the console's page", "<html" in get("/console/")[1].lower())

    print("-- SIGTERM")
    last = pids()[-1]
    anna.say("WORK 1500"); time.sleep(0.2)
    begun = time.time()
    app.send_signal(signal.SIGTERM)
    until("health is 503 while it stops", lambda: health() == 503, 1.2)
    print("      " + get("/health")[1].strip())
    def refused():
        try: socket.create_connection(("127.0.0.1", LISTEN), timeout=1).close(); return False
        except ConnectionRefusedError: return True
    until("no new connections", refused, 1.0)
    check("the request is still in hand", not anna.has("OK worked 1500"))
    code = app.wait(timeout=12)
    took = time.time() - begun
    check("exit code 0", code == 0, f"{code}")
    check("within 10 s", took < 10, f"{took:.2f} s")
    until("the request in hand was finished", lambda: anna.has("OK worked 1500"))
    until("and then it is closed", lambda: anna.closed and anna.lines[-1] == "BYE")
    order = [p for p in re.findall(r"relay: down path=(\S+) ", log()) if "/" not in p]
    check("in order", order == "reloader listener clients job process undertaker upstream journal http".split(), str(order))
    print("      the log: " + " ".join(re.findall(r"supervise: ended path=(\w+) ", log())))
    until("nothing is left of the process", lambda: subprocess.run(["pgrep", "-g", str(last)], stdout=subprocess.DEVNULL).returncode == 1, 8)
finally:
    if app.poll() is None:
        app.kill()
if failed:
    print(log())
print("FAILED: " + "; ".join(failed) if failed else "all passed")
sys.exit(1 if failed else 0)
