"""The wheel for another system, from what ./dev cross has built. Usage: cross_wheel.py aarch64|windows LIBRARY TOOL ZIG FOLDER

ZIG is the folder of the compiler, whose C++ library is linked statically."""

import re
import sys
import tempfile
import zipfile
from pathlib import Path

from scikit_build_core.build import prepare_metadata_for_build_wheel
from tag_wheel import linux_tag, write_wheel

ROOT = Path(__file__).parents[1]
LICENSES = {"libc++": "libcxx/LICENSE.TXT", "mingw-w64": "libc/mingw/COPYING"}


def metadata():
    """The files of the folder .dist-info, by name. The tag in WHEEL is that of this machine."""
    with tempfile.TemporaryDirectory() as folder:
        name = prepare_metadata_for_build_wheel(folder)
        return name, {path.relative_to(folder).as_posix(): path.read_bytes() for path in Path(folder, name).rglob("*") if path.is_file()}


def entry(path, is_program):
    info = zipfile.ZipInfo(path)
    info.external_attr = (0o100755 if is_program else 0o100644) << 16
    return info


def main(system, library, tool, zig, folder):
    info_folder, info_files = metadata()
    name = info_folder.removesuffix(".dist-info")
    package = ROOT / "python"
    files = {path.relative_to(package).as_posix(): path.read_bytes() for path in sorted(package.rglob("*")) if path.suffix == ".py" or path.name == "py.typed"}
    for header in ("extension.h", "extension.hpp"):
        files[f"onnx2ir/include/onnx2ir/{header}"] = (ROOT / "include/onnx2ir" / header).read_bytes()
    programs = {f"onnx2ir/{library.name}": library.read_bytes(), f"{name}.data/scripts/{tool.name}": tool.read_bytes()}
    files.update(programs)
    files.update(sorted(info_files.items()))
    for license_name, path in LICENSES.items():
        if license_name != "mingw-w64" or system == "windows":
            files[f"{info_folder}/licenses/{license_name}.txt"] = (zig / "lib" / path).read_bytes()
    entries = {entry(path, path in programs): content for path, content in files.items()}
    tag = "win_amd64" if system == "windows" else linux_tag(entries, system)
    for info, content in entries.items():
        if info.filename == f"{info_folder}/WHEEL":
            entries[info] = re.sub(rb"(?m)^Tag: .*$", f"Tag: py3-none-{tag}".encode(), content)
    folder.mkdir(parents=True, exist_ok=True)
    write_wheel(folder / f"{name}-py3-none-{tag}.whl", entries, entry(f"{info_folder}/RECORD", False))


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:]))
