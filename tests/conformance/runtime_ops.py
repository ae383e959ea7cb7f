"""The newest complete operation set of the installed OpenVINO: `ops.add(x, y)` creates a node without a converter.

2024.6 has its operation sets in openvino.runtime; opset16 of 2025.4 holds only what is new in it.
"""

import importlib


def _newest():
    for name in ("openvino.opset16", "openvino.opset15", "openvino.runtime.opset15"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        if hasattr(module, "parameter"):
            return module
    raise ImportError("OpenVINO has no operation set 15 or 16")


ops = _newest()
