"""The ABI of the C interfaces as text, and the rule for its changes.

Each line has a key (of two words) and a value: `function onnx2ir_version : const char* (void)`. The headers are preprocessed and split
into declarations; a program that is compiled with the headers checks each type and prints the numbers (x86-64).
"""

import re
import subprocess

SKELETON = """
#include <stddef.h>
#include <stdio.h>
#include <onnx2ir/{header}>
#define SAME(type, ...) _Static_assert(__builtin_types_compatible_p(type, __VA_ARGS__), #type)
int main(void) {{
{statements}
  return 0;
}}
"""


def declarations(header, include):
    """The declarations of the header itself, without attributes, each with single spaces."""
    done = subprocess.run(["gcc", "-std=c11", "-E", "-I", include, include / "onnx2ir" / header], capture_output=True, text=True, check=True)
    text, own = "", False
    for line in done.stdout.splitlines():
        if line.startswith("# "):
            own = line.split('"')[1].endswith(f"onnx2ir/{header}")
        elif own:
            text += line + "\n"
    text = " ".join(re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", text).split())
    found, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == ";" and depth == 0:
            found.append(text[start:i].strip())
            start = i + 1
    assert not text[start:].strip(), text[start:]
    return found


def tidy(type_name):
    return re.sub(r"\s*\*\s*", "* ", type_name).replace("* *", "**").strip()


def named(declaration):
    """Type and name of `TYPE NAME` or of `RESULT (*NAME)(PARAMETERS)`."""
    if pointer := re.fullmatch(r"(.+?)\(\s*\*\s*(\w+)\s*\)\s*\((.*)\)", declaration):
        return f"{tidy(pointer[1])} (*)({parameters(pointer[3])})", pointer[2]
    type_name, name = re.fullmatch(r"(.*?[\s*])(\w+)", declaration).groups()
    return tidy(type_name), name


def parameters(text):
    """The types of parameters, which all have names."""
    return "void" if text.strip() == "void" else ", ".join(named(part.strip())[0] for part in text.split(","))


def describe(header, include, folder):
    """Keys and values of a header; compiles a program in `folder`."""
    facts, statements = {}, []

    def number(key, expression):
        statements.append(f'  printf("{key} : %ld\\n", (long)({expression}));')

    for macro in re.findall(r"#define (ONNX2IR_\w*VERSION)\b", (include / "onnx2ir" / header).read_text()):
        number(f"macro {macro}", macro)
    for declaration in declarations(header, include):
        if found := re.fullmatch(r"typedef enum (\w+) \{(.*)\} (\w+)", declaration):
            for value in found[2].split(","):
                number(f"enum {found[1]}.{value.split('=')[0].strip()}", value.split("=")[0])
            number(f"size {found[1]}", f"sizeof({found[1]})")
        elif found := re.fullmatch(r"typedef struct (\w+) \{(.*)\} \1", declaration):
            number(f"size {found[1]}", f"sizeof({found[1]})")
            for field in filter(None, map(str.strip, found[2].split(";"))):
                type_name, name = named(field)
                facts[f"field {found[1]}.{name}"] = type_name
                statements.append(f"  SAME(__typeof__((({found[1]}*)0)->{name}), {type_name});")
                number(f"offset {found[1]}.{name}", f"offsetof({found[1]}, {name})")
        elif found := re.fullmatch(r"typedef struct (\w+) \1", declaration):
            facts[f"struct {found[1]}"] = "opaque"
        elif declaration.startswith("typedef "):
            type_name, name = named(declaration.removeprefix("typedef "))
            facts[f"type {name}"] = type_name
            statements.append(f"  SAME({name}, {type_name});")
        else:
            result, name, words = re.fullmatch(r"(.*?[\s*])(\w+)\((.*)\)", declaration).groups()
            facts[f"function {name}"] = f"{tidy(result)} ({parameters(words)})"
            statements.append(f"  SAME(__typeof__({name}), {facts[f'function {name}']});")
    program = folder / header.replace(".", "_")
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", include, "-x", "c", "-", "-o", program]
    subprocess.run(command, input=SKELETON.format(header=header, statements="\n".join(statements)), text=True, check=True)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return facts | parsed(printed)


def text_of(facts):
    """Sorted by the key; the fields of a struct by their offsets."""

    def place(key):
        kind, name = key.split()
        return kind, name.split(".")[0], int(facts.get(f"offset {name}", 0)), name

    return "".join(f"{key} : {facts[key]}\n" for key in sorted(facts, key=place))


def parsed(text):
    return dict(line.split(" : ", 1) for line in text.splitlines())


def violations(before, after, macro):
    """The changes that programs built with `before` do not survive; empty if the number `macro` has changed.

    Declarations may be added. A struct that begins with its own size may get fields at its end.
    """
    if before.get(f"macro {macro}") != after.get(f"macro {macro}"):
        return []
    found = []
    for key, value in before.items():
        kind, name = key.split()
        may_grow = kind == "size" and f"field {name}.size" in after and after.get(f"offset {name}.size") == "0"
        if key not in after:
            found.append(f"{key} is gone")
        elif after[key] != value and not (may_grow and int(after[key]) > int(value)):
            found.append(f"{key} was '{value}' and is '{after[key]}'")
    for key in after.keys() - before.keys():
        struct = key.split()[1].split(".")[0]
        if key.startswith("field ") and f"size {struct}" in before:
            if f"field {struct}.size" not in before or int(after[key.replace("field ", "offset ")]) < int(before[f"size {struct}"]):
                found.append(f"{key} is new")
    return sorted(found)
