#!/bin/sh
# Builds the image with buildah, and writes it into the folder release as an OCI archive. The arguments go to `buildah build`:
# --build-arg NODE_IMAGE=… and BASE_IMAGE=… name other images to make it from.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
name=localhost/evaluation-results:$version
file=ers-$version-image.tar
# In the format of Docker, because the one of OCI has no health check; the archive is without it.
buildah build --format docker --timestamp "${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}" --tag "$name" "$@" .
mkdir -p release
rm -f "release/$file"
buildah push --format oci "$name" "oci-archive:release/$file:$name"
cd release
if [ -f SHA256SUMS ]; then
  sed -i "/  $file\$/d" SHA256SUMS
fi
sha256sum "$file" >> SHA256SUMS
