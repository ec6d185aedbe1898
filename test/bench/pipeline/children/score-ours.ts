import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { endedDayEndsMs } from "../../../../pipeline/facts/days.ts";
import { loadRegistry } from "../../../../pipeline/registry/registry.ts";
import { createDaoMeasurer } from "../../../../pipeline/score/measure-dao.ts";
import { scoreMeasures } from "../../../../pipeline/score/score-measures.ts";
import { openWarehouse } from "../../../../pipeline/warehouse/warehouse.ts";
import { createStageClock } from "./stage-clock.ts";

// node score-ours.js JOB: scores of every DAO of a filled warehouse as of one moment, and then as of every day-end of a
// year, each on two threads that read the warehouse themselves. Nothing is kept from the one to the other.

/** What is asked for; given as JSON text. */
export interface ScoreJob {
  readonly warehouse: string;
  readonly migrations: string;
  readonly registry: string;
  readonly asOfMs: number;
  readonly historyDays: number;
  readonly threads: number;
}

interface Part extends ScoreJob {
  readonly stage: "score" | "history";
  /** The next DAO that no thread has taken. */
  readonly next: Int32Array<SharedArrayBuffer>;
}

function scorePart(part: Part): void {
  const registry = loadRegistry(part.registry);
  const entityOf = new Map(
    registry.entities.flatMap(({ entityId, wallets }) =>
      wallets.map((wallet) => [wallet, entityId] as const),
    ),
  );
  const warehouse = openWarehouse({ path: part.warehouse, migrationsDirectory: part.migrations });
  const days = endedDayEndsMs(part.asOfMs, part.historyDays);
  for (;;) {
    const dao = registry.daos[Atomics.add(part.next, 0, 1)];
    if (dao === undefined) break;
    const measurer = createDaoMeasurer(warehouse.daoFacts(dao, registry), (wallet) => entityOf.get(wallet));
    for (const atMs of part.stage === "score" ? [part.asOfMs] : days) scoreMeasures(measurer.measureAt(atMs));
  }
  warehouse.close();
}

async function runPart(job: ScoreJob, stage: Part["stage"]): Promise<void> {
  const next = new Int32Array(new SharedArrayBuffer(4));
  const file = fileURLToPath(import.meta.url);
  const workers = Array.from(
    { length: job.threads },
    () => new Worker(file, { workerData: { ...job, stage, next } satisfies Part }),
  );
  await Promise.all(workers.map((worker) => once(worker, "exit")));
}

if (isMainThread) {
  const job = JSON.parse(process.argv[2] ?? "") as ScoreJob;
  const clock = createStageClock();
  await clock.time("score", () => runPart(job, "score"));
  await clock.time("history", () => runPart(job, "history"));
  process.stdout.write(`${JSON.stringify({ costs: clock.costs })}\n`);
} else scorePart(workerData as Part);
