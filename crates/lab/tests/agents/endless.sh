#!/bin/sh
# An agent that does not end.
exec sleep 1000
