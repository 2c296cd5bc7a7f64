#!/bin/sh
# Creates the passwords of the composition, readable by the containers that need them. Run it once, as root.
set -eu
umask 077
cd "$(dirname "$0")"
mkdir secrets
database=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
storage=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
printf '%s' "$database" > secrets/database_password
printf 'database:5432:kalends:kalends:%s\n' "$database" > secrets/database_passfile
printf '%s' "$storage" > secrets/storage_password
printf '[default]\naws_access_key_id = kalends\naws_secret_access_key = %s\n' "$storage" > secrets/storage_credentials
# The service's user in the image. libpq ignores a file that others can read.
chown 10001 secrets/database_passfile secrets/storage_credentials
