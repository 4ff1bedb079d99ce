"""``python -m plait``: the command line where the command itself is not on the path."""

from plait.cli.start import main

if __name__ == "__main__":
    main()
