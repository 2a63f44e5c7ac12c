"""An invented campaign, complete and small, to be looked at before there is one of your own."""
