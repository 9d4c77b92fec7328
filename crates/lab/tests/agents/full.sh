#!/bin/sh
# An agent that writes until there is no room.
folder=$(sed 's/.*"folders":\["\([^"]*\)".*/\1/')
dd if=/dev/zero of="$folder/file" bs=64k count=1000 2> /dev/null && exit 1
echo '{"broken":{"kind":"workload","reason":"No space left"}}'
