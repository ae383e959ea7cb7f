"""Chromium without a window, driven by the DevTools protocol over two pipes (--remote-debugging-pipe)."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAM = shutil.which("chromium")
TIMEOUT = 60


class Chromium:
    """One tab. `messages` has the errors, dialogs and requests of the page."""

    def __init__(self, width=1400, height=900):
        self.profile = tempfile.mkdtemp()
        command_read, self.commands = os.pipe()
        self.answers, answer_write = os.pipe()

        def place_pipes():  # the protocol uses file descriptors 3 and 4
            commands, answers = os.dup(command_read), os.dup(answer_write)
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        self.process = subprocess.Popen(
            [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={self.profile}",
             "--no-first-run", "--disable-dev-shm-usage", "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "about:blank"],
            preexec_fn=place_pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(command_read)
        os.close(answer_write)
        self.buffer, self.last_id, self.session, self.messages, self.loaded = b"", 0, None, [], False
        target = next(one["targetId"] for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(TIMEOUT)
        os.close(self.commands)
        os.close(self.answers)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, **parameters):
        """The result of a command. Events that arrive before it are kept in `messages`."""
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + TIMEOUT
        while True:
            answer = self._next(deadline)
            if answer.get("id") == self.last_id:
                assert "error" not in answer, answer
                return answer["result"]
            self._note(answer)

    def _next(self, deadline):
        while b"\0" not in self.buffer:
            assert select.select([self.answers], [], [], max(0, deadline - time.monotonic()))[0], "Chromium does not answer"
            piece = os.read(self.answers, 1 << 20)
            assert piece, "Chromium has ended"
            self.buffer += piece
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def _note(self, event):
        method, values = event.get("method"), event.get("params", {})
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            self.messages.append(f"exception: {values['exceptionDetails']}")
        elif method == "Log.entryAdded":
            self.messages.append(f"log: {values['entry']['text']}")
        elif method == "Page.javascriptDialogOpening":
            self.messages.append(f"dialog: {values['message']}")
        elif method == "Network.requestWillBeSent":
            self.messages.append(f"request: {values['request']['url'][:200]}")

    def open(self, address):
        """Opens a page and waits until it is loaded. `address`: a URL or a file."""
        if isinstance(address, Path):
            address = address.resolve().as_uri()
        self.messages, self.loaded = [], False
        self.call("Page.navigate", url=address)
        self.wait_for("document.readyState === 'complete'")
        self.settle()
        return self

    def evaluate(self, expression):
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait_for(self, expression):
        deadline = time.monotonic() + TIMEOUT
        while not self.evaluate(expression):
            assert time.monotonic() < deadline, expression
            time.sleep(0.05)

    def settle(self):
        """Waits until the page is drawn."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def click(self, selector, index=0):
        """Clicks in the middle of an element, or near its upper left corner if it is large."""
        box = self.evaluate(f"(() => {{ const box = document.querySelectorAll({json.dumps(selector)})[{index}].getBoundingClientRect(); return [box.x, box.y, box.width, box.height]; }})()")
        x, y = (box[i] + min(box[i + 2] / 2, 60 if i == 0 else 12) for i in (0, 1))
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def type(self, selector, text):
        self.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")
        self.call("Input.insertText", text=text)
        self.settle()

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=13 if key == "Enter" else 0)
        self.settle()

    def texts(self, selector):
        return self.evaluate(f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.textContent)")

    def screenshot(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
