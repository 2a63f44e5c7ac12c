"""What a report on agreement holds: figures with intervals, over all assessors, two by two, and by grade."""
