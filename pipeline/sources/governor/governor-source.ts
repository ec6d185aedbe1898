import { dayStartMs } from "../../facts/days.ts";
import { invariant, sourceFailed } from "../../facts/errors.ts";
import type { GovernanceSource, SpaceSink } from "../../facts/governance-source.ts";
import type { GovernorToken } from "../../facts/tracked.ts";
import { parseStored } from "../upstream/parse-values.ts";
import { reject } from "../upstream/row-error.ts";
import { blockAtMoment, type ChainBlock, readBlock, readFinalizedBlock } from "./blocks.ts";
import { createAggregateCalls, filledHex, readClock, timepointOf } from "./contract-calls.ts";
import { fetchDelegation, openDelegation, reconcilePower } from "./fetch-delegation.ts";
import { fetchProposals } from "./fetch-proposals.ts";
import { GovernorNote, type GovernorReading } from "./reading.ts";
import { GOVERNOR_LIMITS, isRpcRefusal, parseQuantity, type Rpc } from "./rpc.ts";

interface GovernorSourceOptions {
  rpcOf(chainId: number): Rpc | undefined;
  readonly isFull?: boolean;
  /** Ranges of logs to read before storing them; by default about a minute's worth. */
  readonly rangesPerStep?: number;
}

/**
 * Reads a token's delegation and its governor's proposals and votes from a chain's logs, up to the finalized
 * block. Reads each log once: delegation is stored as it arrives, proposals once they can no longer change.
 * If finalized blocks that were read are no longer part of the chain, the fetch goes back before them and
 * reports it.
 */
export function createGovernorSource(options: GovernorSourceOptions): GovernanceSource {
  return {
    sourceId: "governor",
    async fetchSpace({ spaceId, governor }, sink) {
      if (governor === undefined) {
        throw sourceFailed(`the registry names no governor for ${spaceId}`, {
          hint: "Only DAOs with a governor are read from a chain.",
        });
      }
      const rpc = options.rpcOf(governor.chainId);
      if (rpc === undefined) {
        throw sourceFailed(`no node of chain ${governor.chainId} is configured`, { hint: "Set its URL." });
      }
      try {
        await fetchChain(rpc, governor, sink, options);
      } catch (error) {
        if (!isRpcRefusal(error)) throw error;
        throw sourceFailed(error.message, { cause: error });
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
  invariant(memory !== undefined, "the governor source needs a sink with a memory");
  const { token, firstBlock } = governor;
  const note = parseStored(GovernorNote, memory.note());
  const head = await openChain(rpc, governor);
  const aggregate = createAggregateCalls(rpc);
  const isLater = note !== undefined;
  const reading = { rpc, governor, head, aggregate, sink, memory, isFull, isLater, rangesPerStep };
  const clock = await tokenClock(reading);
  const held = await openDelegation(reading, note);
  const isGoingOn = held.heldThrough()[0]?.number === note?.headBlock;
  const eventsCount = await fetchDelegation(reading, held);
  const proposals =
    governor.governor === undefined
      ? undefined
      : await fetchProposals(reading, governor.governor, note?.proposals);
  // For the newest complete day of a listing. Without new events, the power at its end was compared earlier.
  const isCompared = isGoingOn && eventsCount === 0;
  const dayEndMs = dayStartMs(head.timeMs) - 1;
  const dayEnd = isCompared ? undefined : await blockAtMoment(rpc, dayEndMs, { firstBlock, head });
  for (const block of dayEnd === undefined ? [head] : [head, dayEnd]) {
    const timepoint = timepointOf(block, clock);
    if (timepoint === undefined) break;
    await reconcilePower(reading, timepoint, held.powersAt(block.number));
  }
  if ((await readBlock(rpc, head.number)).hash !== head.hash) {
    throw sourceFailed("the chain was reorganised below its finalized block", {
      hint: "The new data was discarded. Run again.",
    });
  }
  memory.putNote(
    JSON.stringify({ token, firstBlock, headBlock: head.number, proposals } satisfies GovernorNote),
  );
}

/** Checks that the node serves the right chain with the token's contract; returns the finalized head. */
async function openChain(rpc: Rpc, { chainId, token, firstBlock }: GovernorToken): Promise<ChainBlock> {
  const served = parseQuantity(await rpc.call("eth_chainId", []), "chain id");
  if (served !== chainId)
    throw sourceFailed(`the node serves chain ${served}, but chain ${chainId} was requested`);
  const head = await readFinalizedBlock(rpc);
  if (head.number < firstBlock) {
    throw sourceFailed(`the finalized block ${head.number} is before the token's first block ${firstBlock}`);
  }
  const code = filledHex(await rpc.call("eth_getCode", [token, "latest"]));
  if (code === undefined) throw sourceFailed(`there is no contract at ${token} on chain ${chainId}`);
  return head;
}

async function tokenClock({ rpc, governor, sink }: GovernorReading) {
  const { token, chainId, clock } = governor;
  const file = `eth_call ${chainId} ${token}`;
  const contractClock = await readClock(rpc, token, chainId);
  if (contractClock === "unknown") {
    const message = "the token uses the clock of another chain: its power is not compared";
    reject(sink, { file }, "POWER_NOT_CHECKED", message);
  } else if (contractClock !== clock) {
    const message = `the registry has the clock ${clock}, the contract ${contractClock}; the contract's is used`;
    reject(sink, { file }, "CLOCK_DIFFERS", message);
  }
  return contractClock;
}
