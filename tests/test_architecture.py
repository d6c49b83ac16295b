"""The import rules of docs/architecture.md, the places that docs name, and what the app must not load."""

import ast
import re
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

MAY_IMPORT = {
    "data": set(),
    "analysis": {"data"},
    "processes": {"data"},
    "metrics": {"processes", "data"},
    "llm": {"data"},
    "summarizers": {"llm", "metrics", "processes", "data"},
    "annotation": {"data"},
    "hosting": {"annotation", "data"},
    "reports": {"analysis", "annotation", "metrics", "summarizers", "data"},
    "bundles": {"reports", "analysis", "annotation", "metrics", "summarizers", "data"},
    "distributed": {"llm", "metrics", "summarizers", "data"},
    "relevance": {"reports", "analysis", "metrics", "data"},
    "pages": {"reports", "analysis", "annotation", "bundles", "hosting", "metrics", "processes", "summarizers", "data"},
    "cli": {
        "reports",
        "analysis",
        "annotation",
        "bundles",
        "distributed",
        "hosting",
        "llm",
        "metrics",
        "summarizers",
        "data",
        "app",
    },
    "app": {"data", "hosting", "pages", "metrics"},
}
SAYS_NOTHING = {"one", "found", "asked", "said"}
"""Words that nothing is called by, as they do not say what it is."""

STREAMLIT = {"pages", "app"}
HEAVY = {"torch", "transformers", "spacy", "nltk", "simplemma", "stopwordsiso", "openai", "ray"}


def files(package: str) -> list[Path]:
    if package == "app":
        return [ROOT / "app.py"]
    if package == "relevance":  # the Python interface: `__main__` is the command, and the links are other packages
        ours = {"__init__.py", "explaining.py", "choices.py", "frames.py", "ratings.py", "scores.py"}
        assert {path.name for path in (ROOT / package).glob("*.py")} == {*ours, "__main__.py", "app.py"}
        return sorted(ROOT / package / name for name in ours)
    return sorted((ROOT / package).rglob("*.py"))


def imported_modules(tree: ast.AST) -> set[str]:
    """Every import, wherever in the file it stands, such as `relevance.data.records.Document`."""
    modules: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            modules |= {f"{node.module}.{alias.name}" for alias in node.names}
    return modules


def imported(tree: ast.AST) -> set[str]:
    """The packages of ours that are imported, and the top-level names of others'."""
    return set(map(package_of, imported_modules(tree)))


def package_of(module: str) -> str:
    """`data` of `relevance.data.records`; `relevance` of the modules of the Python interface."""
    first, second, *_ = [*module.split("."), ""]
    return second if first == "relevance" and second in MAY_IMPORT else first


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_arrows_run_one_way(package: str) -> None:
    allowed = MAY_IMPORT[package] | {package}
    for file in files(package):
        names = imported(ast.parse(file.read_text()))
        assert names & set(MAY_IMPORT) <= allowed, file
        if package not in STREAMLIT:
            assert "streamlit" not in names, file


def test_imports_go_in_no_circle() -> None:
    """Wherever in a file they stand, and between whatever modules."""
    trees = {
        ".".join(["relevance", *file.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__"): file
        for package in MAY_IMPORT
        if package != "relevance"
        for file in files(package)
    }
    imports = {}
    for module, file in trees.items():
        result = imported_modules(ast.parse(file.read_text()))
        places = {name if name in trees else name.rpartition(".")[0] for name in result}
        imports[module] = (places & set(trees)) - {module}
    assert sum(map(len, imports.values())) > 2000
    TopologicalSorter(imports).prepare()  # raises CycleError, which names them


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_heavy_libraries_are_not_imported_at_module_level(package: str) -> None:
    for file in files(package):
        tree = ast.parse(file.read_text())
        top = ast.Module([node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)], [])
        assert not imported(top) & HEAVY, file


@pytest.mark.smoke
@pytest.mark.process
def test_the_app_starts_without_what_only_scoring_needs() -> None:
    modules = "app, annotation.results, data.importing, reports.report.study, pages.components.shared.stores, metrics"
    code = f"import sys, relevance.{modules.replace(', ', ', relevance.')}; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not set(loaded.stdout.split()) & HEAVY


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring."""
    assert function.end_lineno is not None
    first = function.body[0]
    documented = isinstance(first, ast.Expr) and ast.get_docstring(function) is not None
    return function.end_lineno - function.lineno + 1 - ((first.end_lineno or 0) - first.lineno + 1 if documented else 0)


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_files_and_functions_are_short_enough_to_read(package: str) -> None:
    for file in files(package):
        if "migrations" in file.parts:
            continue
        text = file.read_text()
        assert len(text.splitlines()) <= 500, file
        for function in ast.walk(ast.parse(text)):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                taken = [
                    parameter.arg
                    for parameter in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
                ]
                assert len([name for name in taken if name not in {"self", "cls"}]) <= 8, (file, function.name)
                assert lines_of(function) <= 60, (file, function.name)


@pytest.mark.parametrize("folder", [*MAY_IMPORT, "tests", "benchmarks"])
def test_names_say_what_they_hold(folder: str) -> None:
    for file in files(folder):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                assert node.name not in SAYS_NOTHING, (file, node.lineno)
            elif isinstance(node, ast.arg):
                assert node.arg not in SAYS_NOTHING, (file, node.lineno)
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                name = node.id if isinstance(node, ast.Name) else node.attr
                assert name not in SAYS_NOTHING, (file, node.lineno)


def test_pages_stay_off_other_pages_and_unsafe_html() -> None:
    for file in sorted((ROOT / "pages").glob("*.py")):
        text = file.read_text()
        assert "unsafe_allow_html" not in text, file
        others = {f"relevance.pages.{other.stem}" for other in (ROOT / "pages").glob("*.py")}
        assert not others & set(text.split()), file


@pytest.mark.parametrize("script", sorted((ROOT / "pages").glob("*.py")), ids=lambda path: path.name)
def test_a_page_shows_no_string_that_is_meant_for_readers_of_the_code(script: Path) -> None:
    """Streamlit writes a string that stands alone in a page's script onto the page."""
    alone = [
        statement.value.value
        for statement in ast.parse(script.read_text()).body[1:]
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    ]
    assert alone == []


def test_the_package_leads_to_every_folder() -> None:
    """A folder of ours is imported as a part of `relevance`, where a relative link leads to it."""
    linked = {path.name: path.readlink() for path in (ROOT / "relevance").iterdir() if path.is_symlink()}
    ours = {name: f"{name}.py" if name == "app" else name for name in MAY_IMPORT if name != "relevance"}
    assert linked == {name: Path("..", name) for name in [*ours.values(), ".streamlit"]}
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]["flake8-tidy-imports"]
    assert settings["banned-api"] == {name: {"msg": f"relevance.{name}"} for name in ours}


