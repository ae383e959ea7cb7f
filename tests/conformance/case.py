"""The data of the harness: a case, its runs, and the result."""

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

# Outcomes, the worst first within the wrong answers.
PASS = "pass"
WRONG_VALUES = "wrong-values"
WRONG_SHAPE = "wrong-shape"
WRONG_TYPE = "wrong-type"
INTERFACE = "interface"  # an input or output of the model is missing in the IR, or has another name
PORT_MISMATCH = "port-mismatch"  # types or shapes in the XML differ from OpenVINO's inference
CONVERT_ERROR = "convert-error"  # a diagnostic, exit code 1
CONVERTER_CRASH = "converter-crash"  # any other exit code, or a signal
RUNTIME_ERROR = "runtime-error"  # OpenVINO cannot read, compile or run the IR
CRASH = "crash"  # the process crashed
HANG = "hang"  # the time limit passed
ORACLE_ERROR = "oracle-error"  # onnxruntime gave no expected values

OUTCOMES = [
    PASS,
    WRONG_VALUES,
    WRONG_SHAPE,
    WRONG_TYPE,
    INTERFACE,
    PORT_MISMATCH,
    CONVERT_ERROR,
    CONVERTER_CRASH,
    RUNTIME_ERROR,
    CRASH,
    HANG,
    ORACLE_ERROR,
]


@dataclass
class Run:
    """One inference. Values are arrays, lists (sequences) or None (an empty optional), by tensor name."""

    inputs: dict[str, Any]
    expected: dict[str, Any] | None = None  # None: ask onnxruntime
    is_optional: bool = False  # skipped if onnxruntime does not accept the inputs
    spread: dict[str, Any] | None = None  # by which each number of an output may differ, in addition to the tolerances of the case


@dataclass
class Case:
    name: str
    model: bytes  # a serialized ModelProto, or ONNX text
    runs: list[Run]
    _: KW_ONLY
    compares_compiled_names: bool = False  # also the names of the ports of the compiled model
    one_compiled: bool = False  # all runs on one compiled model instead of a fresh one for each
    is_reshaped: bool = False  # the program gives the model the shapes of a run before it compiles it: ov.Model.reshape()
    rtol: float = 1e-3
    atol: float = 1e-7
    share_of_largest: float = 0.0  # of the largest finite number of an output, which is added to atol
    integer_steps: int = 0  # by which integers at outputs may differ
    oracle_model: bytes | None = None  # the model for onnxruntime, if it does not support the opset of `model`
    operator: str = ""
    time_limit: float = 15.0  # seconds for all runs
    options: tuple[str, ...] = ()  # of the converter


@dataclass
class Result:
    name: str
    outcome: str
    message: str = ""
    port_mismatches: list[str] = field(default_factory=list)
    seconds: float = 0.0
    convert_seconds: float = 0.0
    is_refused: bool = False  # a failure that the converter foretells for this release: it needs a newer one
    operations: int = 0  # of the main graph that was read or converted
    key: tuple[str, ...] = ()  # of the Entry, when a test made the case

    @property
    def first_line(self):
        return self.message.strip().splitlines()[0] if self.message.strip() else ""


class Failure(Exception):
    """Ends a case with an outcome other than pass."""

    def __init__(self, outcome, message):
        super().__init__(message)
        self.outcome = outcome
        self.message = message
