"""Developer's entry to the backend suite: python -m tests.conformance.run_suite --help"""

import argparse
import re
import sys
import time
from pathlib import Path

from . import known_failures, report, suite, suite_results
from .case import PASS
from .pool import WORKERS, run_cases
from .tool import tool_path


def parse_arguments():
    parser = argparse.ArgumentParser(description="Runs the node cases of the ONNX backend suite.")
    parser.add_argument("--filter", default="", help="only cases whose name matches this regular expression")
    parser.add_argument("--op", action="append", help="only cases of this operator; may be repeated")
    parser.add_argument("--mode", choices=[*suite.MODES, "all"], default="default")
    parser.add_argument("--tool", help="the converter; 'openvino' measures OpenVINO's own front end")
    parser.add_argument("--report", type=Path, help="write a markdown table by operator")
    parser.add_argument("--json", type=Path, help="write all results")
    parser.add_argument(
        "--update-known", action="store_true", help="rewrite known_failures.txt and suite_results.txt from this run, for its release and instruction set"
    )
    parser.add_argument("--outcome", help="print only failures of this outcome")
    parser.add_argument("--workers", type=int, default=WORKERS)
    parser.add_argument("-v", "--verbose", action="store_true", help="whole messages, passes too")
    return parser.parse_args()


def print_result(arguments, result):
    if result.outcome == PASS and not arguments.verbose:
        return
    if arguments.outcome and result.outcome != arguments.outcome:
        return
    message = result.message if arguments.verbose else result.first_line[:160]
    print(f"{result.outcome:16} {result.name}: {message}", flush=True)


def write(path, mode, text):
    if mode is not None:
        path = path.with_stem(f"{path.stem}_{mode}")
    path.write_text(text)


def main():
    arguments = parse_arguments()
    operators = suite.operators()
    names = [name for name in suite.case_names() if re.search(arguments.filter, name)]
    if arguments.op:
        names = [name for name in names if operators[name] in arguments.op]
    modes = suite.MODES if arguments.mode == "all" else [arguments.mode]
    failed = False
    for mode in modes:
        started = time.perf_counter()
        cases = [suite.suite_case(name, mode) for name in names]
        results = run_cases(
            cases, tool_path(arguments.tool), arguments.workers, lambda _, result: print_result(arguments, result)
        )
        print(f"{mode}: {report.summary(results)}; {time.perf_counter() - started:.0f} s", flush=True)
        suffix = mode if len(modes) > 1 else None
        if arguments.report:
            write(arguments.report, suffix, report.markdown(results, operators, f"ONNX backend suite, mode {mode}"))
        if arguments.json:
            write(arguments.json, suffix, report.as_json(results, operators))
        if arguments.update_known:
            by_place = {(mode, result.name): result for result in results}
            known_failures.save(known_failures.update(known_failures.load(), by_place, known_failures.current()))
            suite_results.save()
        failed = failed or any(result.outcome != PASS for result in results)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
