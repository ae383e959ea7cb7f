"""Writes the sources that depend on the table of operations, ir/ops/operations.txt:

    python3 generate_operations.py TABLE FOLDER

ir/operations.hpp       the identities: ops::Slice
ir/attribute_names.hpp  the names of all attributes: any other name does not compile
ir/views/FAMILY.hpp     the operands and attributes of each operation: SliceView
ir/ops/families.hpp     the lists of inference functions, one in each file of ir/ops
ir/ops/descriptors.cpp  the descriptors

A file that would not change is not written, so that an edit of a row compiles only what includes the view.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

# Kind of an attribute: its type in C++, and the member function of Node that returns it.
KINDS = {
    "boolean": "bool",
    "integer": "std::int64_t",
    "real": "double",
    "text": "const std::string&",
    "integers": "CheckedView<std::int64_t>",
    "reals": "const std::vector<double>&",
    "texts": "const std::vector<std::string>&",
    "type": "ElementType",
}
# The same for attributes that a node may lack.
OPTIONAL_KINDS = {"boolean": "bool", "text": "std::string_view", "integers": "CheckedView<std::int64_t>"}
TRAITS = {
    "volatile": "is_volatile",
    "kept": "is_kept",
    "has_bodies": "has_bodies",
    "keeps_shape": "keeps_shape",
    "broadcasts": "broadcasts",
    "arithmetic": "is_arithmetic",
    "reduction": "is_reduction",
    "reshapes": "reshapes",
    "rearranges": "rearranges",
    "takes_strings": "takes_strings",
    "takes_numbers": "takes_numbers",
    "takes_real_sizes": "takes_real_sizes",
}
ROLES = {"size": "sizes", "index": "indices"}
CARDINALITIES = {"": "", "?": "optional", "*": "any number", "+": "one or more"}


@dataclass
class Operand:
    name: str
    role: str
    rank: int | None
    cardinality: str


@dataclass
class Attribute:
    name: str
    kind: str
    presence: str

    @property
    def identifier(self):
        return self.name.replace("-", "_")


@dataclass
class Operation:
    name: str
    opset: int
    operands: list
    attributes: list
    outputs: list
    traits: list
    older: list


@dataclass
class Group:
    """Operations that have operands and attributes in common."""

    name: str
    members: list


@dataclass
class Family:
    name: str
    file: str
    summary: str
    operations: list = field(default_factory=list)
    groups: list = field(default_factory=list)


class TableError(Exception):
    pass


def logical_lines(text):
    """The rows with their numbers: an indented line continues the row before it."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.rstrip()
        if not line or line.startswith("#"):
            continue
        if line[0] == " ":
            rows[-1][1] += " " + line.strip()
        else:
            rows.append([number, line])
    return rows


def parts_of(text):
    return [part.strip() for part in text.split(",")] if text.strip() else []


def parse_operands(text):
    operands = []
    for part in parts_of(text):
        match = re.fullmatch(r"([a-z]\w*)([?*+]?)(?::(?: (size|index))?(?: (\d)d)?)?", part)
        if not match or part.endswith(":"):
            raise TableError(f"no operand: {part}")
        rank = int(match[4]) if match[4] else None
        operands.append(Operand(match[1], match[3] or "", rank, CARDINALITIES[match[2]]))
    optional = [operand.cardinality != "" for operand in operands]
    if optional != sorted(optional):
        raise TableError("an operand that can be absent is before one that cannot")
    if any(operand.cardinality in ("any number", "one or more") for operand in operands[:-1]):
        raise TableError("only the last operand can be several")
    return operands


def parse_attributes(text):
    attributes = []
    for part in parts_of(text):
        match = re.fullmatch(r"([a-z][\w-]*): (\w+)(?: (optional|note))?", part)
        if not match or match[2] not in (OPTIONAL_KINDS if match[3] else KINDS):
            raise TableError(f"no attribute: {part}")
        attributes.append(Attribute(match[1], match[2], match[3] or "required"))
    return attributes


def parse_older(text):
    """`older 4 without reduction unless rounding_type=ceil_torch`: a version, what it lacks, a text that it does not know."""
    match = re.fullmatch(r"older (\d+)(?: without ([\w,-]+))?(?: unless ([\w-]+)=(\w+))?", text)
    if not match:
        raise TableError(f"no older version: {text}")
    return int(match[1]), match[2].split(",") if match[2] else [], match[3], match[4]


