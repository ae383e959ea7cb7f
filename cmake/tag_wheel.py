"""Tags a wheel with the oldest glibc that it runs with, according to its symbols. Usage: tag_wheel.py WHEEL FOLDER"""

import base64
import csv
import hashlib
import io
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

# PEP 600: all libraries except glibc and GCC's runtime library must be in the wheel.
ALLOWED = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def dynamic_facts(content):
    """The libraries that an ELF file needs, and the newest version of glibc's symbols that it uses."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        text = subprocess.run(["readelf", "--wide", "--dynamic", "--version-info", file.name], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", text))
    versions = [tuple(map(int, found)) for found in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", text)]
    return needed, max(versions, default=(2, 5))


def write_wheel(path, files, record):
    """`files`: the content by ZipInfo, without RECORD, which is the ZipInfo `record`."""
    rows = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for info, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append((info.filename, f"sha256={digest}", len(content)))
            archive.writestr(info, content, zipfile.ZIP_DEFLATED, 9)
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([*rows, (record.filename, "", "")])
        archive.writestr(record, text.getvalue(), zipfile.ZIP_DEFLATED)
    print(path)


def linux_tag(files, machine):
    """The tag of a wheel with these files: that of the oldest glibc that they run with."""
    newest = (2, 17)
    for info, content in files.items():
        if not content.startswith(b"\x7fELF"):
            continue
        needed, version = dynamic_facts(content)
        if needed - ALLOWED:
            sys.exit(f"{info.filename} needs {', '.join(sorted(needed - ALLOWED))}")
        newest = max(newest, version)
    return f"manylinux_{newest[0]}_{newest[1]}_{machine}"


def main(wheel, folder):
    with zipfile.ZipFile(wheel) as archive:
        files = {info: archive.read(info) for info in archive.infolist()}
    tag = linux_tag(files, "x86_64")
    record = next(info for info in files if info.filename.endswith(".dist-info/RECORD"))
    del files[record]
    for info, content in files.items():
        if info.filename.endswith(".dist-info/WHEEL"):
            files[info] = content.replace(b"-linux_x86_64", f"-{tag}".encode())
    write_wheel(folder / re.sub(r"-linux_x86_64\.whl$", f"-{tag}.whl", wheel.name), files, record)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
