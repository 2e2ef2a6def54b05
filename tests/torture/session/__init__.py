"""Faults for the session store: kills, failing calls, power cuts."""
