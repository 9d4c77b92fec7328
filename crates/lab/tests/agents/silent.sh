#!/bin/sh
# An agent that has no report to give.
cat > /dev/null
echo nonsense
echo "out of order" >&2
exit 3
