import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Registry, TrackedDao } from "../../../pipeline/facts/tracked.ts";
import type { RunEffects, Settings } from "../../../pipeline/home/settings.ts";
import { loadRegistry } from "../../../pipeline/registry/registry.ts";
import { createArchiveSource } from "../../../pipeline/sources/archive/archive-source.ts";
import { listDifferences, visitDaos, visitVersion } from "../../../pipeline/stages/build-version.ts";
import { fetchDaos } from "../../../pipeline/stages/fetch-daos.ts";
import { type ThreadPool, withThreads } from "../../../pipeline/stages/thread-pool.ts";
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

/** Works in a home of this name, with so many threads. */
function inHome<Result>(
  name: string,
  threads: number,
  work: (path: string, pool: ThreadPool | undefined) => Promise<Result>,
): Promise<Result> {
  const homeDirectory = join(home, name);
  mkdirSync(homeDirectory);
  const paths = { snapshotsDirectory: "", registryPath: undefined, packageDirectory: "" };
  const settings: Settings = { homeDirectory, ...paths, threads };
  return withThreads(settings, registry, 16, (pool) => work(join(homeDirectory, "warehouse.db"), pool));
}

const compute = (name: string, count: number) =>
  inHome(name, count, async (path, threads) => {
    const warehouse = openWarehouse(path);
    try {
      const source = createArchiveSource({ directory });
      const inThreads = threads === undefined ? undefined : { threads, directory };
      const daos = registry.daos;
      const records = await fetchDaos({ daos, source, warehouse, effects, atOnce: 1, inThreads });
      const asOfMs = Date.parse(asOf);
      const finalPoints: unknown[] = [];
      const input = { registry, warehouse, asOfMs, effects, threads, isRendered: true };
      const points = (...given: unknown[]) => void finalPoints.push(given);
      const visits = visitVersion(input, visitDaos(daos, input), points);
      const files: unknown[] = [];
      let visit = await visits.next();
      for (; !visit.done; visit = await visits.next()) files.push(seenOf(visit.value));
      const version = visit.value;
      const made = { finalPoints, files, version, differences: listDifferences(version) };
      const text = JSON.stringify({ records, rejections: warehouse.rejections(), ...made }, plain);
      return { text, warnings: warnings.splice(0).sort() };
    } finally {
      warehouse.close();
    }
  });

/** What a slow listener of one fetch does, and when the task ends. */
const listenSlowly = () =>
  inHome("slow", 2, async (_, threads) => {
    const [dao = missing] = registry.daos;
    const order: string[] = [];
    let part = 0;
    await threads?.run({ kind: "fetch", dao, directory }, async ({ voters }) => {
      const number = ++part;
      order.push(`part ${number} begins`);
      // The following messages arrive meanwhile.
      for (let turn = 0; turn < 1_000; turn += 1) await nextTurn();
      order.push(`part ${number} ends`);
      return voters && Uint32Array.from({ length: voters.count }, (_, index) => index + 1);
    });
    order.push("the task ends");
    return order;
  });

const endEarly = () =>
  inHome("early", 2, async (path, threads) => {
    if (threads === undefined) throw new Error("there are threads");
    const warehouse = openWarehouse(path);
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
  });

const modes = {
  same: async () => [await compute("one", 0), await compute("many", 2)],
  slow: listenSlowly,
  early: endEarly,
};
process.stdout.write(JSON.stringify(await modes[mode as keyof typeof modes]()));
