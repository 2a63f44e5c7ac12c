"""What people read: one Markdown page for each reader and step, the same in the browser and the terminal.

    manual       the pages, their order, and which page of the product each one explains
    generated    the tables that a registry of the program fills in, and the environment variables
    search       a page as HTML, as Markdown for a terminal, and as sections; full-text search over these

To add a page, write `pages/NAME.md`. It begins with `key: value` lines between two lines of `---`:

    title, reader (of `manual.Reader`), order (a number: place among the pages of this reader), summary,
    opened-from (endpoints or blueprints of the web whose `?` leads here; may be left out)

Link to other pages as `[Pools](pools.md#drafts)`, write keys as `[[U]]`, pictures as
`![alt](../../../static/help/desk.webp)`, and a table of `generated.GENERATED` as a line `{{ strategies }}`.
Everything in these pages is open to everybody, signed in or not.
"""
