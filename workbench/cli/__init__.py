"""The terminal's door.

To add a command on files: write it in a module here with `@click.command`, its inputs by `files`, its options
and what it prints by `output`; add its line to `COMMANDS` in `main`, where it is imported when it is called,
and name it in `help/pages/commands.md`. One that works on a campaign: see `cli.campaign`.
"""
