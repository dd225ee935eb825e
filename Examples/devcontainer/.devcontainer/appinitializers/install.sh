#!/bin/sh
# Installs initd and initctl from a tarball or a Debian package of a release. It runs as root while the image of a dev container is built,
# with the options of devcontainer-feature.json in its environment: PACKAGE, SHA256 and PREFIX.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
package=${PACKAGE-}
sha256=${SHA256-}
prefix=${PREFIX:-/usr/local}

say() { echo "appinitializers: $*"; }

fail() {
  echo "appinitializers: $*" >&2
  exit 1
}

download() {
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --output "$2" "$1"
  elif command -v wget >/dev/null; then
    wget -q -O "$2" "$1"
  else
    fail "cannot download $1: there is neither curl nor wget; install one, or copy the file into $here"
  fi
}

[ -n "$package" ] || fail 'no package is given; set the option "package" to the URL or the path of a tarball or a Debian package of a release'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $package in
  *://*)
    say "downloading $package"
    file=$work/package
    download "$package" "$file" || fail "cannot download $package; correct the URL, or copy the file into $here and give its name"
    ;;
  /*) file=$package ;;
  *) file=$here/$package ;;
esac
[ -f "$file" ] || fail "there is no file $file; copy the package there, or correct the option \"package\""

if [ -n "$sha256" ]; then
  echo "$sha256  $file" | sha256sum -c - >/dev/null 2>&1 ||
    fail "the checksum of $package isn't $sha256; give the package of that release, or correct the option \"sha256\""
  say "the checksum is correct"
fi

# A URL may have a query after the name.
case ${package%%\?*} in
  *.deb)
    say "installing $package with dpkg"
    dpkg --install "$file" || fail "cannot install $package: dpkg has failed, see above; where there is no dpkg, give the tarball"
    say "installed; dpkg --listfiles appinitializers lists the files"
    ;;
  *.tar.gz | *.tgz)
    say "installing $package in $prefix"
    mkdir "$work/unpacked"
    # It has one folder, which has bin and share.
    tar -xzf "$file" -C "$work/unpacked" || fail "cannot unpack $package: it is no tarball, or is cut off; copy or download it again"
    set -- "$work"/unpacked/*/bin/initctl
    [ -f "$1" ] || fail "$package has no bin/initctl; give the tarball of a release, e.g. appinitializers-VERSION-linux-$(uname -m).tar.gz"
    version=$("$1" --version) || fail "initctl doesn't run here: see above; give the tarball for $(uname -m)"
    mkdir -p "$prefix"
    cp -R "${1%/bin/initctl}/bin" "${1%/bin/initctl}/share" "$prefix"
    say "installed $version in $prefix/bin"
    ;;
  *) fail "$package is neither a tarball (.tar.gz) nor a Debian package (.deb); give one of the two" ;;
esac
