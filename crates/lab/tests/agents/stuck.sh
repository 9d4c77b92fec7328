#!/bin/sh
# An agent that begins to write and then hangs; it leaves its process's number beside the trial.
folder=$(sed 's/.*"folders":\["\([^"]*\)".*/\1/')
echo zeros > "$folder/file"
echo $$ > "$folder/../../pid.new"
mv "$folder/../../pid.new" "$folder/../../pid"
exec sleep 1000
