#!/usr/bin/env bash
# Creates overlays/evaluation/secrets.env with new keys and passwords. It does so only once, because
# the databases are initialised with them. Nothing is printed.
set -euo pipefail
umask 077
cd "$(dirname "${BASH_SOURCE[0]}")/overlays/evaluation"
if [ -e secrets.env ]; then
  echo "secrets.env is there already; what runs was made with it." >&2
  exit 1
fi

hex() { head -c "$1" /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }
password=$(hex 24)
url() { echo "postgres://$1:$password@postgres:5432/countersign_$2"; }

{
  echo "POSTGRES_PASSWORD=$(hex 24)"
  echo "DATABASE_PASSWORD=$password"
  echo "ADMIN_KEY=$(hex 32)"
  echo "SECRETS_KEY=$(head -c 32 /dev/urandom | base64)"
  echo "REDIS_URL=redis://redis:6379"
  echo "NATS_URL=nats://nats:4222"
  echo "GATEWAY_DATABASE_URL=$(url gateway gateway)"
  for service in identity decision ledger notifier settlement; do
    name=$(echo "$service" | tr '[:lower:]' '[:upper:]')
    echo "${name}_DATABASE_URL_LIVE=$(url "$service" "${service}_live")"
    echo "${name}_DATABASE_URL_SANDBOX=$(url "$service" "${service}_sandbox")"
  done
} >secrets.env.new
mv secrets.env.new secrets.env
