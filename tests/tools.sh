#!/usr/bin/env bash
# Programs that some tests use beside Python: faults are injected by strace, power is cut on images
# of XFS, the page is looked at in Chromium, the commands of the docs use jq. Where they cannot be installed, those tests are skipped,
# or fail if TALKTREE_REQUIRE_TOOLS is set.
set -u
wanted=()
command -v strace >/dev/null || wanted+=(strace)
command -v mkfs.xfs >/dev/null || wanted+=(xfsprogs)
command -v jq >/dev/null || wanted+=(jq)
command -v chromium chromium-browser google-chrome >/dev/null || wanted+=(chromium fonts-liberation)
[ ${#wanted[@]} -eq 0 ] && exit 0
command -v apt-get >/dev/null || { echo "NOT INSTALLED: ${wanted[*]}"; exit 0; }
as=()
[ "$(id -u)" -eq 0 ] || as=(sudo -n)
quietly=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
"${as[@]}" "${quietly[@]}" install -y --no-install-recommends "${wanted[@]}" >/dev/null 2>&1 ||
  { "${as[@]}" "${quietly[@]}" update >/dev/null 2>&1 &&
    "${as[@]}" "${quietly[@]}" install -y --no-install-recommends "${wanted[@]}" >/dev/null 2>&1; } ||
  echo "NOT INSTALLED: ${wanted[*]}"
exit 0
