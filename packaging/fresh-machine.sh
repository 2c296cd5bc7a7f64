#!/usr/bin/env bash
# Test the setup on a machine with only git and python3: a minimal Debian in a separate folder.
#
#   packaging/fresh-machine.sh [--folder DIR] [--suite NAME] [--mirror URL] [--only STEP] [-- PYTEST ARGUMENTS]
#
# Needs root and debootstrap. Tests the last commit. The first run saves the base system in DIR as a tarball for
# later runs. The default mirror is the one used by this host's apt.
# Steps: plain (an ordinary user gets one line that says what to install), refuse (--no-system installs nothing),
# test (as root: the whole test command), run (as root: the self-test without a display), and, only with --only,
# deb (the package in dist/: installed with apt alone, used by an ordinary user, upgraded, purged).
set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=/var/tmp/kalends-fresh-machine suite=bookworm mirror="" only=""
original=("$@")
while [ $# -gt 0 ]; do
  case $1 in
    --folder) folder=$2; shift 2 ;;
    --suite) suite=$2; shift 2 ;;
    --mirror) mirror=$2; shift 2 ;;
    --only) only=$2; shift 2 ;;
    --) shift; break ;;
    *) echo "Unknown option: $1" >&2; exit 2 ;;
  esac
done
pytest_arguments=("$@")

[ "$(id -u)" = 0 ] || { echo "This script needs root to create a system in a folder." >&2; exit 2; }
command -v debootstrap > /dev/null || { echo "This script needs debootstrap." >&2; exit 2; }
# Use a separate mount namespace, which ends with this script.
if [ -z "${FRESH_MACHINE_INSIDE:-}" ]; then
  FRESH_MACHINE_INSIDE=1 exec unshare --mount --propagation private bash "${BASH_SOURCE[0]}" "${original[@]}"
fi

base=$folder/base-$suite.tar.gz
root=$folder/root
# Not in the system's certificate folder, because installing packages rewrites it.
certificates=/etc/ssl/host-certificates.crt

host_mirror() {
  apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' | awk -v s="$suite" '$1 == s { print $2; exit }'
}

make_base() {
  local url=${mirror:-$(host_mirror)}
  [ -n "$url" ] || { echo "This host's apt has no mirror for $suite. Set one with --mirror." >&2; exit 2; }
  mkdir -p "$folder"
  debootstrap --variant=minbase --include=git,python3 "$suite" "$folder/base" "$url" > "$folder/debootstrap.log"
  tar --one-file-system -C "$folder/base" -czf "$base.part" . && mv "$base.part" "$base"
  rm -rf --one-file-system "$folder/base"
}

make_root() {
  rm -rf --one-file-system "$root"
  mkdir -p "$root"
  tar -C "$root" -xzf "$base"
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  # Use the host's network, with its apt settings, certificates and proxies.
  apt-config dump | grep -E '^Acquire::(Check|http|https)' > "$root/etc/apt/apt.conf.d/90host" || true
  local bundle=${PIP_CERT:-${SSL_CERT_FILE:-}}
  [ -z "$bundle" ] || install -D -m 644 "$bundle" "$root$certificates"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  chroot "$root" useradd --create-home planner
  git -c safe.directory='*' clone --quiet --no-hardlinks "$project" "$root/srv/kalends"
  cp -r "$root/srv/kalends" "$root/home/planner/kalends"
  chroot "$root" chown -R planner: /home/planner/kalends
}

# inside USER COMMAND...: run it in that user's project folder, with a clean environment and no display.
inside() {
  local user=$1 home=/root where=/srv/kalends settings=() setting
  shift
  [ "$user" = root ] || { home=/home/$user; where=$home/kalends; }
  for setting in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL; do
    [ -z "${!setting:-}" ] || settings+=("$setting=${!setting}")
  done
  [ ! -f "$root$certificates" ] || settings+=("PIP_CERT=$certificates" "NODE_EXTRA_CA_CERTS=$certificates")
  env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=$home LANG=C.UTF-8 "${settings[@]}" \
    chroot --userspec="$user" "$root" sh -c 'cd "$0" && exec "$@"' "$where" "$@" < /dev/null
}

failures=0
# verdict NAME CONDITION...: print whether a step succeeded.
verdict() {
  local step=$1
  shift
  if "$@"; then echo "ok      $step"; else echo "FAILED  $step"; failures=$((failures + 1)); fi
}
wanted() { [ -z "$only" ] || [ "$only" = "$1" ]; }
# refused FILE CODE: the output is one line with python3-venv, and the exit code says that nothing was done.
refused() { [ "$2" != 0 ] && [ "$(wc -l < "$1")" = 1 ] && grep -q 'python3-venv' "$1"; }

[ -f "$base" ] || make_base
make_root
heard=$folder/heard.txt

if wanted plain; then
  code=0; inside planner python3 packaging/dev.py test > "$heard" 2>&1 || code=$?
  cat "$heard"; verdict "a plain user is told in one line what to install" refused "$heard" "$code"
fi
if wanted refuse; then
  code=0; inside root python3 packaging/dev.py --no-system test > "$heard" 2>&1 || code=$?
  cat "$heard"; verdict "--no-system installs nothing" refused "$heard" "$code"
fi
if wanted test; then
  verdict "as root, one command sets up and tests" inside root python3 packaging/dev.py test "${pytest_arguments[@]}"
fi
if wanted run; then
  code=0; inside root python3 packaging/dev.py run --selftest > "$heard" 2>&1 || code=$?
  cat "$heard"; verdict "the self-test passes" [ "$code" = 0 ]
  verdict "it says that it runs offscreen" grep -q 'No display found: running offscreen' "$heard"
fi
if [ "$only" = deb ]; then
  package=$(ls "$project"/dist/kalends_*_"$(dpkg --print-architecture)".deb) || exit 2
  # The same package with an older version number replaces the previous release.
  dpkg-deb --raw-extract "$package" "$folder/older"
  sed -i 's/^Version: .*/Version: 0.0.1/' "$folder/older/DEBIAN/control"
  dpkg-deb --root-owner-group -Zzstd -z1 --build "$folder/older" "$root/tmp/older.deb" > /dev/null
  rm -rf "$folder/older"
  cp "$package" "$root/tmp/newer.deb"
  inside root apt-get update -qq
  install_deb() { inside root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" > "$heard" 2>&1 || { cat "$heard"; return 1; }; }
  verdict "it installs with apt alone" install_deb /tmp/older.deb
  as_planner() { inside planner env XDG_RUNTIME_DIR=/home/planner/run "$@"; }
  mkdir -p "$root/home/planner/run" && chroot "$root" chown planner: /home/planner/run
  verdict "the self-test passes" as_planner kalends --selftest
  install_deb xvfb xauth xdotool x11-utils procps
  cp "$project/packaging/linux/try-installed.sh" "$root/tmp/"
  verdict "its menu entry opens a window, links come to it, and an upgrade leaves it and its data alone" \
    inside root bash /tmp/try-installed.sh
  verdict "purged" inside root dpkg --purge kalends
  leftover() { inside root find / -xdev -iname '*kalends*' -not -path '/home/*' -not -path '/srv/*' -not -path '/proc/*' \
    -not -path '/tmp/*' -not -path '/var/cache/apt/*' -not -path '/var/log/*'; }
  verdict "nothing is left outside of the person's data" [ -z "$(leftover)" ]
fi
exit "$((failures > 0))"
