import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Registry, TrackedDao } from "../../../pipeline/facts/tracked.ts";
import type { RunEffects } from "../../../pipeline/home/settings.ts";
import { loadRegistry } from "../../../pipeline/registry/registry.ts";
import { createArchiveSource } from "../../../pipeline/sources/archive/archive-source.ts";
import { listDifferences, visitVersion } from "../../../pipeline/stages/build-version.ts";
import { fetchDaos } from "../../../pipeline/stages/fetch-daos.ts";
import { startThreads } from "../../../pipeline/stages/thread-pool.ts";
import { openWarehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { sha256Hex } from "../../../snapshots/format/canonical-json.ts";
import type { RenderedPart } from "../../../snapshots/store/write/render-part.ts";

// Started by thread-pool.test.ts: fetches and scores an archive and builds its documents, in this thread and with threads, and prints both, or how
// tasks end whose thread does.

const [directory = "", home = "", asOf = "", mode = ""] = process.argv.slice(2);
const read = loadRegistry(join(directory, "registry.yaml"));
const missing: TrackedDao = { spaceId: "not.there", name: "None", category: "defi", governor: undefined };
const registry: Registry = { ...read, daos: [...read.daos, missing] };
const warnings: string[] = [];
const effects: RunEffects = {
  nowMs: () => 1_000,
  runId: "0".repeat(16),
  progress: { step: () => {}, tick: () => {}, warn: (message) => warnings.push(message) },
};

/** What JSON cannot say. */
function plain(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}`;
  if (value instanceof Map) return [...value];
  return value;
}

/** What tells two parts apart, without all their bytes. */
const seenOf = ({ files, rows: { documents, ...tables } }: RenderedPart) => ({
  files: files.map(({ entry, bytes }) => [entry, sha256Hex(Buffer.from(bytes))]),
  documents: documents.map(({ body: _, gzip: __, brotli: ___, ...row }) => row),
  tables,
});

async function compute(name: string, count: number) {
  mkdirSync(join(home, name));
  const path = join(home, name, "warehouse.db");
  const warehouse = openWarehouse(path);
  const threads = count === 0 ? undefined : startThreads(count, { registry, warehouse: path });
  try {
    const source = createArchiveSource({ directory });
    const inThreads = threads === undefined ? undefined : { threads, directory };
    const daos = registry.daos;
    const records = await fetchDaos({ daos, source, warehouse, effects, atOnce: 1, inThreads });
    const asOfMs = Date.parse(asOf);
    const finalPoints: unknown[] = [];
    const input = { registry, warehouse, asOfMs, effects, threads, isRendered: true };
    const visits = visitVersion(input, (...points) => void finalPoints.push(points));
    const files: unknown[] = [];
    let visit = await visits.next();
    for (; !visit.done; visit = await visits.next()) files.push(seenOf(visit.value));
    const version = visit.value;
    const made = { finalPoints, files, version, differences: listDifferences(version) };
    const text = JSON.stringify({ records, rejections: warehouse.rejections(), ...made }, plain);
    return { text, warnings: warnings.splice(0).sort() };
  } finally {
    await threads?.close();
    warehouse.close();
  }
}

/** What a slow listener of one fetch does, and when the task ends. */
async function listenSlowly() {
  const path = join(home, "slow.db");
  const threads = startThreads(1, { registry, warehouse: path });
  const [dao = missing] = registry.daos;
  const order: string[] = [];
  let part = 0;
  await threads.run({ kind: "fetch", dao, directory }, async ({ voters }) => {
    const number = ++part;
    order.push(`part ${number} begins`);
    // The following messages arrive meanwhile.
    for (let turn = 0; turn < 1_000; turn += 1) await nextTurn();
    order.push(`part ${number} ends`);
    return voters && Uint32Array.from({ length: voters.count }, (_, index) => index + 1);
  });
  order.push("the task ends");
  await threads.close();
  return order;
}

async function endEarly() {
  mkdirSync(join(home, "early"));
  const path = join(home, "early", "warehouse.db");
  const warehouse = openWarehouse(path);
  const threads = startThreads(2, { registry, warehouse: path });
  const [dao = missing] = registry.daos;
  const failing = threads.run({ kind: "fetch", dao, directory }, () => {
    throw new Error("the listener failed");
  });
  const absent = threads.run({ kind: "fetch", dao: missing, directory }, () => new Uint32Array(0));
  // Its voters are never answered, so it waits until its thread is ended.
  const waiting = threads.run({ kind: "fetch", dao, directory }, () => {
    void Promise.allSettled([failing, absent]).then(() => threads.close());
    return new Promise(() => {});
  });
  const tasks = Promise.allSettled([failing, absent, waiting]);
  await tasks;
  const late = Promise.allSettled([threads.run({ kind: "fetch", dao, directory })]);
  const ends = [...(await tasks), ...(await late)].map((end) =>
    end.status === "rejected" ? String(end.reason) : "fulfilled",
  );
  warehouse.close();
  return ends;
}

const modes = {
  same: async () => [await compute("one", 0), await compute("many", 2)],
  slow: listenSlowly,
  early: endEarly,
};
process.stdout.write(JSON.stringify(await modes[mode as keyof typeof modes]()));
