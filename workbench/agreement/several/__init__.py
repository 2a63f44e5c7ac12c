"""Agreement of any number of assessors, who need not have judged the same pairs."""
