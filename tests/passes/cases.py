"""Files of pass tests: tests/passes/PASS/*.ir.

A file contains cases, separated by lines `// -----`. A case is a comment with its purpose, a model in text IR, a line
`// ==> OPTIONS` with the options of onnx2ir-opt, and what is expected: the warnings and errors as comments, and the model after the pass, a part of
it (part.py), or `// unchanged`.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .part import CHECK, changed_part, contradicted_line, is_part
from .tool import opt_path

FOLDER = Path(__file__).parent
SEPARATOR = "\n// -----\n"
ARROW = "// ==> "
UNCHANGED = "// unchanged\n"


@dataclass
class Case:
    path: Path
    number: int
    input: str
    options: str
    expected: str

    @property
    def pass_name(self):
        return self.path.parent.name

    def __str__(self):
        return f"{self.pass_name}/{re.sub('[^A-Za-z0-9]+', '_', self.model)}"

    @property
    def model(self):
        return re.search('^model "(.*)"$', self.input, re.MULTILINE)[1]

    def text(self):
        return f"{self.input}{ARROW}{self.options}\n{self.expected}"


def parse_case(path, number, text):
    head, arrow, tail = text.lstrip("\n").partition("\n" + ARROW)
    if not arrow:  # a new case, to be completed by --update
        return Case(path, number, head.rstrip("\n") + "\n\n", f"--pass {path.parent.name}", "")
    options, _, expected = tail.partition("\n")
    return Case(path, number, head + "\n", options, expected.rstrip("\n") + "\n")


def cases_of(path):
    return [parse_case(path, number, text) for number, text in enumerate(path.read_text().split(SEPARATOR), 1)]


def write_cases(path, cases):
    path.write_text(SEPARATOR.join(case.text() for case in cases))


def run_opt(text, *options):
    return subprocess.run(
        [opt_path(), "-", *options], input=text, capture_output=True, text=True, timeout=60, check=False
    )


def without_diagnostics(text):
    """The lines with warnings and errors, and the others. Lines with CHECK belong to the others."""
    said = re.match("(//(?! CHECK| unchanged).*\n)*", text)[0]
    return said, text[len(said) :]


def outcome(case):
    """The expected text of a case, according to onnx2ir-opt: that of the case if its part of the output is right."""
    before = run_opt(case.input)
    assert before.returncode == 0, before.stderr
    after = run_opt(case.input, "--check-idempotence", *case.options.split())
    assert after.returncode in (0, 1), after.stderr
    said = "".join(f"// {line}\n" for line in after.stderr.splitlines())
    if after.returncode == 0 and after.stdout == before.stdout:
        return said + UNCHANGED
    _, part = without_diagnostics(case.expected)
    if not is_part(part):
        return said + after.stdout
    if part == CHECK.strip() + "\n" or contradicted_line(part, before.stdout, after.stdout) is not None:
        part = changed_part(before.stdout, after.stdout)
    return said + part
