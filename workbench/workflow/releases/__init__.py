"""Releases of a campaign: made, listed, downloaded, made public, withdrawn, compared, imported.

collecting   what a release contains, from the rows of a campaign
pseudonyms   what assessors are called in releases
releases     a release is made and stored; list, bytes, public or not, withdrawal
comparing    two releases, and what the difference does to the runs of the campaign
importing    a campaign from a release
"""
