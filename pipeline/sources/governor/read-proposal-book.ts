import { RowError } from "../upstream/row-error.ts";
import type { EarlierReading } from "./earlier-proposals.ts";
import { type GovernorEvent, governorEventOfLog } from "./governor-event-of-log.ts";
import type { LogTally } from "./log-tally.ts";
import type { NodeLog } from "./node-log.ts";
import { createProposalBook, type ProposalBook } from "./proposal-book.ts";
import { parseQuantity } from "./quantity.ts";
import { readGovernorLogs } from "./read-governor-logs.ts";
import type { GovernorReading } from "./reading.ts";

/** A governor's logs as far as they were read. */
export interface BookedLogs {
  readonly book: ProposalBook;
  /** Times of the blocks that the logs stand in, by number. */
  readonly timesMs: ReadonlyMap<number, number>;
  readonly cuts: number;
}

/** Reads the logs of a governor that follow an earlier reading into a book of proposals. */
export async function readProposalBook(
  reading: GovernorReading,
  given: {
    readonly governor: string;
    readonly earlier: EarlierReading;
    readonly basis: string;
    readonly tally: LogTally;
  },
): Promise<BookedLogs> {
  const { governor, earlier, basis, tally } = given;
  const held = new Set(earlier.held.keys());
  const book = createProposalBook({ ...earlier, held }, reading.sink.internVoter);
  const timesMs = new Map<number, number>();
  const { cuts } = await readGovernorLogs(reading, {
    governor,
    fromBlock: earlier.fromBlock,
    basis,
    votersOf: (logs) => votersOf(logs, governor),
    take(logs) {
      for (const { log, blockNumber } of logs) {
        tally.log(() => {
          const event = governorEventOfLog(log, governor);
          if (log.blockTimestamp != null) {
            timesMs.set(blockNumber, parseQuantity(log.blockTimestamp, "block time") * 1000);
          }
          if (event !== undefined) book.apply(event, blockNumber);
        });
      }
    },
  });
  return { book, timesMs, cuts };
}

function votersOf(logs: readonly NodeLog[], governor: string): string[] {
  const voters = logs.flatMap(({ log }) => {
    const event = readableEvent(log, governor);
    return event?.kind === "vote" ? [event.voter] : [];
  });
  return [...new Set(voters)];
}

function readableEvent(log: NodeLog["log"], governor: string): GovernorEvent | undefined {
  try {
    return governorEventOfLog(log, governor);
  } catch (error) {
    // Whoever takes the log reports it.
    if (error instanceof RowError) return undefined;
    throw error;
  }
}
