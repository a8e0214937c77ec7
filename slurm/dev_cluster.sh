#!/usr/bin/env bash
# A real SLURM cluster of several nodes on this machine, without systemd: for tests, and to try the launcher out.
#
#   dev_cluster.sh up DIR [NODES=2]     starts munged, slurmctld and NODES slurmd of 2 CPUs and 2 fake GPUs; harmless if they run
#   dev_cluster.sh down DIR             ends the daemons that `up` started in DIR, and their jobs; DIR stays
#   dev_cluster.sh release DIR          lets requeued jobs start in 2 seconds instead of SLURM's fixed 120
#
# Everything lies in DIR: keys, sockets, configuration, logs, pids. Client commands need SLURM_CONF=DIR/slurm.conf.
# Partitions: main (default), and high, whose jobs take the place of main's (warning, 5 seconds of grace, requeue).
# There is no accounting. With SACCT=stand-in an sacct that asks slurmctld is written to DIR/bin, to be put in PATH.
# Settings of slurm.conf that a test wants otherwise: EXTRA="MaxArraySize=3". Needs slurm-wlm and munge, not root.
set -euo pipefail
export PATH=$PATH:/usr/sbin:/sbin

say() { echo "dev_cluster: $*" >&2; }

ours() { # PID: still a daemon of this folder? `up` marks the environment of all that it starts
  [ -n "${1:-}" ] && [ -r "/proc/$1/environ" ] && grep -qzxF "DEV_CLUSTER=$dir" "/proc/$1/environ" 2>/dev/null
}

running() { [ -s "$dir/pids/$1" ] && ours "$(cat "$dir/pids/$1")"; }

daemon() { # NAME COMMAND...: started in the foreground mode of its own, in a session of its own
  local name=$1
  shift
  running "$name" && return
  setsid nohup "$@" </dev/null >>"$dir/log/$name.out" 2>&1 &
  echo $! >"$dir/pids/$name"
}

until_true() { # SECONDS WHAT COMMAND...
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    if [ "$SECONDS" -ge "$end" ]; then
      say "waited in vain: $what"
      tail -n 5 "$dir"/log/* >&2
      exit 1
    fi
    sleep 0.1
  done
}

free_ports() { # COUNT: the first of so many free ports in a row
  python3 - "$1" <<'PY'
import random, socket, sys

def free(port):
    with socket.socket() as tried:
        try:
            tried.bind(("0.0.0.0", port))
        except OSError:
            return False
    return True

while True:
    first = random.randrange(20000, 30000)
    if all(free(first + offset) for offset in range(int(sys.argv[1]))):
        print(first)
        break
PY
}

configure() { # NODES
  local nodes=$1 port me host names ports gpus="/dev/tty[0-1]"
  port=$(free_ports $((nodes + 1)))
  me=$(id -un) host=$(hostname -s)
  names="n[1-$nodes]" ports="[$((port + 1))-$((port + nodes))]"
  if [ "$nodes" = 1 ]; then names=n1 ports=$((port + 1)); fi
  if [ "$(id -u)" = 0 ]; then # a GPU's file has to be a device; a null device will do
    for gpu in 0 1; do [ -e "$dir/dev/gpu$gpu" ] || mknod -m 666 "$dir/dev/gpu$gpu" c 1 3; done
    gpus="$dir/dev/gpu[0-1]"
  fi
  echo "NodeName=$names Name=gpu Type=fake File=$gpus" >"$dir/gres.conf"
  cat >"$dir/slurm.conf" <<CONF
ClusterName=dev
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$me
SlurmdUser=$me
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/state/slurmctld.pid
SlurmdPidFile=$dir/spool/%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd-%n.log
# no cgroups, no affinity, no MPI: memory and CPUs are booked, not enforced
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
MailProg=/bin/true
SlurmdParameters=config_overrides
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=100
# quick decisions
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,sched_min_interval=0,bf_interval=1,batch_sched_delay=0
KillWait=2
InactiveLimit=0
MinJobAge=600
SlurmctldTimeout=30
SlurmdTimeout=30
MessageTimeout=10
# a job that loses its place is warned by its own --signal, then has its partition's GraceTime
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmctldParameters=preempt_send_user_signal
JobRequeue=1
GresTypes=gpu
NodeName=$names NodeHostname=$host NodeAddr=127.0.0.1 Port=$ports CPUs=2 RealMemory=4000 Gres=gpu:fake:2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE DefaultTime=10 PriorityTier=1 GraceTime=5 State=UP
PartitionName=high Nodes=ALL MaxTime=INFINITE DefaultTime=10 PriorityTier=10 PreemptMode=OFF State=UP
CONF
  printf '%s\n' "${EXTRA:-}" >>"$dir/slurm.conf"
}

stand_in() { # an sacct for clusters without a database: what slurmctld still remembers
  mkdir -p "$dir/bin"
  cat >"$dir/bin/sacct" <<'PY'
#!/usr/bin/env python3
"""`sacct --jobs ID … --format=State,ExitCode,NodeList`, answered by `scontrol show job`."""
import re
import subprocess
import sys

job = sys.argv[sys.argv.index("--jobs") + 1]
shown = subprocess.run(["scontrol", "--oneliner", "show", "job", job], capture_output=True, text=True)
for line in shown.stdout.splitlines():
    fields = dict(re.findall(r"(\w+)=(\S*)", line))
    print("|".join(fields.get(name, "") for name in ("JobState", "ExitCode", "NodeList")))
PY
  chmod +x "$dir/bin/sacct"
}

up() { # DIR NODES
  mkdir -p "$1"
  dir=$(cd "$1" && pwd)
  export SLURM_CONF=$dir/slurm.conf DEV_CLUSTER=$dir
  mkdir -p "$dir"/{pids,log,munge,state,spool,dev}
  chmod 755 "$dir"
  chmod 711 "$dir/munge"
  [ -s "$dir/munge/key" ] || (umask 077 && head -c 1024 /dev/urandom >"$dir/munge/key")
  [ -s "$SLURM_CONF" ] || configure "$2"
  if [ "${SACCT:-none}" = stand-in ]; then stand_in; fi
  daemon munged munged --foreground --force --num-threads=2 --key-file="$dir/munge/key" --socket="$dir/munge/socket" \
    --pid-file="$dir/munge/munged.pid" --seed-file="$dir/munge/seed" --log-file="$dir/log/munged.log"
  until_true 10 "munged answers" munge --socket="$dir/munge/socket" -n
  daemon slurmctld slurmctld -D -f "$SLURM_CONF"
  local names
  names=$(scontrol show hostnames "$(sed -n 's/^NodeName=\([^ ]*\).*/\1/p' "$SLURM_CONF")")
  for name in $names; do
    mkdir -p "$dir/spool/$name"
    daemon "slurmd-$name" slurmd -D -f "$SLURM_CONF" -N "$name"
  done
  until_true 60 "all nodes are up" all_up "$(wc -w <<<"$names")"
  echo "SLURM_CONF=$SLURM_CONF"
}

