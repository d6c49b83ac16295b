"""Parquet that would take much memory is refused by the page as by the command line (`tests/data/test_limits.py`)."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.page

ROOT = Path(__file__).resolve().parents[2]

MEASURE = """
import json, resource, sys, time
from pathlib import Path
import pyarrow.compute, pyarrow.parquet
from streamlit.testing.v1 import AppTest

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000

path = Path(sys.argv[1])
app = AppTest.from_file(str(Path("pages/main.py").resolve()), default_timeout=120)
app.run()
app.switch_page("datasets.py").run()
app.file_uploader(key="file:0").upload(path.name, path.read_bytes(), "application/octet-stream")
before, start = peak(), time.process_time()
app.run()
assert not app.exception, app.exception
print(json.dumps([[error.value for error in app.error], peak() - before, time.process_time() - start]))
"""


def repeated(text, rows):
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([text]))


@pytest.mark.process
@pytest.mark.parametrize(
    ("text", "rows", "message"),
    [
        ("x" * 2_000_000, 1000, "over 200 MiB of text"),
        ("x" * 10_000_000, 2000, "over 200 MiB of text"),
        ("x" * 300_000_000, 1, "over 200 MiB of text"),
        ("x", 20_000_000, "20,000,000 rows"),
    ],
    ids=["2 MB by a thousand", "10 MB by two thousand", "300 MB", "twenty million rows"],
)
def test_an_upload_that_would_take_much_is_refused(tmp_path, sqlite_url, text, rows, message):
    path = tmp_path / "f.parquet"
    names = ("document_id", "reference", "system", "summary")
    ids = {"document_id": pa.array([f"d{row}" for row in range(rows)])} if rows < 10_000 else {}
    table = pa.table({name: repeated(name, rows) for name in names} | ids | {"source": repeated(text, rows)})
    pq.write_table(table, path, compression="zstd")
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, path], cwd=ROOT, capture_output=True, text=True, timeout=300, check=True
    )
    (error,), memory, seconds = json.loads(done.stdout.splitlines()[-1])
    assert message in error.replace("\\", "")
    assert memory < 300  # MB
    assert seconds < 30  # several times what is promised: the machine may be busy
