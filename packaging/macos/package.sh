#!/bin/sh
# A disk image out of dist/Quartermaster Desk.app: packaging/macos/package.sh
#
# Signed where QMDESK_SIGN names an identity ("Developer ID Application: ..."), which
# installer.spec has used for every library inside as well, and notarised where
# QMDESK_NOTARY names a keychain profile of "xcrun notarytool store-credentials".
set -eu
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' qmdesk/__init__.py)
app="dist/Quartermaster Desk.app"
image="dist/qmdesk-$version-macos-$(uname -m).dmg"

[ -d "$app" ] || { echo "there is no application yet: python3 dev.py build" >&2; exit 1; }

if [ -n "${QMDESK_SIGN:-}" ]; then
    codesign --force --options runtime --timestamp --sign "$QMDESK_SIGN" \
        --identifier org.qmdesk.qmdesk \
        --entitlements packaging/macos/entitlements.plist "$app"
    codesign --verify --deep --strict "$app"
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Links inside the bundle must stay links: its signature covers them.
cp -R "$app" "$folder/"
ln -s /Applications "$folder/Applications"
rm -f "$image"
hdiutil create -volname "Quartermaster Desk" -srcfolder "$folder" -format UDZO -ov "$image"

if [ -n "${QMDESK_SIGN:-}" ]; then
    codesign --timestamp --sign "$QMDESK_SIGN" "$image"
fi
if [ -n "${QMDESK_NOTARY:-}" ]; then
    xcrun notarytool submit "$image" --keychain-profile "$QMDESK_NOTARY" --wait
    xcrun stapler staple "$image"
fi
echo "$image"
