"""Run the command: `python -m relevance`."""

from relevance.cli import main

if __name__ == "__main__":
    main(prog_name="relevance")
