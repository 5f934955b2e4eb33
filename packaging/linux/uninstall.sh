#!/bin/sh
# Takes away what install.sh put beside this file.  Your configuration stays.
set -eu
folder=$(cd "$(dirname "$0")" && pwd -P)
prefix=$(cd "$folder/../.." && pwd -P)
. "$folder/end_running.sh"

end_running "$folder/qmdesk"
rm -f "$prefix/bin/qmdesk" "$prefix/share/applications/qmdesk.desktop"
rm -f "$prefix"/share/icons/hicolor/*/apps/qmdesk.png
rm -f "$prefix"/share/icons/hicolor/*/apps/qmdesk.svg
rm -rf "$folder"
echo "removed; your configuration and history are where they were:"
echo "  ${XDG_CONFIG_HOME:-$HOME/.config}/qmdesk and ${XDG_STATE_HOME:-$HOME/.local/state}/qmdesk"
