"""The portable form of an instance: its rows in a stated order, the same from every database.

Backup and restore are two halves of one copy: `survey` counts and hashes what is to be carried,
`loading` carries it, a second survey of the destination has to find the same.

Decisions:

- The rows of a table come in the order of its primary key, one JSON array a line; text of JSON columns is
  carried as it is stored, so that not a byte of a release changes on the way from SQLite to PostgreSQL.
- The form says which revision of the schema it has. It is loaded into a schema of that revision, which is
  migrated afterwards: every later version of Workbench reads every earlier backup.
- Sessions and failed sign-ins are left out: a backup must not sign in again whoever has signed out since.
- A database into which something is being copied has a revision that no version knows. All of them, older
  ones too, refuse to open it until the copy is complete, compared and revealed in one transaction.
"""
