"""Links that leave docs/ lead to files of the repository: these become pages and files of the site.

A page links as it does in the repository, `../CONTRIBUTING.md`; MkDocs knows no file outside docs/, so that what is
linked is added here under its path in the repository, and the links are turned to it.
"""

import os
import re
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")
IN_THE_NAVIGATION = ("CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add every file outside docs/ that a page leads to, and those that these lead to."""
    waiting = [Path(file.abs_src_path) for file in files.documentation_pages() if file.abs_src_path]
    waiting += [added(ROOT / path, files, config) for path in IN_THE_NAVIGATION]
    while waiting:
        page = waiting.pop()
        for _, target, _ in LINK.findall(page.read_text(encoding="utf-8")):
            path = (page.parent / target).resolve()
            if is_outside(path) and files.get_file_from_path(address(path)) is None:
                added(path, files, config)
                if path.suffix == ".md":
                    waiting.append(path)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links of a page that lead to files of the repository to where these are in the site."""
    if page.file.abs_src_path is None:
        return markdown
    folder = Path(page.file.abs_src_path).parent
    here = PurePosixPath(page.file.src_uri).parent

    def turned(match: re.Match[str]) -> str:
        path = (folder / match[2]).resolve()
        if not path.is_file() or not path.is_relative_to(ROOT):
            return match[0]
        return f"{match[1]}{os.path.relpath(address(path), here)}{match[3]}"

    return LINK.sub(turned, markdown)


def is_outside(path: Path) -> bool:
    """Whether a path is a file of the repository that is not in docs/."""
    return path.is_file() and path.is_relative_to(ROOT) and not path.is_relative_to(DOCS)


def address(path: Path) -> str:
    """What a file is called in the site: its path in docs/, or in the repository."""
    return path.relative_to(DOCS if path.is_relative_to(DOCS) else ROOT).as_posix()


def added(path: Path, files: Files, config: MkDocsConfig) -> Path:
    """Add a file to the site; returns its path."""
    files.append(File.generated(config, address(path), abs_src_path=str(path)))
    return path
