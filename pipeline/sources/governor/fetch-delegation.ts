import type { DelegationEvent } from "../../facts/delegation.ts";
import type { DelegationMemory } from "../../facts/space-sink.ts";
import { delegationEventOfLog } from "../upstream/delegation-event-of-log.ts";
import { GOVERNOR_LIMITS } from "./limits.ts";
import { createLogTally } from "./log-tally.ts";
import type { NodeLog } from "./node-log.ts";
import { hexQuantity } from "./quantity.ts";
import { readLogSteps } from "./read-log-steps.ts";
import type { GovernorReading } from "./reading.ts";

const TOPICS = [
  "0x3134e8a2e6d97e929a7e54011ea5485d7d196dd5f0ba4d4ef95803e8e3fc257f",
  "0xdec2bacdd2f05b59de34da9b523dff8be42e5e38e818c82fdb0bae774387a724",
  "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
] as const;

/**
 * Takes the delegation logs of the token that are not held yet, up to the reading's head, each with the exact time of
 * its block, and keeps them step by step. Answers how many came.
 */
export async function fetchDelegation(reading: GovernorReading, held: DelegationMemory): Promise<number> {
  const { governor, times, sink, isLater } = reading;
  const { token, chainId, firstBlock } = governor;
  const borne = isLater ? GOVERNOR_LIMITS.malformedBorne : 0;
  const tally = createLogTally(`eth_getLogs ${chainId} ${token}`, sink, borne);
  const newest = held.heldThrough()[0];
  let count = 0;
  const { cuts } = await readLogSteps(reading, {
    address: token,
    topics: TOPICS,
    fromBlock: newest === undefined ? firstBlock : newest.number + 1,
    logsPerStep: GOVERNOR_LIMITS.eventsPerStep,
    async keep(logs, through) {
      // Newer nodes tell the time of a log's block in the log itself.
      const timesMs = await times.ofLogs(logs.filter(({ log }) => log.blockTimestamp == null));
      const events = logs.flatMap((node) => tally.log(() => eventOf(node, timesMs, token)) ?? []);
      // What is kept is never judged again.
      tally.judge();
      held.keep(events, through);
      count += events.length;
    },
  });
  tally.cuts(cuts);
  return count;
}

function eventOf(
  { log, blockNumber }: NodeLog,
  timesMs: ReadonlyMap<number, number>,
  token: string,
): DelegationEvent | undefined {
  const timeMs = timesMs.get(blockNumber);
  const timed = timeMs === undefined ? log : { ...log, blockTimestamp: hexQuantity(timeMs / 1000) };
  return delegationEventOfLog(timed, token);
}
