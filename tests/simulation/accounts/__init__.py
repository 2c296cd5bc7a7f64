"""The room of accounts: tokens renewed over weeks, flows, rate limits and monthly usage."""