all_up() { [ "$(sinfo -h -N -p main -t idle,alloc,mix -o %N | sort -u | wc -l)" = "$1" ]; }

down() { # DIR
  dir=$(cd "$1" 2>/dev/null && pwd) || return 0
  export SLURM_CONF=$dir/slurm.conf
  if running slurmctld; then
    local jobs
    jobs=$(timeout 10 squeue -h -o %A 2>/dev/null | sort -u) || true
    if [ -n "$jobs" ]; then
      # shellcheck disable=SC2086
      timeout 10 scancel --full --signal=KILL $jobs 2>/dev/null || true
      # shellcheck disable=SC2086
      timeout 10 scancel $jobs 2>/dev/null && sleep 1 || true
    fi
  fi
  for name in $(ls "$dir/pids" 2>/dev/null | grep slurmd- || true) slurmctld munged; do end "$name"; done
}

end() { # NAME
  local pid
  pid=$(cat "$dir/pids/$1" 2>/dev/null) || return 0
  if ours "$pid"; then
    kill "$pid"
    for _ in $(seq 50); do
      ours "$pid" || break
      sleep 0.1
    done
    if ours "$pid"; then kill -9 "$pid"; fi
  fi
  rm -f "$dir/pids/$1"
}

release() { # DIR: not to `now`, since a start in the second of the kill fails
  export SLURM_CONF=$1/slurm.conf
  local now
  now=$(date +%s)
  squeue -h -r -t PD -o "%i %r %S" | while read -r id reason start; do
    [ "$reason" = BeginTime ] || continue
    [ $(($(date -d "$start" +%s 2>/dev/null || echo 0) - now)) -gt 5 ] || continue
    scontrol update JobId="$id" StartTime=now+2seconds && echo "released $id"
  done
}

usage="usage: dev_cluster.sh up DIR [NODES] | down DIR | release DIR"
case ${1:-} in
  up) up "${2:?$usage}" "${3:-2}" ;;
  down) down "${2:?$usage}" ;;
  release) release "${2:?$usage}" ;;
  *) say "$usage" && exit 2 ;;
esac
