#!/usr/bin/env bash
# A declarative pipeline of Spark over a queue and its journal: run twice, with messages before and between. Needs Java 17
# and the extra "pipelines".
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
MQX_HOME=$(mktemp -d)
export MQX_HOME XDG_CONFIG_HOME="$MQX_HOME/config"
PYSPARK_PYTHON=$(command -v python3)
export PYSPARK_PYTHON SPARK_LOCAL_IP=127.0.0.1
trap 'rm -rf "$MQX_HOME"' EXIT
cp -R "$here/declarative" "$MQX_HOME"
cd "$MQX_HOME/declarative"
sed -i.template "s#STORAGE#$MQX_HOME/storage#" spark-pipeline.yml

mqx qmgr create QM1 --dev -q
mqx mqsc -q -m QM1 'ALTER QLOCAL(DEV.QUEUE.1) JOURNAL(YES)'

for run in 1 2; do
    for n in 1 2 3; do mqx put DEV.QUEUE.1 "order $run.$n" --priority "$n" -m QM1 -q; done
    spark-pipelines run --conf spark.ui.enabled=false > run.log 2>&1 || { cat run.log; exit 1; }
    echo "run $run: $(mqx qdepth DEV.QUEUE.1 -m QM1 -q) waiting"
done

python3 - <<'PYTHON'
import glob
import pyarrow.dataset as ds

for name in ("events", "waiting", "throughput"):
    table = ds.dataset(glob.glob(f"spark-warehouse/{name}/*.parquet")).to_table()
    columns = {"events": ["event"], "waiting": ["priority", "count"], "throughput": ["queue", "puts"]}[name]
    print(name, sorted(tuple(row.values()) for row in table.select(columns).to_pylist()))
PYTHON
