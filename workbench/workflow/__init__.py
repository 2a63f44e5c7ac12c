"""What people do: one room a stage of a campaign, in its order; one function a use-case.

    people        accounts, signing in, invitations, roles
    openid        signing in at an OpenID provider
    campaigns     a campaign: its name, scale, topics, documents
    runs          runs and the groups that send them: checked, stored, described
    setup         files dropped to set up a campaign: recognised, checked, added
    pools         pools: planned, built, opened, closed, compared
    judging       assignments and the judging desk: every answer on its way into the database
    agreement     how far the assessors agree
    adjudication  disputes, decisions and discussions
    qrels         one grade from several, by a named rule
    scores        what the runs are worth on the qrels
    trust         whether the runs would stand in the same order if the collection had been made otherwise
    releases      the collection frozen into files, under a version
    searching     documents found by searching: before the runs, beside them, and what a pool misses
    mail          messages of invitations, resets and reminders
    overview      how far the campaign has come
    upkeep        an installation checked, its state, and people erased
    jobs          what takes longer than a page may: `worker` has the kinds, and does them

A room imports only rooms above it; import-linter checks this. A use-case takes an open session and values,
and returns frozen dataclasses: it opens nothing, commits nothing, and never hands out a mapped row.
"""
