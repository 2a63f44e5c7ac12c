"""The Python client: a campaign on a server, from another program; standard library only.

    >>> from workbench.client import Client
    >>> client = Client("https://judge.example.org", token)          # doctest: +SKIP
    >>> campaign = client.create_campaign("Clinical search 2026")    # doctest: +SKIP
    >>> campaign.load_topics("topics.txt")                           # doctest: +SKIP

`call` does any operation of the API by its name, the other methods are what a script does most. What is sent
is sent again under the same idempotency key where no answer arrives, so that it is done once.
"""

from workbench.client.campaign import CampaignClient
from workbench.client.client import Client, to_frame
from workbench.client.transport import ApiError, Unreachable

__all__ = ["ApiError", "CampaignClient", "Client", "Unreachable", "to_frame"]
