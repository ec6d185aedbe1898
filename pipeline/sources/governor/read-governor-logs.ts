import { z } from "zod";
import { PipelineError } from "../../facts/errors.ts";
import type { IndexedBlock } from "../../facts/governance-source.ts";
import { parseStored } from "../upstream/parse-values.ts";
import { isStanding } from "./blocks.ts";
import { GOVERNOR_TOPICS } from "./governor-events.ts";
import { type NodeLog, parseLogs, timedLog } from "./node-log.ts";
import { type LogReading, readLogSteps } from "./read-logs.ts";
import { type GovernorReading, StoredBlock } from "./reading.ts";
import { GOVERNOR_LIMITS } from "./rpc.ts";

/** Which logs of a governor to read, up to the reading's head. */
interface GovernorLogs {
  readonly governor: string;
  readonly fromBlock: number;
  /** Pages kept by a reading on another basis are not taken. */
  readonly basis: string;
  /** Who voted in these logs: numbered with the page they are kept in. */
  votersOf(logs: readonly NodeLog[]): readonly string[];
  /** Gets the logs in order, each with the time of its block. */
  take(logs: readonly NodeLog[]): void;
}

const Page = z.object({ basis: z.string(), from: z.number(), through: StoredBlock, logs: z.unknown() });

interface KeptPage {
  readonly through: IndexedBlock;
  readonly logs: readonly NodeLog[];
}

/**
 * Reads a governor's logs in pages that are kept at once, so that an interrupted reading goes on after its last page,
 * as long as the chain still has the block that it ended with. A kept page is believed no more than a node.
 */
export async function readGovernorLogs(reading: GovernorReading, wanted: GovernorLogs): Promise<LogReading> {
  const { rpc, head, memory, times } = reading;
  const { governor, fromBlock, basis } = wanted;
  const series = `logs ${governor} from ${fromBlock}`;
  const pageAt = (page: number, from: number) =>
    parsePage(memory.resumedPage(series, page), { basis, from, head: head.number });

  let count = 0;
  let reached: IndexedBlock | undefined;
  for (let page = pageAt(0, fromBlock); page !== undefined; page = pageAt(count, page.through.number + 1)) {
    count += 1;
    reached = page.through;
  }
  // Of pages that do not go together none is known to be of one chain.
  const isWhole = memory.resumedPage(series, count) === undefined;
  if (reached === undefined || !isWhole || !(await isStanding(rpc, head, reached))) {
    memory.forgetPages(series);
    count = 0;
    reached = undefined;
  }
  // Taken only now that the last of them stands; parsed twice, because all of them at once may not fit.
  let from = fromBlock;
  for (let place = 0; place < count; place += 1) {
    const page = pageAt(place, from);
    if (page === undefined) throw new PipelineError("SOURCE_FAILED", "a kept page of logs is gone");
    wanted.take(page.logs);
    from = page.through.number + 1;
  }
  return readLogSteps(reading, {
    address: governor,
    topics: Object.values(GOVERNOR_TOPICS),
    fromBlock: from,
    logsPerStep: GOVERNOR_LIMITS.governorLogsPerStep,
    async keep(found, through) {
      const timesMs = await times.ofLogs(found.filter(({ log }) => log.blockTimestamp == null));
      const logs = found.map((node) => ({ ...node, log: timedLog(node, timesMs) }));
      const kept = logs.map(({ log, blockHash }) => ({ ...log, blockHash }));
      const page = { basis, from, through, logs: kept } satisfies z.input<typeof Page>;
      const payload = JSON.stringify(page);
      memory.checkpoint({ series, page: count, payload, voters: wanted.votersOf(logs) });
      count += 1;
      from = through.number + 1;
      wanted.take(logs);
    },
  });
}

function parsePage(
  text: string | undefined,
  { basis, from, head }: { readonly basis: string; readonly from: number; readonly head: number },
): KeptPage | undefined {
  const page = parseStored(Page, text);
  if (page?.basis !== basis || page.from !== from || page.through.number > head) return undefined;
  try {
    return { through: page.through, logs: parseLogs(page.logs, { from, to: page.through.number }) };
  } catch (error) {
    if (error instanceof PipelineError) return undefined;
    throw error;
  }
}
