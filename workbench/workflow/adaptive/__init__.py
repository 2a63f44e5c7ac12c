"""Pools that grow while assessors judge: handing out, ledgers, replay."""
