#!/bin/sh
# An agent whose workload fails.
cat > /dev/null
echo '{"broken":{"kind":"workload","reason":"in phase `write`: no luck"}}'
