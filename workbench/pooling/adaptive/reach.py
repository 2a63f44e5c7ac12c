"""How far down a run an adaptive strategy may go."""

from __future__ import annotations

from workbench.pooling.parameters import WHOLE, Parameter

REACH = Parameter("depth", "how many documents of each run can come up, for each topic", 100, WHOLE, lowest=1)
