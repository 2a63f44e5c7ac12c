"""Releases of a campaign: made, listed, downloaded, made public, withdrawn, imported.

collecting   what a release contains, from the rows of a campaign, and what assessors are called in it
included     what it contains beside judgments: pools, agreement, files
making       a release is made and stored
releases     list, bytes, public or not, withdrawal; what stands in a stored one, and runs scored against it
importing    a campaign from a release
"""
