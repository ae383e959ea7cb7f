"""Writes the list of the families of translators, which the build finds in the sources.

    python3 generate_families.py TRANSLATORS_FOLDER FOLDER

frontend/translators/families.hpp  in FOLDER

A family is a function `std::vector<TranslatorRow> NAME_translators()` at the start of a line, in a subfolder of TRANSLATORS_FOLDER. The
header is not touched if it has not changed.
"""

import re
import sys
from pathlib import Path

FAMILY = re.compile(r"^std::vector<TranslatorRow> (\w+_translators)\(\) \{$", re.MULTILINE)

HEADER = """// The families of translators. Generated from the sources of frontend/translators (cmake/generate_families.py).
#pragma once

#include <vector>

#include "frontend/graph/translator_table.hpp"
#include "frontend/translators/domains.hpp"

namespace onnx2ir::frontend {{

{declarations}

inline constexpr TranslatorFamily kTranslatorFamilies[] = {{
{entries}
}};

}}  // namespace onnx2ir::frontend
"""


def families_of(folder):
    """(function, folder) of each family, by file name."""
    return [(name, source.parent.name) for source in sorted(folder.glob("*/*.cpp")) for name in FAMILY.findall(source.read_text(encoding="utf-8"))]


def header_of(families):
    declarations = "\n".join(f"std::vector<TranslatorRow> {name}();" for name, _ in families)
    entries = "\n".join(f'    {{{name}, domain_of_folder("{folder}")}},' for name, folder in families)
    return HEADER.format(declarations=declarations, entries=entries)


def main():
    translators, folder = map(Path, sys.argv[1:])
    text = header_of(families_of(translators))
    header = folder / "frontend/translators/families.hpp"
    header.parent.mkdir(parents=True, exist_ok=True)
    if not header.exists() or header.read_text(encoding="utf-8") != text:
        header.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