ROW = re.compile(
    r"(?P<names>(?:[A-Z]\w*-\d+ )+)\((?P<operands>[^)]*)\)(?: \{(?P<attributes>[^}]*)\})?"
    r"(?: -> (?P<outputs>[a-z_]+[*]?(?:, [a-z_]+)*))?(?P<traits>(?: (?!older)[a-z_]+)*)(?P<older>(?: older .*)?)"
)


def parse_row(text):
    match = ROW.fullmatch(text)
    if not match:
        raise TableError("no row: NAME-VERSION (OPERANDS) {ATTRIBUTES} -> OUTPUTS TRAITS older VERSION")
    operands = parse_operands(match["operands"])
    attributes = parse_attributes(match["attributes"] or "")
    names = [operand.name for operand in operands] + [attribute.identifier for attribute in attributes]
    if len(set(names)) != len(names):
        raise TableError("two operands or attributes have one name")
    traits = match["traits"].split()
    unknown = [trait for trait in traits if trait not in TRAITS]
    if unknown:
        raise TableError(f"no trait: {unknown[0]}")
    older = [parse_older(part.strip()) for part in re.split(r" (?=older )", match["older"]) if part]
    outputs = parts_of(match["outputs"] or "output")
    for name in match["names"].split():
        operation, opset = name.rsplit("-", 1)
        yield Operation(operation, int(opset), operands, attributes, outputs, traits, older)


WITHOUT_ROW = "attributes without a row: "


def names_without_row(text):
    return [name for _, line in logical_lines(text) if line.startswith(WITHOUT_ROW) for name in parts_of(line.removeprefix(WITHOUT_ROW))]


def parse_table(text):
    families = []
    for number, line in logical_lines(text):
        if line.startswith(WITHOUT_ROW):
            continue
        try:
            if heading := re.fullmatch(r"\[([a-z_]+)(?: in ([a-z_]+))?\] (.+)", line):
                families.append(Family(heading[1], heading[2] or heading[1], heading[3]))
            elif group := re.fullmatch(r"([A-Z]\w*) = (.+)", line):
                families[-1].groups.append(Group(group[1], group[2].split()))
            else:
                families[-1].operations += parse_row(line)
        except TableError as error:
            raise TableError(f"line {number}: {error}") from None
    operations = [operation for family in families for operation in family.operations]
    by_name = {operation.name: operation for operation in operations}
    if len(by_name) != len(operations):
        raise TableError("two rows of one operation")
    for group in (group for family in families for group in family.groups):
        for name in group.members:
            if name not in by_name:
                raise TableError(f"{group.name}: no operation {name}")
        group.members = [by_name[name] for name in group.members]
    return families


# --- what is common to the generated files ---------------------------------------------------------------------

HEAD = "// Generated by cmake/generate_operations.py from ir/ops/operations.txt.\n"


def operations_of(families):
    return sorted((operation for family in families for operation in family.operations), key=lambda operation: operation.name)


def identities(families):
    names = [operation.name for operation in operations_of(families)]
    return f"""{HEAD}#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace onnx2ir::ir {{

/// The identity of an operation: a row of ir/ops/operations.txt.
// NOLINTBEGIN(readability-identifier-naming): the names are those of OpenVINO.
enum class Op : std::uint8_t {{
{"".join(f"  {name},{chr(10)}" for name in names)}}};
// NOLINTEND(readability-identifier-naming)

inline constexpr std::size_t kOperationCount = {len(names)};

/// The XML types, by identity.
inline constexpr std::array<std::string_view, kOperationCount> kOperationNames = {{
{"".join(f'    "{name}",{chr(10)}' for name in names)}}};

constexpr std::string_view name_of(Op op) {{
  return kOperationNames[static_cast<std::size_t>(op)];
}}

}}  // namespace onnx2ir::ir

/// The operations: ops::ReLU.
namespace onnx2ir::ops {{
using enum ir::Op;
}}  // namespace onnx2ir::ops
"""


def attribute_names(families, without_row):
    names = {attribute.name for operation in operations_of(families) for attribute in operation.attributes}
    names = sorted(names | set(without_row))
    return f"""{HEAD}#pragma once

#include <array>
#include <string_view>

namespace onnx2ir::ir {{

/// The names of the attributes of all operations, also of those without a row, sorted.
inline constexpr std::array<std::string_view, {len(names)}> kAttributeNames = {{
{"".join(f'    "{name}",{chr(10)}' for name in names)}}};

}}  // namespace onnx2ir::ir
"""


