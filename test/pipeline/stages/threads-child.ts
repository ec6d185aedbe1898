import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Registry, TrackedDao } from "../../../pipeline/facts/tracked.ts";
import type { RunEffects } from "../../../pipeline/home/settings.ts";
import { loadRegistry } from "../../../pipeline/registry/registry.ts";
import { createArchiveSource } from "../../../pipeline/sources/archive/archive-source.ts";
import { fetchDaos } from "../../../pipeline/stages/fetch-daos.ts";
import { scoreDaos } from "../../../pipeline/stages/score-daos.ts";
import { startThreads } from "../../../pipeline/stages/thread-pool.ts";
import { openWarehouse } from "../../../pipeline/warehouse/warehouse.ts";

// Started by threads.test.ts: fetches and scores an archive in this thread and with threads, and prints both, or how
// tasks end whose thread does.

const [directory = "", home = "", asOf = "", mode = ""] = process.argv.slice(2);
const migrationsDirectory = join(process.cwd(), "pipeline", "warehouse", "migrations");
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

async function compute(name: string, count: number) {
  mkdirSync(join(home, name));
  const files = { path: join(home, name, "warehouse.db"), migrationsDirectory };
  const warehouse = openWarehouse(files);
  const threads = count === 0 ? undefined : startThreads(count, { registry, warehouse: files });
  try {
    const source = createArchiveSource({ directory });
    const inThreads = threads === undefined ? undefined : { threads, directory };
    const daos = registry.daos;
    const records = await fetchDaos({ daos, source, warehouse, effects, atOnce: 1, inThreads });
    const scored = await scoreDaos({ daos, registry, warehouse, asOfMs: Date.parse(asOf), effects, threads });
    const text = JSON.stringify({ records, rejections: warehouse.rejections(), scored }, plain);
    return { text, warnings: warnings.splice(0).sort() };
  } finally {
    await threads?.close();
    warehouse.close();
  }
}

async function endEarly() {
  mkdirSync(join(home, "early"));
  const files = { path: join(home, "early", "warehouse.db"), migrationsDirectory };
  const warehouse = openWarehouse(files);
  const threads = startThreads(2, { registry, warehouse: files });
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

process.stdout.write(
  JSON.stringify(mode === "early" ? await endEarly() : [await compute("one", 0), await compute("many", 2)]),
);
