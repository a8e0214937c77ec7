"""The command line: a Hydra application, and the verbs beside it."""


def main() -> None:
    """Run madbench."""


if __name__ == "__main__":
    main()
