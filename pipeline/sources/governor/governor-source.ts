import { dayStartMs } from "../../facts/days.ts";
import type { GovernorToken } from "../../facts/delegation.ts";
import { invariant, PipelineError } from "../../facts/errors.ts";
import type { GovernanceSource, SpaceSink } from "../../facts/governance-source.ts";
import { parseStored } from "../upstream/parse-values.ts";
import { reject } from "../upstream/row-error.ts";
import { blockAtMoment, type ChainBlock, createBlockTimes, readBlock, readFinalizedBlock } from "./blocks.ts";
import { createAggregateCalls, filledHex, readClock, timepointOf } from "./contract-calls.ts";
import { fetchDelegation, openDelegation, reconcilePower } from "./fetch-delegation.ts";
import { fetchProposals } from "./fetch-proposals.ts";
import { GovernorNote, type GovernorReading } from "./reading.ts";
import { GOVERNOR_LIMITS, parseQuantity, type Rpc, RpcError } from "./rpc.ts";

/** What the adapter needs: a node of each chain. */
interface GovernorSourceOptions {
  rpcOf(chainId: number): Rpc | undefined;
  /** Ask for everything again, whatever is held. */
  readonly isFull?: boolean;
  /** How many ranges of logs are read before what came is kept; a minute's worth where it is not given. */
  readonly rangesPerStep?: number;
}

/**
 * Delegation of a token and the proposals and votes of its governor, from the logs of a chain, up to the finalized
 * block. Each log is read once: delegation is kept as it comes, proposals once they can no longer change. A chain that
 * no longer has what was read was reorganised deeper than it promised; the fetch goes back behind that, and reports it.
 */
export function createGovernorSource(options: GovernorSourceOptions): GovernanceSource {
  return {
    sourceId: "governor",
    async fetchSpace({ spaceId, governor }, sink) {
      if (governor === undefined) {
        throw failed(
          `the registry names no governor for ${spaceId}`,
          "Only DAOs with one are read from a chain.",
        );
      }
      const rpc = options.rpcOf(governor.chainId);
      if (rpc === undefined) {
        throw failed(`no node of chain ${governor.chainId} is configured`, "Give the address of one.");
      }
      try {
        await fetchChain(rpc, governor, sink, options);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        throw new PipelineError("SOURCE_FAILED", error.message, { cause: error });
      }
    },
  };
}

async function fetchChain(
  rpc: Rpc,
  governor: GovernorToken,
  sink: SpaceSink,
  { isFull = false, rangesPerStep = GOVERNOR_LIMITS.rangesPerStep }: GovernorSourceOptions,
): Promise<void> {
  const { memory } = sink;
  invariant(memory !== undefined, "a chain is read into a sink with a memory");
  const { token, firstBlock } = governor;
  const note = parseStored(GovernorNote, memory.note());
  const head = await openChain(rpc, governor);
  const times = createBlockTimes(rpc);
  const aggregate = createAggregateCalls(rpc);
  const isLater = note !== undefined;
  const reading = { rpc, governor, head, times, aggregate, sink, memory, isFull, isLater, rangesPerStep };
  const clock = await tokenClock(reading);
  const held = await openDelegation(reading, note);
  const isGoingOn = held.heldThrough()[0]?.number === note?.headBlock;
  const eventsCount = await fetchDelegation(reading, held);
  const proposals =
    governor.governor === undefined
      ? undefined
      : await fetchProposals(reading, governor.governor, note?.proposals);
  // Where nothing came, the power of the last day's end has been compared before.
  const dayEnd = isGoingOn && eventsCount === 0 ? undefined : await lastDayEnd(reading);
  for (const block of dayEnd === undefined ? [head] : [head, dayEnd]) {
    const timepoint = timepointOf(block, clock);
    if (timepoint === undefined) break;
    await reconcilePower(reading, timepoint, held.powersAt(block.number));
  }
  if ((await readBlock(rpc, head.number)).hash !== head.hash) {
    throw failed(
      "the chain was reorganised below its finalized block",
      "What was read since is not taken. Run again.",
    );
  }
  memory.putNote(
    JSON.stringify({ token, firstBlock, headBlock: head.number, proposals } satisfies GovernorNote),
  );
}

/** The finalized head of the right chain, on which the token's contract is. */
async function openChain(rpc: Rpc, { chainId, token, firstBlock }: GovernorToken): Promise<ChainBlock> {
  const served = parseQuantity(await rpc.call("eth_chainId", []), "chain id");
  if (served !== chainId) throw failed(`the node serves chain ${served}, and chain ${chainId} was asked for`);
  const head = await readFinalizedBlock(rpc);
  if (head.number < firstBlock) {
    throw failed(`the finalized block ${head.number} is before the token's first block ${firstBlock}`);
  }
  const code = filledHex(await rpc.call("eth_getCode", [token, "latest"]));
  if (code === undefined) throw failed(`there is no contract at ${token} on chain ${chainId}`);
  return head;
}

async function tokenClock({ rpc, governor, sink }: GovernorReading) {
  const { token, chainId, clock } = governor;
  const file = `eth_call ${chainId} ${token}`;
  const own = await readClock(rpc, token, chainId);
  if (own === "unknown") {
    const message = "the token counts time by a clock that is not this chain's: its power is not compared";
    reject(sink, { file }, "POWER_NOT_CHECKED", message);
  } else if (own !== clock) {
    const message = `the registry says ${clock}, and the contract's own clock is ${own}; the contract is believed`;
    reject(sink, { file }, "CLOCK_DIFFERS", message);
  }
  return own;
}

/** The last block of the last day that has ended by the head: what the newest whole day of a listing is made of. */
async function lastDayEnd({ rpc, governor, head }: GovernorReading): Promise<ChainBlock | undefined> {
  return blockAtMoment(rpc, dayStartMs(head.timeMs) - 1, { firstBlock: governor.firstBlock, head });
}

function failed(message: string, hint?: string): PipelineError {
  return new PipelineError("SOURCE_FAILED", message, hint === undefined ? undefined : { hint });
}
