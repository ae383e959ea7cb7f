"""The summary of all tests: the names of failed tests, and the sum of JUnit reports. A missing or truncated report is a
failure."""

import sys
import xml.etree.ElementTree as ElementTree


def count(report):
    """The numbers of tests, failures and skipped tests in one report."""
    try:
        cases = list(ElementTree.parse(report).iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        print(f"{report}: {error}")
        return 1, 1, 0
    failed = [case for case in cases if any(case.find(tag) is not None for tag in ("failure", "error"))]
    for case in failed:
        print(f"{report}: failed: {case.get('classname')} {case.get('name')}")
    skipped = sum(case.find("skipped") is not None for case in cases)
    return len(cases), len(failed), skipped


def main(reports):
    tests, failed, skipped = (sum(numbers) for numbers in zip(*map(count, reports)))
    print(f"total: {tests - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
