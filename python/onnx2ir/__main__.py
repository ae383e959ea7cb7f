"""`python -m onnx2ir`: the command line tool that is installed with this interpreter."""

import os
import shutil
import sys
import sysconfig
from typing import NoReturn


def main() -> NoReturn:
    folders = [sysconfig.get_path("scripts"), os.environ.get("PATH", "")]
    tool = shutil.which("onnx2ir", path=os.pathsep.join(folders))
    if tool is None:
        sys.exit("onnx2ir: the command line tool is not installed")
    os.execv(tool, [tool, *sys.argv[1:]])


if __name__ == "__main__":
    main()
