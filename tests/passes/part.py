"""Expectations that list only what matters: lines `// CHECK: TEXT` and `// CHECK-NOT: TEXT` (README.md)."""

import re

CHECK = "// CHECK: "
CHECK_NOT = "// CHECK-NOT: "
ID = re.compile(r'(%(?:"(?:[^"\\]|\\.)*"|[\w./~-]+))')
NODE = re.compile(rf"^ *{ID.pattern} = (\w+)", re.MULTILINE)
INTEGERS = re.compile(rf"^ *{ID.pattern} = Const : i64\[\d*\] = (\[.*\]|-?\d+)$")


def is_part(expected):
    return CHECK.strip() in expected or CHECK_NOT.strip() in expected


def operation(line):
    node = NODE.match(line)
    return node[2] if node else None


def kept_nodes(before, after):
    """The IDs of nodes that have the same operation before and after the pass."""
    return {name for name, _ in set(NODE.findall(before)) & set(NODE.findall(after))}


def without_integers(text, kept):
    """The lines of a model. Constants of i64 that the pass has made are written at their uses."""
    lines, values = [], {}
    for line in filter(str.strip, text.splitlines()):
        depth = len(line) - len(line.lstrip())
        values = {key: value for key, value in values.items() if key[0] <= depth}  # IDs belong to a body
        constant = INTEGERS.match(line)
        if constant and constant[1] not in kept:
            values[depth, constant[1]] = constant[2]
        else:
            lines.append(ID.sub(lambda name: values.get((depth, name[0]), name[0]), line) if NODE.match(line) else line)
    return lines


def pattern(text, kept, groups):
    """The regular expression of the lines that begin with a text. `groups`: those of the IDs that stand for any ID."""
    expression = ""
    for part in ID.split(text):
        if not ID.fullmatch(part) or part in kept:
            expression += re.escape(part)
        elif part in groups:
            expression += f"(?P={groups[part]})"
        else:
            groups[part] = f"id{len(groups)}"
            expression += f"(?P<{groups[part]}>%[^,)\\s]+)"
    return f"^{expression}(?![\\w.~-]).*\\n"


def contradicted_line(expected, before, after):
    """The first line of the part `expected` that the model `after` the pass contradicts, or None."""
    kept, groups, found = kept_nodes(before, after), {}, ""
    text = "".join(f"{line}\n" for line in without_integers(after, kept))
    for line in expected.splitlines():
        if line.startswith(CHECK):
            found += ("(?:.*\\n)*?" if found else "") + pattern(line.removeprefix(CHECK), kept, groups)
            if not re.search(found, text, re.MULTILINE):
                return line
        elif re.search(pattern(line.removeprefix(CHECK_NOT), kept, {}).replace("^", "^ *", 1), text, re.MULTILINE):
            return line
    return None


def changed_part(before, after):
    """The part that shows what a pass has changed: new lines, other nodes of the same operations, and operations that are gone."""
    old, stripped = set(before.splitlines()), {line.strip() for line in before.splitlines()}
    lines = without_integers(after, kept_nodes(before, after))
    changed = {operation(line) for line in lines if line not in old} - {None, "Const", "Parameter", "Result", "Loop", "If"}
    part = ""
    for line in lines:
        is_moved = line in old or (line.strip() in stripped and operation(line) in (None, "Parameter", "Result"))
        if is_moved and operation(line) not in changed:
            continue
        short = line if operation(line) in (None, "Const", "Parameter") else re.sub(" : .*", "", line)
        has_other_type = line not in old and any(other.startswith(f"{short} :") for other in old)
        part += CHECK + (line if has_other_type else short) + "\n"
    names = {kind: name for name, kind in NODE.findall(before)}
    gone = names.keys() - {kind for _, kind in NODE.findall(after)}
    return part + "".join(f"{CHECK_NOT}{names[kind]} = {kind}\n" for kind in sorted(gone))
