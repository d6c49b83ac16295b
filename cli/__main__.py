"""Run the command: `python -m cli`."""

from cli import main

if __name__ == "__main__":
    main()
