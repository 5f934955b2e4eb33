#!/bin/sh
# Installs this folder: ./install.sh [PREFIX], by default ~/.local, or /usr/local for root.
# Run again with a newer one it upgrades.  PREFIX/lib/qmdesk/uninstall.sh takes it away.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ "$(id -u)" = 0 ]; then default=/usr/local; else default=$HOME/.local; fi
mkdir -p "${1:-$default}"
prefix=$(cd "${1:-$default}" && pwd -P)
folder=$prefix/lib/qmdesk
. "$here/end_running.sh"

end_running "$folder/qmdesk"
mkdir -p "$prefix/bin" "$prefix/lib" "$prefix/share/applications" "$prefix/share/icons/hicolor"
rm -rf "$folder.new"
cp -a "$here/qmdesk" "$folder.new"
cp "$here/uninstall.sh" "$here/end_running.sh" "$folder.new/"
rm -rf "$folder"
mv "$folder.new" "$folder"
ln -sfn "$folder/qmdesk" "$prefix/bin/qmdesk"
cp -r "$here/share/icons/hicolor/." "$prefix/share/icons/hicolor/"
# The menu knows nothing of a PATH that only shells have.
sed -e "s|^Exec=qmdesk|Exec=\"$folder/qmdesk\"|" -e "s|^TryExec=qmdesk|TryExec=$folder/qmdesk|" \
    "$here/share/applications/qmdesk.desktop" >"$prefix/share/applications/qmdesk.desktop"

echo "installed into $folder; start it from the menu, or as $prefix/bin/qmdesk"
case :$PATH: in
    *":$prefix/bin:"*) ;;
    *) echo "$prefix/bin is not on your PATH" ;;
esac
echo "to take it away: $folder/uninstall.sh"