def family_functions(families):
    files = sorted({family.file for family in families if family.operations})
    declarations = "".join(f"std::vector<OpFunction> {file}_functions();\n" for file in files)
    return f"""{HEAD}#pragma once

#include <vector>

#include "ir/op_descriptor.hpp"

namespace onnx2ir::ir {{

{declarations}
inline constexpr std::vector<OpFunction> (*kOpFamilies[])() = {{
{"".join(f"    {file}_functions,{chr(10)}" for file in files)}}};

}}  // namespace onnx2ir::ir
"""


# --- descriptors -------------------------------------------------------------------------------------------------


def input_counts(operation):
    least = sum(operand.cardinality in ("", "one or more") for operand in operation.operands)
    several = any(operand.cardinality in ("any number", "one or more") for operand in operation.operands)
    return least, "OpDescriptor::kVariadic" if several else len(operation.operands)


def ranges(operation):
    for role, member in ROLES.items():
        places = [place for place, operand in enumerate(operation.operands) if operand.role == role]
        if not places:
            continue
        if places != list(range(places[0], places[-1] + 1)):
            raise TableError(f"{operation.name}: operands of role {role} must be neighbours")
        yield f".{member} = {{{places[0]}, {places[-1]}}}"


def descriptor(operation):
    least, most = input_counts(operation)
    outputs = "OpDescriptor::kVariadic" if operation.outputs[-1].endswith("*") else len(operation.outputs)
    lines = [f'      {{.name = "{operation.name}",', f'       .opset = "opset{operation.opset}",']
    lines += [f"       .min_inputs = {least},", f"       .max_inputs = {most},", f"       .outputs = {outputs},"]
    if operation.attributes:
        lines.append("       .attributes = {")
        for attribute in operation.attributes:
            presence = f", Presence::{attribute.presence}" if attribute.presence != "required" else ""
            lines.append(f'           {{"{attribute.name}", Kind::{attribute.kind}{presence}}},')
        lines.append("       },")
    names = [TRAITS[name] for name in TRAITS if name in operation.traits]
    traits = [f".{name} = true" for name in names] + list(ranges(operation))
    if traits:
        lines.append(f"       .traits = {{{', '.join(traits)}}},")
    if any(operand.rank is not None for operand in operation.operands):
        any_rank = "OpDescriptor::kAnyRank"
        ranks = [any_rank if operand.rank is None else str(operand.rank) for operand in operation.operands]
        lines.append(f"       .ranks = {{{', '.join(ranks)}}},")
    if operation.older:
        lines.append("       .older = {")
        for opset, lacks, attribute, text in operation.older:
            members = [f'.opset = "opset{opset}"']
            members += [f".without = {{{', '.join(chr(34) + name + chr(34) for name in lacks)}}}"] if lacks else []
            members += [f'.unless = {{"{attribute}", "{text}"}}'] if attribute else []
            lines.append(f"           {{{', '.join(members)}}},")
        lines.append("       },")
    lines.append(f"       .id = ops::{operation.name}}},")
    return "\n".join(lines)


def descriptors(families):
    rows = [descriptor(operation) for family in families for operation in family.operations]
    return f"""{HEAD}#include "ir/op_descriptor.hpp"

namespace onnx2ir::ir {{

std::vector<OpDescriptor> described_operations() {{
  using Kind = AttributeSpec::Kind;
  using Presence = AttributeSpec::Presence;
  return {{
{chr(10).join(rows)}
  }};
}}

}}  // namespace onnx2ir::ir
"""


# --- views -------------------------------------------------------------------------------------------------------


def operand_accessor(place, operand):
    if operand.cardinality in ("any number", "one or more"):
        rest = f".subspan({place})" if place else ""
        return f"  std::span<const Value> {operand.name}() const {{ return node_->inputs(){rest}; }}"
    if operand.cardinality == "optional":
        return f"  /// Null if it is absent.\n  Value {operand.name}() const {{ return node_->input_or_null({place}); }}"
    return f"  Value {operand.name}() const {{ return node_->input({place}); }}"


