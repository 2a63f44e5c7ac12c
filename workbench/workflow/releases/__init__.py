"""Releases of a campaign: made, listed, downloaded, made public, withdrawn, compared, imported.

collecting   what a release contains, from the rows of a campaign, and what assessors are called in it
releases     a release is made and stored; list, bytes, public or not, withdrawal
reading      what stands in a stored release; two compared, with the effect on the runs of the campaign
importing    a campaign from a release
"""
