"""The checked list of failing cases, for each OpenVINO release and instruction set.

known_failures.txt has a line for each case; several if it fails in several ways. Columns:

tests      the kind of the case: "loop", "trap" ...; of the backend suite its modes, or "all" for all modes
case       its name
releases   "all", or from which to which release: "2024.6", "..2025.4", "2025.4.."
isa        "all" or one of environment.INSTRUCTION_SETS
outcome    of case.py
reason     the experiment that shows it with the runtime alone
"""

from dataclasses import dataclass
from pathlib import Path

from .environment import INSTRUCTION_SETS, NEWEST, RELEASES, instruction_set, release
from .failure_reasons import reason_for
from .suite import MODES

PATH = Path(__file__).with_name("known_failures.txt")

_HEADER = """\
# Cases that do not pass, each with its reason: an experiment with the runtime alone. A test fails when a case fails that is
# not listed here with that outcome, and when a listed case passes. known_failures.py describes the columns.
# `./dev test --runtime RELEASE --isa LEVEL --update` rewrites this file from the cases that it runs, for that release and that
# instruction set, and keeps the reasons.
# tests | case | releases | isa | outcome | reason
"""


@dataclass(frozen=True)
class Environment:
    release: str
    isa: str


ENVIRONMENTS = [Environment(release, isa) for release in RELEASES for isa in INSTRUCTION_SETS]
# docs/operators.md counts the failures of this one.
REFERENCE = Environment(NEWEST, INSTRUCTION_SETS[-1])


def current():
    """The environment of this process. A release between two of RELEASES counts as the newer one."""
    here = _order(release())
    return Environment(next((known for known in RELEASES if _order(known) >= here), NEWEST), instruction_set())


def _order(name):
    return [int(part) for part in name.split(".")]


@dataclass(frozen=True)
class KnownFailure:
    outcome: str
    reason: str


def place_of(key):
    """(tests, case) of an Entry's key; of the backend suite, `tests` is the mode."""
    tests, *name = key[1:] if key[0] == "suite" else key
    return tests, "-".join(name)


def load(path=PATH):
    """Known failures by (tests, case, environment): place_of names the first two."""
    known = {}
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        # Names of cases may hold the separator.
        tests, rest = (part.strip() for part in line.split("|", 1))
        name, releases, isa, outcome, reason = (part.strip() for part in rest.rsplit("|", 4))
        for kind in MODES if tests == "all" else tests.split(","):
            for environment in ENVIRONMENTS:
                if environment.release in _releases(releases) and isa in ("all", environment.isa):
                    key = kind, name, environment
                    if key in known:
                        raise ValueError(f"{path.name}: {name} is listed twice for {kind}, {environment}")
                    known[key] = KnownFailure(outcome, reason)
    return known


def in_environment(known, environment):
    """Known failures of one environment by (tests, case)."""
    return {(tests, name): entry for (tests, name, where), entry in known.items() if where == environment}


def save(known, path=PATH):
    """Writes the list, cases in alphabetical order. What is equal for several modes, releases and instruction sets is one line."""
    places = {}
    for (tests, name, environment), entry in known.items():
        places.setdefault((name, entry.outcome, entry.reason, tests), set()).add(environment)
    lines = {}
    for (name, outcome, reason, tests), environments in places.items():
        for releases, isa in _ranges(environments):
            lines.setdefault((name, releases, isa, outcome, reason), []).append(tests)
    text = _HEADER
    for (name, *columns), tests in sorted(lines.items()):
        text += " | ".join([_modes(tests), name, *columns]) + "\n"
    path.write_text(text)


def update(known, results, environment):
    """The list after a run with these results in an environment, by (tests, case): valid entries keep their reasons."""
    updated = dict(known)
    for place, result in results.items():
        key = *place, environment
        old = updated.pop(key, None)
        # Random numbers may equal those of the suite once in many runs.
        is_luck = old is not None and old.reason == "random_numbers"
        if result.outcome == "pass" and not is_luck:
            continue
        same = old is not None and old.outcome == result.outcome
        updated[key] = old if same or is_luck else KnownFailure(result.outcome, reason_for(result))
    return updated


def _releases(text):
    """The releases of "all", "R", "R..", "..R" or "R..R"."""
    if text == "all":
        return RELEASES
    first, dots, last = text.partition("..")
    start = RELEASES.index(first) if first else 0
    end = RELEASES.index(last) if last else len(RELEASES) - 1 if dots else start
    return RELEASES[start : end + 1]


def _ranges(environments):
    """Pairs of the columns `releases` and `isa` for a set of environments."""
    by_isa = {isa: [release in {e.release for e in environments if e.isa == isa} for release in RELEASES] for isa in INSTRUCTION_SETS}
    if len(set(map(tuple, by_isa.values()))) == 1:
        by_isa = {"all": by_isa[INSTRUCTION_SETS[0]]}
    for isa, holds in by_isa.items():
        start = 0
        while start < len(RELEASES):
            end = start
            while end < len(RELEASES) and holds[end]:
                end += 1
            if end > start:
                yield _range(start, end - 1), isa
            start = end + 1


def _range(first, last):
    if first == 0 and last == len(RELEASES) - 1:
        return "all"
    if first == last:
        return RELEASES[first]
    return f"{RELEASES[first] if first else ''}..{RELEASES[last] if last < len(RELEASES) - 1 else ''}"


def _modes(tests):
    modes = [mode for mode in MODES if mode in tests]
    return "all" if len(modes) == len(MODES) else ",".join(modes or tests)
