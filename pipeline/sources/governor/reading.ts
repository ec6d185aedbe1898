import { z } from "zod";
import { sourceFailed } from "../../facts/errors.ts";
import type { FetchMemory, SpaceSink } from "../../facts/governance-source.ts";
import type { GovernorToken } from "../../facts/tracked.ts";
import { createRowTally, MALFORMED_SHARE_MAX, reject } from "../upstream/row-error.ts";
import type { ChainBlock } from "./blocks.ts";
import type { AggregateCalls } from "./contract-calls.ts";
import type { Rpc } from "./rpc.ts";

export const StoredBlock = z.object({ number: z.int().min(0), hash: z.string() });

const ProposalsNote = z.object({
  /** Everything that determines the held proposals; if it changes, they are rebuilt. */
  basis: z.string(),
  /** The block up to which the governor's logs were read. */
  indexed: StoredBlock,
  /** Every proposal that may still change was created at this block or later. */
  fromBlock: z.int().min(0),
  /** Ids of the proposals created from that block on. */
  younger: z.array(z.string()),
  refused: z.array(z.string()),
});

/** What a fetch from a chain stores for the next one, besides the data. */
export const GovernorNote = z.object({
  token: z.string(),
  /** The token's delegation is held from this block on. */
  firstBlock: z.int().min(0),
  headBlock: z.int().min(0),
  proposals: ProposalsNote.optional(),
});
export type GovernorNote = z.infer<typeof GovernorNote>;

export type ProposalsNote = z.infer<typeof ProposalsNote>;

export type LogTally = ReturnType<typeof createLogTally>;

/** Starts with no logs. Rejections are listed under `file`; up to `tolerated` never fail the fetch. */
export function createLogTally(file: string, sink: Pick<SpaceSink, "put">, tolerated = 0) {
  const tally = createRowTally(sink);
  return {
    log: <Taken>(take: () => Taken): Taken | undefined => tally.row({ file, line: tally.rows + 1 }, take),
    /** Reports how often the node truncated an answer; no logs were lost. */
    cuts(count: number): void {
      if (count === 0) return;
      const message = `the node silently truncated ${count} of its answers; they were read again in parts`;
      reject(sink, { file }, "ANSWER_CUT", message);
    },
    /** Throws `SOURCE_FAILED` if too many logs were rejected to trust the rest. */
    judge(): void {
      const { rows, refused } = tally;
      if (refused <= Math.max(tolerated, rows * MALFORMED_SHARE_MAX)) return;
      throw sourceFailed(`${file}: ${refused} of ${rows} logs were rejected`, {
        hint: "The contract is not of the kind given in the registry. Data fetched earlier is kept.",
      });
    },
  };
}

export interface GovernorReading {
  readonly rpc: Rpc;
  readonly governor: GovernorToken;
  /** The finalized block when the fetch began. Nothing after it is read. */
  readonly head: ChainBlock;
  readonly aggregate: AggregateCalls;
  readonly sink: SpaceSink;
  readonly memory: FetchMemory;
  /** Fetch everything again, trusting only what another full fetch stored. */
  readonly isFull: boolean;
  /** An earlier fetch of the same DAO was completed. */
  readonly isLater: boolean;
  readonly rangesPerStep: number;
}
