"""Pools by any strategy: weights and inclusion probabilities, and recipes with named parameters

Revision: 0002
"""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, and write the depth of older recipes as a parameter."""
    with op.batch_alter_table("pool_entry", schema=None) as batch_op:
        batch_op.add_column(sa.Column("weight", sa.Double(), nullable=True))
        batch_op.add_column(sa.Column("inclusion", sa.Double(), nullable=True))
        batch_op.add_column(sa.Column("stratum", sa.Integer(), nullable=True))
        batch_op.create_check_constraint(
            op.f("ck_pool_entry_inclusion"), "inclusion is null or (inclusion > 0 and inclusion <= 1)"
        )
    for number, recipe in _recipes():
        if "parameters" not in recipe:
            recipe["parameters"] = {"depth": str(recipe.pop("depth"))}
            recipe["supplementary"] = False
            _write(number, recipe)


def downgrade() -> None:
    """Take the columns back; only pools by depth can be written in the older way."""
    for number, recipe in _recipes():
        if recipe["strategy"] != "depth":
            raise ValueError(
                f"pool {number} is by {recipe['strategy']}, which the older version does not know"
            )
        recipe["depth"] = int(recipe.pop("parameters")["depth"])
        recipe.pop("supplementary")
        _write(number, recipe)
    with op.batch_alter_table("pool_entry", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_pool_entry_inclusion"), type_="check")
        batch_op.drop_column("stratum")
        batch_op.drop_column("inclusion")
        batch_op.drop_column("weight")


def _recipes() -> list[tuple[int, dict[str, Any]]]:
    rows = op.get_bind().execute(sa.text("select id, recipe from pool order by id")).all()
    return [(row[0], json.loads(row[1]) if isinstance(row[1], str) else row[1]) for row in rows]


def _write(number: int, recipe: dict[str, Any]) -> None:
    statement = sa.text("update pool set recipe = :recipe where id = :number").bindparams(
        sa.bindparam("recipe", type_=sa.JSON())
    )
    op.get_bind().execute(statement, {"recipe": recipe, "number": number})
