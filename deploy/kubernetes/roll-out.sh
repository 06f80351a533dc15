#!/usr/bin/env bash
# Rolls out a release in the required order: settings, stores, migrations, then the services one by
# one, waiting for each. If one does not become ready, the roll-out stops and the rest is unchanged.
#   roll-out.sh OVERLAY          the first release, a newer one, or changed settings
#   roll-out.sh OVERLAY --back   an older release: services in reverse order, without migrations
# WAIT (10m) is the timeout per service, MIGRATION_MINUTES (60) that of the migrations.
set -euo pipefail

overlay=${1:?usage: roll-out.sh OVERLAY [--back]}
direction=${2:-forward}
forward=(ledger identity notifier settlement decision gateway)
back=(gateway decision settlement notifier identity ledger)

# Contains secrets; mktemp creates it readable by this user only.
manifests=$(mktemp)
trap 'rm -f "$manifests"' EXIT
kubectl kustomize "$overlay" >"$manifests"
namespace=$(awk '/^kind: Namespace$/ { found = 1 } found && $1 == "name:" { print $2; exit }' "$manifests")
: "${namespace:?no Namespace in $overlay}"

apply() { kubectl apply -f "$manifests" -l "$1"; }
has() { grep -q "app.kubernetes.io/component: $1\$" "$manifests"; }

# A Job is immutable, so it is recreated.
run_job() { # run_job NAME COMPONENT
  kubectl -n "$namespace" delete job "$1" --ignore-not-found
  apply "app.kubernetes.io/component=$2"
  local left state
  # A question that the API does not answer is asked again.
  for ((left = ${MIGRATION_MINUTES:-60} * 30; left > 0; left--)); do
    state=$(kubectl -n "$namespace" get job "$1" \
      -o 'jsonpath={.status.conditions[?(@.status=="True")].type}') || state=
    case $state in
      *Complete*) return ;;
      *Failed*) break ;;
    esac
    sleep 2
  done
  echo "The job $1 did not complete: kubectl -n $namespace logs job/$1" >&2
  exit 1
}

replace() {
  local kind=deployment
  if [ "$1" = gateway ]; then kind=statefulset; fi
  apply "app.kubernetes.io/component=service,app.kubernetes.io/name=$1"
  kubectl -n "$namespace" rollout status "$kind/$1" --timeout="${WAIT:-10m}"
}

apply 'app.kubernetes.io/component=settings'
case $direction in
  forward)
    if has store; then
      apply 'app.kubernetes.io/component=store'
      kubectl -n "$namespace" rollout status statefulset/postgres --timeout="${WAIT:-10m}"
    fi
    run_job migrate migration
    for service in "${forward[@]}"; do replace "$service"; done
    if has demo; then run_job seed demo; fi
    ;;
  --back)
    for service in "${back[@]}"; do replace "$service"; done
    ;;
  *)
    echo "roll-out.sh OVERLAY [--back], not $direction" >&2
    exit 2
    ;;
esac
