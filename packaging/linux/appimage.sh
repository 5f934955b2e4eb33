#!/bin/sh
# An AppImage out of dist/qmdesk: packaging/linux/appimage.sh
#
# Needs appimagetool on the PATH, which is no Debian package; without it the AppDir is made
# all the same, and AppDir/AppRun starts what the AppImage would.
set -eu
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' qmdesk/__init__.py)
python=build/venv/bin/python
app=build/AppDir

[ -x dist/qmdesk/qmdesk ] || { echo "there is no bundle yet: python3 dev.py build" >&2; exit 1; }
rm -rf "$app"
mkdir -p "$app/usr/lib"
cp -a dist/qmdesk "$app/usr/lib/qmdesk"
"$python" packaging/linux/package.py share "$app/usr/share"
cp "$app/usr/share/applications/qmdesk.desktop" "$app/qmdesk.desktop"
cp "$app/usr/share/icons/hicolor/256x256/apps/qmdesk.png" "$app/qmdesk.png"
ln -s usr/lib/qmdesk/qmdesk "$app/AppRun"

if ! command -v appimagetool >/dev/null; then
    echo "$app is ready; appimagetool, which makes one file of it, is not installed"
    exit 0
fi
ARCH=$(uname -m) appimagetool "$app" "dist/qmdesk-$version-linux-$(uname -m).AppImage"
