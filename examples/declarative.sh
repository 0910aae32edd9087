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
mqx mqsc -q -m QM1 'ALTER QLOCAL(DEV.QUEUE.1) JOURNAL(YES)' > /dev/null

for run in 1 2; do
    for n in 1 2 3; do mqx put DEV.QUEUE.1 "order $run.$n" --priority "$n" -m QM1 -q; done
    spark-pipelines run --conf spark.ui.enabled=false --conf spark.sql.catalogImplementation=hive \
        > run.log 2>&1 || { cat run.log; exit 1; }
    echo "run $run: $(mqx qdepth DEV.QUEUE.1 -m QM1 -o plain | cut -f2) waiting"
done

python3 - <<'PYTHON'
import glob
import pyarrow.dataset as ds


def rows(name, *columns):
    table = ds.dataset(glob.glob(f"spark-warehouse/{name}/*.parquet")).to_table(list(columns))
    return sorted(tuple(row.values()) for row in table.to_pylist())


print("events", [event for (event,) in rows("events", "event")])
print("waiting by priority", dict(rows("waiting", "priority", "count")))
print("puts", sum(number for (number,) in rows("throughput", "puts")))
PYTHON
