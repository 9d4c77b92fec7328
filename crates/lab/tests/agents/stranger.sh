#!/bin/sh
# An agent beside which somebody else writes into the trial's folder.
folder=$(sed 's/.*"folders":\["\([^"]*\)".*/\1/')
echo zeros > "$folder/file"
echo dear > "$folder/letter"
echo '{"measured":{"phases":[],"witness":"","clock":"tsc"}}'
