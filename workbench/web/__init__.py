"""The browser's door.

    app          puts the door together
    access       who may call what; every view says it by a decorator
    pages/       one module a blueprint, named as its folder of templates
    rendering    documents and guidelines as HTML that is safe to show

A view parses, opens `reading()` or `writing()`, calls one use-case and renders what it returns.
"""
