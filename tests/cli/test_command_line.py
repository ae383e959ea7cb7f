"""Options, files and messages of the command line tool."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import onnx
import pytest

from ..conformance.tool import tool_path
from .command import IMAGE_AND_LENGTH, converted, onnx_file, run

ROOT = Path(__file__).resolve().parents[2]
BAD = ROOT / "tests/errors/bad_unsupported_operators.onnxtxt"


@pytest.fixture
def model(tmp_path):
    return onnx_file(tmp_path / "m.onnx", IMAGE_AND_LENGTH)


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("option", ["-o{}", "-o={}", "--output-model={}", "--output_model={}"])
@pytest.mark.parametrize(
    ("output", "xml"),
    [("a/b/", "a/b/m.xml"), ("there", "there/m.xml"), ("c/d", "c/d.xml"), ("e.xml", "e.xml"), ("f.v2", "f.v2.xml")],
)
def test_output_model(model, tmp_path, option, output, xml):
    folder = tmp_path / "out"
    (folder / "there").mkdir(parents=True)
    converted(model, option.format(output), folder=folder)
    assert files(folder) == sorted([xml, str(Path(xml).with_suffix(".bin"))])


def test_folder_that_cannot_be_created(model, tmp_path):
    done = run(model, "-o", f"{model}/folder/")
    assert done.returncode == 1
    assert f"the folder '{model}/folder' cannot be created: Not a directory [cannot-write]" in done.stderr


def test_several_models(tmp_path):
    names = [f"m{i}" for i in range(8)]
    models = [onnx_file(tmp_path / f"{name}.onnx", IMAGE_AND_LENGTH) for name in names]
    done = run(*models[:4], BAD, *models[4:], "--jobs", 3, "-o", tmp_path / "out", "--verbose")
    assert done.returncode == 1
    assert files(tmp_path / "out") == sorted(f"{name}.{ending}" for name in names for ending in ("xml", "bin"))
    # Results are reported in the order of the models.
    told = re.findall(r"^.*/(m\d).xml, .*: \d+ layers|^onnx2ir: '.*' was not (converted)", done.stderr, re.M)
    assert [a or b for a, b in told] == ["m0", "m1", "m2", "m3", "converted", "m4", "m5", "m6", "m7"]
    timed = re.findall(r"^.*/(m\d).onnx: \w+ +[\d.]+ ms", done.stderr, re.M)
    assert set(timed) == set(names) and timed == sorted(timed)


def test_several_models_need_different_names(model, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    done = run(model, onnx_file(other / "m.onnx", IMAGE_AND_LENGTH), folder=tmp_path)
    assert done.returncode == 2 and "two of the models would be written to 'm.xml'" in done.stderr


@pytest.mark.parametrize("form", ["protobuf", "text"])
def test_standard_input(model, tmp_path, form):
    given = model.read_bytes() if form == "protobuf" else IMAGE_AND_LENGTH.encode()
    folder = tmp_path / "out"
    folder.mkdir()
    converted("-", folder=folder, stdin=None, input=given, text=False)
    converted("-", "-o", "named.xml", folder=folder, stdin=None, input=given, text=False)
    assert files(folder) == ["model.bin", "model.xml", "named.bin", "named.xml"]
    converted(model, "-o", "file.xml", folder=folder)
    assert (folder / "file.xml").read_bytes() == (folder / "model.xml").read_bytes()


def test_check_writes_nothing(model, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    converted(model, "--check", folder=folder)
    assert run(BAD, "--check", folder=folder).returncode == 1
    assert files(folder) == []


def test_report(model, tmp_path):
    done = run(model, BAD, "--report", "report.json", "-o", "out/", folder=tmp_path)
    assert done.returncode == 1
    report = json.loads((tmp_path / "report.json").read_text())
    good, bad = report["models"]
    assert f"onnx2ir {report['onnx2ir']}\n" == run("--version").stdout
    assert good["model"] == str(model) and good["converted"] and good["xml"] == "out/m.xml" and good["seconds"] > 0
    assert good["inputs"][1] == {"name": "seq_len", "element_type": "i64", "shape": [-1], "dimensions": [{"min": 0, "max": -1, "name": "n"}]}
    assert [output["name"] for output in good["outputs"]] == ["sum", "lengths"]
    assert not bad["converted"] and bad["xml"] is None and bad["inputs"] is None
    assert {one["severity"] for one in bad["diagnostics"]} == {"error"}
    done = converted(model, "--check", "--report", "-", folder=tmp_path)
    assert json.loads(done.stdout)["models"][0]["xml"] is None
    done = run(model, "--report", "no/such/folder/r.json", folder=tmp_path)
    assert done.returncode == 1 and "cannot be written" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no model is given; see --help"),
        (["m.onnx", "--outptu", "x"], "there is no option --outptu; did you mean --output?"),
        (["m.onnx", "--target_runtimes=2025.4"], "there is no option --target_runtimes; did you mean --target-runtime?"),
        (["m.onnx", "--zzzzzzzzz"], "there is no option --zzzzzzzzz; --help lists the options"),
        (["m.onnx", "-x"], "there is no option -x; --help lists the options"),
        (["diff", "-", "-"], "standard input can be only one of the two models"),
        (["lint", "-"], "an IR is not read from standard input, because its weights are in a second file; name the file: onnx2ir lint IR.xml"),
        (["legalize", "-", "-o", "x.xml"], "name the file: onnx2ir legalize IR.xml"),
        (["m.onnx", "--json"], "--json is an option of diff, stats and lint, not of conversions"),
        (["show", "m.onnx", "--json=true"], "--json is an option of diff, stats and lint, not of show"),
        (["m.onnx", "--ignore_names"], "--ignore_names is an option of diff, not of conversions"),
        (["stats", "m.onnx", "--jobs", "2"], "--jobs is an option of conversions, not of stats"),
        (["stats", "m.onnx", "-j2"], "-j is an option of conversions, not of stats"),
        (["lint", "m.xml", "-o", "n.xml"], "-o is an option of conversions and legalize, not of lint"),
        (["lint", "m.xml", "--framework=onnx"], "there is no option --framework; --help lists the options"),
        (["m.onnx", "--threads"], "--threads needs a value: N"),
        (["m.onnx", "--threads", "many"], "--threads: 'many' is not a number from 0 to 1024"),
        (["m.onnx", "--max-memory=2X"], "--max-memory: '2X' is not a size such as 500M or 2G"),
        (["m.onnx", "--compress_to_fp16=maybe"], "--compress_to_fp16: 'maybe' is neither True nor False"),
        (["m.onnx", "--sync", "now"], "--sync: 'now' is not one of replaced, always, never"),
        (["m.onnx", "--skip-pass", "fold_constant"], "there is no pass 'fold_constant'; did you mean 'fold_constants'?"),
        (["m.onnx", "--jobs", "0"], "--jobs: '0' is not a number from 1 to 64"),
        (["m.onnx", "--verbose=perhaps"], "--verbose: 'perhaps' is neither True nor False"),
        (["--input_model", "m.onnx"], "--input_model: pass the model without an option: onnx2ir MODEL"),
        (["m.onnx", "--output_dir", "x"], "--output_dir: write --output-model FOLDER/"),
        (["m.onnx", "--mean_values", "[1,2,3]"], "onnx2ir explain from-ovc"),
        (["m.onnx", "--batch", "8"], "--batch: pass the shapes with --input"),
        (["m.onnx", "--framework=onnx"], "--framework: leave it out"),
        (["m.onnx", "--log_level", "DEBUG"], "--log_level: use --verbose"),
        (["m.onnx", "-o", "out.bin"], "-o names the XML, and the weights are next to it: -o out.xml"),
        (["m.onnx", "-o", "out/m.onnx"], "-o out/m.xml"),
        (["m.onnx", "-o", "-"], "two files cannot go to standard output; use --check to convert without writing"),
        (["m.onnx", "n.onnx", "-o", "-"], "two files cannot go to standard output"),
        (["m.onnx", "n.onnx", "-o", "out.xml"], "-o out.xml names one file, but several models need a folder: -o out/"),
    ],
)
def test_invalid_usage(arguments, message):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("onnx2ir: ") and message in done.stderr


LONG = "x" * 300


@pytest.mark.parametrize("path", [LONG, f"{LONG}/m", f"folder/{LONG}.xml", "loop", "loop/m", "loop/", "loop/m.xml", "m.onnx/inside", "two/m", "", "a\nb/c"])
@pytest.mark.parametrize(
    "words",
    [
        [],
        ["{model}", "-o"],
        ["{model}", "{model_2}", "-o"],
        ["{model}", "--check", "--report"],
        ["{model}", "--check", "--html"],
        ["{model}", "--check", "--operator-map"],
        ["{model}", "--check", "--extension"],
        ["--check", "{model}", "--external-data-folder"],
        ["--check-files"],
        ["show"],
        ["show", "{model}", "--html"],
        ["diff", "{model}"],
    ],
    ids=" ".join,
)
def test_bad_paths(words, path, model, tmp_path):
    """A name of 300 letters and a link to itself cannot be looked up: an error of the user, not a fault of onnx2ir."""
    for name, target in {"loop": "loop", "two": "two_more", "two_more": "two"}.items():
        (tmp_path / name).symlink_to(target)
    shutil.copy(model, tmp_path / "n.onnx")
    given = [word.format(model="m.onnx", model_2="n.onnx") for word in words]
    done = run(*given, path, folder=tmp_path)
    if done.returncode == 0:  # a folder or a file that could be created, or an option without a value
        assert (path in ("a\nb/c", "loop") and "-o" in words) or path == ""
        return
    assert done.returncode in (1, 2), done.stderr
    assert done.stderr.startswith(("onnx2ir: ", "error: ")) and "internal" not in done.stderr
    assert "filesystem error" not in done.stderr and "terminate" not in done.stderr


def test_a_link_to_itself_is_no_hint(tmp_path):
    (tmp_path / "model.onnx").symlink_to("model.onnx")
    done = run("model.onnx", folder=tmp_path)
    assert done.returncode == 1 and "cannot be read" in done.stderr and "did you mean" not in done.stderr


def model_with_external_data(folder):
    weights = onnx.helper.make_tensor("w", onnx.TensorProto.FLOAT, [4], bytes(16), raw=True)
    node = onnx.helper.make_node("Add", ["x", "w"], ["y"])
    ports = [[onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [4])] for name in "xy"]
    model = onnx.helper.make_model(onnx.helper.make_graph([node], "g", *ports, [weights]), opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=10)
    folder.mkdir()
    onnx.save(model, folder / "m.onnx", save_as_external_data=True, location="w.data", size_threshold=0)


@pytest.mark.parametrize("command", [["--check"], ["show"], ["stats"]], ids=" ".join)
def test_missing_external_data(command, tmp_path):
    """The error names the path that was tried, and what to do."""
    model_with_external_data(tmp_path / "there")
    (tmp_path / "there/w.data").rename(tmp_path / "w.data")
    done = run(*command, "there/m.onnx", folder=tmp_path)
    assert done.returncode == 1 and f"hint: there is no file '{tmp_path}/there/w.data': put it beside the model" in done.stderr, done.stderr
    given = (tmp_path / "there/m.onnx").read_bytes()
    done = run(*command, "-", folder=tmp_path, stdin=None, input=given, text=False)
    assert done.returncode == 1 and b"hint: name the folder of the model's external data with --external-data-folder" in done.stderr
    done = run(*command, "-", "--external-data-folder", "there", folder=tmp_path, stdin=None, input=given, text=False)
    assert done.returncode == 1 and f"hint: there is no file '{tmp_path}/there/w.data'".encode() in done.stderr
    assert run(*command, "-", "--external-data-folder", ".", folder=tmp_path, stdin=None, input=given, text=False).returncode == 0
    assert run(*command, "there/m.onnx", "--external-data-folder", ".", folder=tmp_path).returncode == 0
    for folder, reason in (("none", "No such file or directory"), ("w.data", "it is not a folder")):
        done = run(*command, "there/m.onnx", "--external-data-folder", folder, folder=tmp_path)
        assert done.returncode == 1 and f"the folder of its external data, '{folder}': {reason}" in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        (("duplicate", "b = Neg (x)"), {"duplicate-name"}),
        (("undefined", "c = Neg (z)"), {"undefined-name", "unsupported-operator"}),
        (("cycle", "c = Neg (d) d = Neg (c)"), {"cyclic-graph", "unsupported-operator"}),
    ],
    ids=lambda part: part[0] if isinstance(part, tuple) else "",
)
def test_which_errors_hide_others(change, codes, tmp_path):
    """As docs/command-line.md says."""
    (tmp_path / "m.onnxtxt").write_text(f'<ir_version: 10, opset_import: ["" : 17, "own" : 1]> m (float x) => (float y) {{ b = Neg (x) {change[1]} y = own.Foo (x) }}')
    done = run("m.onnxtxt", "--check", folder=tmp_path)
    assert done.returncode == 1 and set(re.findall(r"^error: .*\[([a-z-]+)\]$", done.stderr, re.M)) == codes


def test_releases_that_are_not_supported(model, tmp_path):
    for releases, messages in {
        "2026.0..2025.0": ["the releases of '2026.0..2025.0' are in the wrong order", "hint: write 2025.0..2026.0"],
        "2025": ["'2025' is a year, not an OpenVINO release", "hint: name one of the supported releases of 2025: 2025.0, 2025.1, 2025.2, 2025.3, 2025.4"],
        "1999": ["'1999' is not a supported OpenVINO release or a range of them", "hint: name a release such as"],
        "2030.0..1999.0": ["is not a supported OpenVINO release"],
        "2025.0..": ["is not a supported OpenVINO release"],
    }.items():
        done = run(model, "--check", "--target-runtime", releases, folder=tmp_path)
        assert done.returncode == 2 and all(message in done.stderr for message in messages), done.stderr


def test_convert_is_a_word_that_may_be_left_out(tmp_path):
    onnx_file(tmp_path / "m.onnx", IMAGE_AND_LENGTH)
    onnx_file(tmp_path / "convert", IMAGE_AND_LENGTH)
    assert run("convert", "m.onnx", "-o", "a.xml", folder=tmp_path).returncode == 0
    assert run("m.onnx", "-o", "b.xml", folder=tmp_path).returncode == 0
    assert run("./convert", "-o", "c.xml", folder=tmp_path).returncode == 0
    assert (tmp_path / "a.bin").read_bytes() == (tmp_path / "b.bin").read_bytes()
    done = run("convert", folder=tmp_path)
    assert done.returncode == 2 and done.stderr == "onnx2ir: no model is given; see --help\n"


def test_options_after_a_double_hyphen_are_models(tmp_path):
    onnx_file(tmp_path / "--check", IMAGE_AND_LENGTH)
    converted("-o", "x.xml", "--", "--check", folder=tmp_path)
    assert (tmp_path / "x.xml").exists()


def test_completions_and_manual_page():
    names = set(re.findall(r"--([a-z][a-z0-9-]+)", run("--help").stdout)) - {"compress"}
    assert names >= {"json", "ignore-names", "dim", "check-files", "sync"}  # options of all commands
    for form in ("man", "bash", "zsh", "fish", "markdown"):
        text = run("--documentation", form).stdout.replace("\\-", "-")
        missing = {name for name in names if f"--{name}" not in text and f"-l {name}" not in text}
        assert not missing, (form, missing)


def test_bash_completes_options_and_values():
    script = run("--documentation", "bash").stdout
    ask = script + "\nCOMP_WORDS=(onnx2ir {0}); COMP_CWORD={1}; compopt() {{ :; }}; _onnx2ir; echo \"${{COMPREPLY[*]}}\""
    for words, count, expected in [
        ("--compress", 1, "--compress-to-fp16"),
        ("--sync a", 2, "always"),
        ("--diagnostics-format ''", 2, "text json github sarif"),
        ("--ig", 1, ""),
        ("diff --ig", 2, "--ignore-names"),
        ("lint --j", 2, "--json"),
        ("stats --d", 2, "--dynamic-quantization --dim --diagnostics-format --documentation"),
    ]:
        done = subprocess.run(["bash", "-c", ask.replace("{0}", words).replace("{1}", str(count)).replace("{{", "{").replace("}}", "}")], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == expected, done.stderr


def test_documented_options(request):
    """docs/command-line.md contains the options as listed by the tool; --update writes them."""
    path = ROOT / "docs/command-line.md"
    text = path.read_text()
    start, end = "<!-- generated: options -->\n", "<!-- end -->\n"
    head, rest = text.split(start)
    now = head + start + run("--documentation", "markdown").stdout + end + rest.split(end)[1]
    if request.config.option.update:
        path.write_text(now)
    assert path.read_text() == now


def test_documented_commands(tmp_path):
    """The commands at the start of docs/command-line.md, in a folder with a model."""
    block = (ROOT / "docs/command-line.md").read_text().split("MODEL... [options]\n")[1].split("\n\n")[0]
    commands = [line.split("  # ")[0].strip() for line in block.splitlines()]
    assert len(commands) >= 6
    text = '<ir_version: 10, opset_import: ["" : 17]> m (float[n, 3, h, w] x) => (float[n, 3, h, w] y) { y = Relu (x) }'
    onnx_file(tmp_path / "model.onnx", text)
    onnx_file(tmp_path / "new.onnx", text.replace("Relu", "Abs"))
    for command in commands:
        done = subprocess.run(["bash", "-c", command.replace("old.xml", "model.xml")], cwd=tmp_path, env={"PATH": f"{Path(tool_path()).parent}:/usr/bin:/bin"}, capture_output=True, text=True, check=False)
        assert done.returncode == (1 if command.startswith("onnx2ir diff") else 0) and done.stderr == "", done.stderr
    assert {path.name for path in (tmp_path / "ir").iterdir()} == {"model.xml", "model.bin", "new.xml", "new.bin"}


CHOICES = {
    "sync": ["replaced", "always", "never"],
    "quantization": ["fast", "exact"],
    "dynamic-quantization": ["auto", "never", "always"],
    "diagnostics-format": ["text", "json", "github", "sarif"],
}


@pytest.mark.parametrize("option", CHOICES)
def test_choices(option, model, tmp_path):
    """One list of words for the check, the completions and the manual page."""
    words = CHOICES[option]
    for word in words:
        converted(model, "--check", f"--{option}={word}", folder=tmp_path)
    done = run(model, "--check", f"--{option}={words[-1]}x", folder=tmp_path)
    assert done.returncode == 2 and f"did you mean '{words[-1]}'?" in done.stderr
    assert f"--{option}) COMPREPLY=($(compgen -W \"{' '.join(words)}\"" in run("--documentation", "bash").stdout
    assert f"({' '.join(words)})" in run("--documentation", "zsh").stdout
    assert f"-a '{' '.join(words)}'" in run("--documentation", "fish").stdout
    assert all(word in run("--documentation", "man").stdout for word in words)


@pytest.mark.parametrize("option", ["verbose", "check", "compress_to_fp16"])
def test_flags_are_read_in_one_way(option, model, tmp_path):
    for word, code in {"true": 0, "TRUE": 0, "tRuE": 0, "False": 0, "fAlSe": 0, "1": 2, "yes": 2, "": 2}.items():
        done = run(model, "--check", f"--{option}={word}", folder=tmp_path)
        assert done.returncode == code, (word, done.stderr)
    converted(model, "--check", f"--{option}", "fALSE", folder=tmp_path)


SCALE = '''<ir_version: 10, opset_import: ["" : 17]>
g (float[n, 3] x) => (float[n, 3] y) { two = Constant <value = float {2.0}> ()  [scale] y = Mul (x, two) }'''


@pytest.mark.parametrize(
    ("text", "options", "messages"),
    [
        (SCALE, ["--output", "scale"], ["but a node of that name", "the outputs of the node: y"]),
        (SCALE.replace("[scale]", "[idle] = Foo (x) [scale]"), ["--output", "idle"], ["no tensor 'idle' in its main graph"]),
        (SCALE.replace("[scale]", "[idle] = Foo (x) [scale]"), ["--input", "idle"], ["no tensor 'idle' in its main graph"]),
        (SCALE, ["--input", "X[1,3]"], ["did you mean 'x'?"]),
        (SCALE, ["--input", "x{fp16}"], ["did you mean 'f16'?"]),
        (SCALE, ["--input", "x{Float32}"], ["did you mean 'f32'?"]),
        (SCALE, ["--input", "x{F16}"], ["did you mean 'f16'?"]),
        (SCALE.replace("(x, two)", "(x, tow)"), [], ["input 'tow' is not defined", "did you mean 'two'?"]),
        (SCALE.replace("(x, two)", "(X, two)"), [], ["did you mean 'x'?"]),
    ],
)
def test_similar_names(text, options, messages, tmp_path):
    (tmp_path / "m.onnxtxt").write_text(text)
    done = run("m.onnxtxt", "--check", *options, folder=tmp_path)
    assert done.returncode == 1
    assert all(message in done.stderr for message in messages), done.stderr


def options_in_help(*words):
    return set(re.findall(r"^  (?:-\w, )?--([a-z][a-z0-9-]+)", run(*words, "--help").stdout, re.M))


def test_documents_have_the_options_of_all_commands():
    """Each command accepts the options of its help, which are in the documents with the names of commands that are not conversions."""
    commands = ["show", "diff", "stats", "lint", "legalize"]
    everything = options_in_help()
    assert everything == set().union(*(options_in_help(name) for name in commands), options_in_help("help")) | everything
    assert "--ignore-names` | diff: compare no names" in run("--documentation", "markdown").stdout
    assert "--json` | diff, stats, lint: print the result as JSON" in run("--documentation", "markdown").stdout
    assert "__fish_seen_subcommand_from diff' -l ignore-names" in run("--documentation", "fish").stdout
    for name in commands:
        assert options_in_help(name) < everything
        for option in everything - options_in_help(name):
            assert run(name, "x.onnx", "y.onnx", f"--{option}=1").returncode == 2, (name, option)