def attribute_accessor(attribute):
    kind = KINDS[attribute.kind]
    if attribute.presence == "required":
        return f'  {kind} {attribute.identifier}() const {{ return node_->{attribute.kind}("{attribute.name}"); }}'
    kind = f"std::optional<{OPTIONAL_KINDS[attribute.kind]}>"
    value = f'{kind}(node_->{attribute.kind}("{attribute.name}"))'
    return f'  {kind} {attribute.identifier}() const {{\n    return node_->has_attribute("{attribute.name}") ? {value} : std::nullopt;\n  }}'


def view(name, what, test, operands, attributes):
    indices = "".join(f"    static constexpr std::uint32_t {operand.name} = {place};\n" for place, operand in enumerate(operands))
    accessors = [operand_accessor(place, operand) for place, operand in enumerate(operands)]
    accessors += [attribute_accessor(attribute) for attribute in attributes]
    places = f"\n  /// The input numbers.\n  struct Input {{\n{indices}  }};\n" if operands else ""
    return f"""/// {what}
class {name}View {{
 public:{places}
  static bool fits(const Node& node) {{ return {test}; }}
  /// Throws InternalError if the node does not fit.
  {name}View(const Node& node) : node_(&node) {{
    if (!fits(node)) fail_view(node, "{name}View");
  }}
  operator const Node&() const {{ return *node_; }}
  const Node& node() const {{ return *node_; }}
  const Output& output(std::size_t index) const {{ return node_->output(index); }}

{chr(10).join(accessors)}

 private:
  const Node* node_;
}};
"""


def view_of_operation(operation):
    names = ", ".join(operand.name + {"": "", "optional": "?", "any number": "...", "one or more": "..."}[operand.cardinality] for operand in operation.operands)
    return view(operation.name, f"{operation.name}({names})", f"node.is(Op::{operation.name})", operation.operands, operation.attributes)


def common_operands(members):
    """The first operands that all members have under the same names. An operand that one of them may lack is optional."""
    common = []
    for operands in zip(*(member.operands for member in members)):
        if len({operand.name for operand in operands}) > 1:
            break
        kinds = {operand.cardinality for operand in operands}
        common.append(Operand(operands[0].name, "", None, "optional" if kinds == {"", "optional"} else kinds.pop()))
    return common


def common_attributes(members):
    first, *others = members
    for attribute in first.attributes:
        same = [other for member in others for other in member.attributes if other.name == attribute.name and other.kind == attribute.kind]
        if len(same) == len(others):
            presence = "required" if all(other.presence == "required" for other in [attribute, *same]) else "optional"
            yield Attribute(attribute.name, attribute.kind, presence)


def view_of_group(group):
    members = ", ".join(f"Op::{member.name}" for member in group.members)
    what = "What these operations have in common: " + ", ".join(member.name for member in group.members)
    operands, attributes = common_operands(group.members), list(common_attributes(group.members))
    if not operands and not attributes:
        raise TableError(f"{group.name}: the operations have nothing in common")
    return view(group.name, what, f"node.is_one_of({{{members}}})", operands, attributes)


def views(family):
    # A node with bodies has a view of its own: LoopView and IfView of ir/control_flow.hpp.
    shown = [operation for operation in family.operations if (operation.operands or operation.attributes) and "has_bodies" not in operation.traits]
    classes = [view_of_operation(operation) for operation in shown] + [view_of_group(group) for group in family.groups]
    return f"""{HEAD}// {family.summary}
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/view.hpp"

// NOLINTBEGIN(readability-identifier-naming,google-explicit-constructor): the names are those of the table, and a
// function can have a view as its parameter.
namespace onnx2ir::ir {{

{chr(10).join(classes)}
}}  // namespace onnx2ir::ir
// NOLINTEND(readability-identifier-naming,google-explicit-constructor)
"""


def write_if_changed(path, text):
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main():
    table, folder = map(Path, sys.argv[1:])
    try:
        text = table.read_text()
        families = parse_table(text)
        names = attribute_names(families, names_without_row(text))
        files = {"ir/operations.hpp": identities(families), "ir/attribute_names.hpp": names}
        files |= {"ir/ops/families.hpp": family_functions(families), "ir/ops/descriptors.cpp": descriptors(families)}
        files |= {f"ir/views/{family.name}.hpp": views(family) for family in families}
    except TableError as error:
        sys.exit(f"{table}: {error}")
    for name, text in files.items():
        write_if_changed(folder / name, text)


if __name__ == "__main__":
    main()
