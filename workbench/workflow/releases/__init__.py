"""Releases of a campaign: made, listed, downloaded, made public, withdrawn, compared, imported.

collecting   what a release contains, from the rows of a campaign, and what assessors are called in it
included     what it contains beside judgments: pools, agreement, files
releases     a release is made and stored; list, bytes, public or not, withdrawal
reading      what stands in a stored release; two compared, with the effect on runs; runs scored against one
importing    a campaign from a release
"""
