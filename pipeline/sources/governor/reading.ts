import { z } from "zod";
import type { GovernorToken } from "../../facts/delegation.ts";
import { PipelineError } from "../../facts/errors.ts";
import type { FetchMemory, SpaceSink } from "../../facts/governance-source.ts";
import { createRowTally, reject } from "../upstream/row-error.ts";
import type { BlockTimes, ChainBlock } from "./blocks.ts";
import type { AggregateCalls } from "./contract-calls.ts";
import { GOVERNOR_LIMITS, type Rpc } from "./rpc.ts";

/** A block of a chain as it is remembered. */
export const StoredBlock = z.object({ number: z.int().min(0), hash: z.string() });

const ProposalsNote = z.object({
  /** What the held proposals were made with; with anything else they are of no use. */
  basis: z.string(),
  /** The block up to which the governor's logs were read. */
  indexed: StoredBlock,
  /** Every proposal that may still change was created here or later. */
  fromBlock: z.int().min(0),
  /** Ids of the proposals created from there on. */
  younger: z.array(z.string()),
  /** Ids of older proposals that could not be taken. */
  refused: z.array(z.string()),
});

/** What a fetch from a chain tells the next one, beside what is held. */
export const GovernorNote = z.object({
  token: z.string(),
  /** The delegation of the token is held from this block on. */
  firstBlock: z.int().min(0),
  /** Where that fetch ended. */
  headBlock: z.int().min(0),
  proposals: ProposalsNote.optional(),
});
export type GovernorNote = z.infer<typeof GovernorNote>;

/** What a fetch of a governor's proposals tells the next one. */
export type ProposalsNote = z.infer<typeof ProposalsNote>;

/** Counts the logs of one contract and reports those that are not taken. */
export type LogTally = ReturnType<typeof createLogTally>;

/** Starts with no logs. `file` is what rejections are listed under; so many as `borne` fail nothing. */
export function createLogTally(file: string, sink: Pick<SpaceSink, "put">, borne = 0) {
  const tally = createRowTally(sink);
  return {
    /** What `take` answers for one log; a `RowError` out of it becomes a rejection and `undefined`. */
    log: <Taken>(take: () => Taken): Taken | undefined => tally.row({ file, line: tally.rows + 1 }, take),
    /** Reports how often the node cut an answer; nothing of it was lost. */
    cuts(count: number): void {
      if (count === 0) return;
      const message = `the node cut ${count} of its answers without a word; they were read again in parts`;
      reject(sink, { file }, "ANSWER_CUT", message);
    },
    /** Throws `PipelineError` SOURCE_FAILED where too many logs could not be taken to trust the rest. */
    judge(): void {
      const { rows, refused } = tally;
      if (refused <= Math.max(borne, rows * GOVERNOR_LIMITS.malformedShareMax)) return;
      throw new PipelineError("SOURCE_FAILED", `${file}: ${refused} of ${rows} logs could not be taken`, {
        hint: "The contract is not of the kind in the registry. What was fetched before is kept.",
      });
    },
  };
}

/** One fetch of one DAO from its chain: what is asked, up to which block, and where the answers go. */
export interface GovernorReading {
  readonly rpc: Rpc;
  readonly governor: GovernorToken;
  /** The finalized block as the fetch began. Nothing past it is taken. */
  readonly head: ChainBlock;
  readonly times: BlockTimes;
  readonly aggregate: AggregateCalls;
  readonly sink: SpaceSink;
  readonly memory: FetchMemory;
  /** Everything is asked for again; only what another such fetch kept is trusted. */
  readonly isFull: boolean;
  /** An earlier fetch of the same DAO came to its end. */
  readonly isLater: boolean;
  /** Ranges of logs after which what came is kept. */
  readonly rangesPerStep: number;
}