PATCHES = ("setattr", "patch")


def bare_names(node: ast.AST) -> set[str]:
    """Packages of ours that a program in a string, `-m` or a patched name calls by other names than `relevance.X`."""
    ours = set(MAY_IMPORT) - {"relevance"}
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and "import " in node.value:
        try:
            return {module.partition(".")[0] for module in imported_modules(ast.parse(node.value))} & ours
        except SyntaxError:
            return set()  # a sentence
    if isinstance(node, ast.List | ast.Tuple):
        words = [part.value if isinstance(part, ast.Constant) else None for part in node.elts]
        return {str(word).split(".")[0] for flag, word in pairwise(words) if flag == "-m"} & ours
    patches = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in PATCHES
    if patches and node.args:
        name = node.args[0]
        return {name.value.split(".")[0]} & ours if isinstance(name, ast.Constant) else set()
    return set()


def test_programs_in_strings_use_the_names_of_the_installed_package() -> None:
    """In a checkout's folder the bare name of a package loads it a second time; ruff does not see into strings."""
    other = {"tests/e2e/test_installed.py": {"distributed", "llm"}}  # strangers of those names, installed beside us
    for file in [file for folder in (*MAY_IMPORT, "tests", "benchmarks", "docs") for file in files(folder)]:
        place = str(file.relative_to(ROOT))
        names = set().union(*map(bare_names, ast.walk(ast.parse(file.read_text()))))
        assert names == other.get(place, set()), place


def test_child_processes_import_nothing_from_where_they_are_started() -> None:
    """Python looks for the modules of `-m` and `-c` in the working folder first, unless it is told not to."""
    for package in MAY_IMPORT:
        for file in files(package):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.List) and ast.unparse(node).startswith("[sys.executable, "):
                    assert ast.unparse(node.elts[1]) == "'-P'", file


def pages_about_places() -> list[str]:
    docs = ROOT / "docs"
    return [
        path.relative_to(ROOT).as_posix()
        for path in (docs / "architecture.md", docs / "explanation" / "where.md", *sorted(docs.glob("decisions/*.md")))
    ]


@pytest.mark.parametrize("page", pages_about_places())
def test_places_that_the_map_and_the_decisions_name_are_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [name for name in re.findall(r"`([\w./]+)`", text) if is_place(name) and not exists(name)] == []


OF_USERS = {"random.py", "study.toml"}
"""Names of files that users have."""


def is_place(name: str) -> bool:
    return name not in OF_USERS and (name.endswith(("/", ".py", ".js", ".toml")) or name.startswith("relevance."))


def exists(name: str) -> bool:
    """Whether there is a file or folder that ends in this path, or a module of this dotted name, or what is in one."""
    if name.startswith("relevance."):
        module = ROOT.joinpath(*name.split(".")[1:])
        return module.is_dir() or module.with_suffix(".py").is_file() or module.parent.with_suffix(".py").is_file()
    return (ROOT / name).exists() or any(any((ROOT / package).rglob(name)) for package in MAY_IMPORT)
