"""Models of assessors: the grade that is most likely, given how far each assessor can be relied on."""
