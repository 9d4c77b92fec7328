#!/bin/sh
# An agent that writes a file and reports that all went well.
folder=$(sed 's/.*"folders":\["\([^"]*\)".*/\1/')
echo zeros > "$folder/file"
echo '{"measured":{"phases":[],"witness":"","clock":"tsc"}}'
