#!/usr/bin/env bash
# Rolls a release out in the order that it needs: settings, stores, migrations, then one service after
# the other, each waited for. What does not become ready ends it, and the rest stays as it was.
#   roll-out.sh OVERLAY          the first release, or a newer one, or other settings
#   roll-out.sh OVERLAY --back   an older one: the services the other way round, and no migration
# WAIT (10m) is how long one service may take, MIGRATION_MINUTES (60) the migrations.
set -euo pipefail

overlay=${1:?usage: roll-out.sh OVERLAY [--back]}
direction=${2:-forward}
forward=(ledger identity notifier settlement decision gateway)
back=(gateway decision settlement notifier identity ledger)

# Secrets are in it: mktemp makes it for this user alone.
manifests=$(mktemp)
trap 'rm -f "$manifests"' EXIT
kubectl kustomize "$overlay" >"$manifests"
namespace=$(awk '/^kind: Namespace$/ { found = 1 } found && $1 == "name:" { print $2; exit }' "$manifests")
: "${namespace:?no Namespace in $overlay}"

apply() { kubectl apply -f "$manifests" -l "$1"; }
has() { grep -q "app.kubernetes.io/component: $1\$" "$manifests"; }

# A Job cannot be changed: it is made anew.
run_job() { # run_job NAME COMPONENT
  kubectl -n "$namespace" delete job "$1" --ignore-not-found
  apply "app.kubernetes.io/component=$2"
  local left state
  for ((left = ${MIGRATION_MINUTES:-60} * 30; left > 0; left--)); do
    state=$(kubectl -n "$namespace" get job "$1" \
      -o 'jsonpath={.status.conditions[?(@.status=="True")].type}')
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
