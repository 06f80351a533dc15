#!/usr/bin/env bash
# Runs once, when the data folder is empty: creates a role per service that owns the databases of
# that service and cannot connect to any other. The tables are created by the migrations.
set -euo pipefail

create() { # create ROLE DATABASE...
  local role=$1
  shift
  psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" -v role="$role" \
    -v password="$DATABASE_PASSWORD" <<<"CREATE ROLE :\"role\" LOGIN PASSWORD :'password';"
  for database in "$@"; do
    psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" -v role="$role" \
      -v database="$database" <<'SQL'
CREATE DATABASE :"database" OWNER :"role" ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
SQL
  done
}

create gateway countersign_gateway
for service in identity decision ledger notifier settlement; do
  create "$service" "countersign_${service}_live" "countersign_${service}_sandbox"
done
