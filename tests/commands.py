"""The command line as tests call it."""

import json

from click.testing import CliRunner

from relevance import cli


def write(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def run(*arguments, code=0):
    result = CliRunner().invoke(cli.main, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def run_json(*arguments):
    """What a command prints as JSON: real JSON, in which there is no NaN, and nothing else."""

    def refuse(constant):
        raise AssertionError(constant)

    return json.loads(run(*arguments, "--format", "json").stdout, parse_constant=refuse)


def refused(*arguments):
    result = run(*arguments, code=2)
    assert result.stdout == ""
    return result.stderr.splitlines()[-1].removeprefix("Error: ")
