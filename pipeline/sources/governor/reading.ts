import type { GovernorToken } from "../../facts/delegation.ts";
import type { FetchMemory, SpaceSink } from "../../facts/space-sink.ts";
import type { AggregateCalls } from "./aggregate-calls.ts";
import type { BlockTimes } from "./block-times.ts";
import type { ChainBlock } from "./chain-block.ts";
import type { Rpc } from "./rpc.ts";

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
