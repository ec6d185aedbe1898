import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Registry, TrackedDao } from "../../pipeline/facts/tracked.ts";
import { loadRegistry } from "../../pipeline/registry/registry.ts";
import { createArchiveSource } from "../../pipeline/sources/archive/archive-source.ts";
import type { FetchRecord } from "../../pipeline/warehouse/fetches.ts";
import type { Warehouse } from "../../pipeline/warehouse/warehouse.ts";
import { openWarehouse } from "../../pipeline/warehouse/warehouse.ts";
import { findArchive } from "./find-archive.ts";

// npx tsx test/bench/warehouse-load.ts [ARCHIVE]: loads every space of an archive into a fresh warehouse and reads
// it back. Figures to reach: at most 25 bytes of the database file a vote, less than 500 MB of memory.

/** Every space of the archive, in the registry or not, and the registry's DAOs without proposals (delegation only). */
function daosOf(directory: string, registry: Registry): readonly TrackedDao[] {
  const known = new Map(registry.daos.map((dao) => [dao.spaceId, dao]));
  for (const file of readdirSync(join(directory, "proposals"))) {
    const spaceId = file.replace(/\.ndjson$/, "");
    if (!known.has(spaceId))
      known.set(spaceId, { spaceId, name: spaceId, category: "defi", governor: undefined });
  }
  return [...known.values()];
}

async function load(
  warehouse: Warehouse,
  directory: string,
  daos: readonly TrackedDao[],
): Promise<FetchRecord[]> {
  const source = createArchiveSource({ directory });
  const records: FetchRecord[] = [];
  for (const dao of daos) {
    const { spaceId } = dao;
    const fetch = warehouse.beginSpaceFetch({ spaceId, sourceId: source.sourceId, fetchedAtMs: 0 });
    await source.fetchSpace(dao, fetch);
    records.push(fetch.commit());
  }
  return records;
}

/** Seconds that reading all facts takes, and the slowest DAO of them. */
function readBack(warehouse: Warehouse, daos: readonly TrackedDao[], registry: Registry) {
  let seconds = 0;
  let slowest = { spaceId: "", ms: 0 };
  for (const dao of daos) {
    const beganMs = performance.now();
    warehouse.daoFacts(dao, registry);
    const ms = performance.now() - beganMs;
    seconds += ms / 1000;
    if (ms > slowest.ms) slowest = { spaceId: dao.spaceId, ms };
  }
  return { seconds, slowest };
}

async function main(): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), "warehouse-load-"));
  const path = join(temporary, "warehouse.db");
  const migrations = new URL("../../pipeline/warehouse/migrations", import.meta.url);
  try {
    const { directory, origin } = findArchive(process.argv[2], temporary);
    const registryPath = join(directory, "registry.yaml");
    const registry = existsSync(registryPath) ? loadRegistry(registryPath) : { daos: [], entities: [] };
    const daos = daosOf(directory, registry);
    const warehouse = openWarehouse({ path, migrationsDirectory: fileURLToPath(migrations) });

    const beganMs = performance.now();
    const records = await load(warehouse, directory, daos);
    const seconds = (performance.now() - beganMs) / 1000;
    const peakMb = process.resourceUsage().maxRSS / 1024;
    const read = readBack(warehouse, daos, registry);
    warehouse.close();

    const sum = (of: (record: FetchRecord) => number) =>
      records.reduce((total, record) => total + of(record), 0);
    const votes = sum((record) => record.votes);
    const rejected = sum((record) =>
      Object.values(record.rejected).reduce((total, count) => total + count, 0),
    );
    const bytes = statSync(path).size;
    print([
      ["archive", origin],
      ["spaces", records.length],
      ["proposals", sum((record) => record.proposals)],
      ["ballots", sum((record) => record.ballots)],
      ["votes", votes],
      ["logs", sum((record) => record.logs)],
      ["rejected rows", rejected],
      ["seconds to load", seconds.toFixed(1)],
      ["votes per second", Math.round(votes / seconds)],
      ["peak memory, MB (< 500)", peakMb.toFixed(0)],
      ["database, MB", (bytes / 1e6).toFixed(1)],
      ["bytes per vote (≤ 25)", (bytes / votes).toFixed(1)],
      ["seconds to read all facts", read.seconds.toFixed(2)],
      ["slowest DAO to read", `${read.slowest.spaceId}, ${read.slowest.ms.toFixed(0)} ms`],
    ]);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function print(rows: readonly (readonly [string, string | number])[]): void {
  for (const [name, value] of rows) process.stdout.write(`${name.padEnd(28)}${value}\n`);
}

await main();
