"""The web interface.

    app          creates the Flask application
    access       who may call a view; stated by a decorator on every view
    pages/       one module per blueprint, by tab; templates/<tab> has its templates
    rendering    documents and guidelines as HTML that is safe to show

A view parses, opens `reading()` or `writing()`, calls one use-case and renders what it returns.
"""
