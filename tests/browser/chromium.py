"""A headless Chromium that tests drive over the DevTools protocol.

The protocol runs over two pipes (``--remote-debugging-pipe``: messages end in a null byte), so that no package and
no port are needed.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SECONDS = 25
KEY_CODES = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35, "Enter": 13,
             "Escape": 27, "Tab": 9}  # fmt: skip


def find_browser() -> str | None:
    """Return the browser of the environment variable CHROMIUM, or the first one on the path."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


class Chromium:
    """A browser with one page at a time."""

    def __init__(self, program: str, profile: Path) -> None:
        here, self._out = os.pipe()
        self._in, there = os.pipe()
        options = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--hide-scrollbars", f"--user-data-dir={profile}",
            "--remote-debugging-pipe", "about:blank",
        ]  # fmt: skip
        # The browser reads from descriptor 3 and writes to 4.
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{here} 4>&{there}', "bash", program, *options],
            pass_fds=(here, there),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(here)
        os.close(there)
        self._buffer = b""
        self._number = 0
        self.problems: list[str] = []
        self._session: str | None = None
        self._target: str | None = None

    def close(self) -> None:
        """End the browser."""
        try:
            self._call("Browser.close", session=None)
            self._process.wait(timeout=10)
        except (OSError, subprocess.TimeoutExpired, TimeoutError):
            self._process.kill()
            self._process.wait()
        finally:
            os.close(self._out)
            os.close(self._in)

    def open(self, page: Path, fragment: str = "", *, width: int = 1200, height: int = 900, **media: str) -> None:
        """Open a file in a new tab; `media` sets media features, as ``prefers_color_scheme="dark"``."""
        if self._target is not None:
            self._call("Target.closeTarget", {"targetId": self._target}, session=None)
        self.problems.clear()
        self._target = self._call("Target.createTarget", {"url": "about:blank"}, session=None)["targetId"]
        attached = self._call("Target.attachToTarget", {"targetId": self._target, "flatten": True}, session=None)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._call("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": name.replace("_", "-"), "value": value} for name, value in media.items()]
        self._call("Emulation.setEmulatedMedia", {"features": features})
        self._call("Page.navigate", {"url": page.resolve().as_uri() + fragment})
        self.wait("document.readyState === 'complete'")
        self.settle()

    def run(self, script: str) -> Any:
        """Return the value of a JavaScript expression."""
        found = self._call("Runtime.evaluate", {"expression": script, "returnByValue": True, "awaitPromise": True})
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until a JavaScript expression is true."""
        end = time.monotonic() + SECONDS
        while not self.run(condition):
            assert time.monotonic() < end, f"never came true: {condition}"
            time.sleep(0.02)

    def settle(self) -> None:
        """Wait for two frames: what was asked for is drawn then."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            event = {"key": key, "windowsVirtualKeyCode": KEY_CODES.get(key, ord(key[0].upper()))}
            text = {"text": key} if len(key) == 1 else {}
            self._call("Input.dispatchKeyEvent", {"type": "keyDown", **event, **text})
            self._call("Input.dispatchKeyEvent", {"type": "keyUp", **event})
        self.settle()

    def hover(self, x: float, y: float) -> None:
        """Move the pointer."""
        self._call("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})
        self.settle()

    def screenshot(self) -> bytes:
        """Return the window as PNG."""
        return base64.b64decode(self._call("Page.captureScreenshot", {"format": "png"})["data"])

    def print_page(self) -> bytes:
        """Return the page as PDF, as the browser prints it."""
        return base64.b64decode(self._call("Page.printToPDF", {"printBackground": False})["data"])

    def _call(self, method: str, parameters: dict[str, Any] | None = None, session: str | None = "") -> Any:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters or {}}
        if session == "":
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self._note(answer)

    def _note(self, event: dict[str, Any]) -> None:
        """Keep what a page must not do: raise, log errors, or ask the network for anything."""
        method, details = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(details["exceptionDetails"]))
        elif method == "Log.entryAdded" and details["entry"]["level"] == "error":
            self.problems.append(details["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            url = details["request"]["url"]
            if not url.startswith(("file:", "data:", "blob:", "about:")):
                self.problems.append(f"asked for {url}")

    def _next(self) -> dict[str, Any]:
        end = time.monotonic() + SECONDS
        while b"\0" not in self._buffer:
            if not select.select([self._in], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self._in, 1 << 20)
            if not part:
                raise OSError("the browser has ended")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found
