#!/usr/bin/env bash
# Run as root with an older package installed: uses it as an ordinary user, and upgrades it meanwhile.
set -euo pipefail
trap 'echo "line $LINENO: $BASH_COMMAND" >&2' ERR
until_so() { for _ in $(seq 300); do "$@" && return 0; sleep 0.2; done; echo "timed out: $*" >&2; return 1; }
# Any free number, because this computer's other screens may be reachable.
mkfifo /tmp/screen-number
Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3> /tmp/screen-number 2> /tmp/xvfb.txt &
read -r number < /tmp/screen-number
export DISPLAY=:$number
until_so xdpyinfo > /dev/null 2>&1

data=/home/planner/Kalends
# The command of the menu entry or one of its actions, as the desktop runs it.
entry() { sed -n "/^\\[Desktop ${1:-Entry}\\]/,/^\\[/s/^Exec=//p" /usr/share/applications/kalends.desktop | sed 's/ %U//'; }
as_planner=(setpriv --reuid=planner --regid=planner --clear-groups env HOME=/home/planner XDG_RUNTIME_DIR=/home/planner/run
  DISPLAY=$DISPLAY)
planner() { "${as_planner[@]}" "$@"; }
visible() { xdotool search --onlyvisible --name '^Kalends' > /dev/null 2>&1; }
ready_lines() { [ "$(grep -c '"ready"' /tmp/ready.json)" = "$1" ]; }
none_left() { [ "$(services)" = 0 ]; }
services() { pgrep -u planner -f 'kalends-service serve' | wc -l; }

# Not by the function, whose process would be a shell's.
"${as_planner[@]}" bash -c "exec $(entry) --data $data" &
app=$!
until_so visible
# A second start with a link exits immediately, because the open window handles it.
planner timeout 30 kalends --data $data kalends://day/2026-12-24
kill -0 $app

# A calendar on this computer, whose service is running while the package is replaced.
made=$(planner timeout 120 kalends-service account create --data /home/planner/service --name Ines)
account=$(sed 's/.*"account_id": *"\([^"]*\)".*/\1/' <<< "$made")
planner kalends-service serve --data /home/planner/service > /tmp/ready.json &
until_so ready_lines 1
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq /tmp/newer.deb > /tmp/upgrade.txt 2>&1 || { cat /tmp/upgrade.txt; exit 1; }
[ "$(dpkg-query -f '${Version}' -W kalends)" != 0.0.1 ]
kill -0 $app
# The service continues as the new version in the same process.
until_so ready_lines 2
[ "$(sed 's/.*"pid": *\([0-9]*\).*/\1/' /tmp/ready.json | sort -u | wc -l)" = 1 ]
[ "$(services)" = 1 ]
# Both end, and the new version opens the data of the old one.
kill $app; wait $app || true
[ -z "$(pgrep -u planner -f "kalends --data $data")" ]
pkill -u planner -f 'kalends-service serve'
until_so none_left
planner timeout 120 kalends-service account set --data /home/planner/service --account "$account" --status active
