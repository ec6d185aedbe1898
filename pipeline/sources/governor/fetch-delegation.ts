import type { DelegationEvent } from "../../facts/delegation.ts";
import { delegationEventOfLog } from "../upstream/delegation-event-of-log.ts";
import { createLogTally } from "./log-tally.ts";
import type { NodeLog } from "./node-log.ts";
import type { PowerBook } from "./power-book.ts";
import { hexQuantity } from "./quantity.ts";
import { readLogs } from "./read-logs.ts";
import type { GovernorReading } from "./reading.ts";

const TOPICS = [
  "0x3134e8a2e6d97e929a7e54011ea5485d7d196dd5f0ba4d4ef95803e8e3fc257f",
  "0xdec2bacdd2f05b59de34da9b523dff8be42e5e38e818c82fdb0bae774387a724",
  "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
] as const;

/**
 * Takes the delegation logs of the token from `fromBlock` to the reading's head, each with the exact time of its
 * block, and notes the powers they say.
 */
export async function fetchDelegation(
  reading: GovernorReading,
  fromBlock: number,
  powers: PowerBook,
): Promise<void> {
  const { rpc, governor, head, times, sink } = reading;
  const { token, chainId } = governor;
  const tally = createLogTally(`eth_getLogs ${chainId} ${token}`, sink);
  const { cuts } = await readLogs({
    rpc,
    address: token,
    topics: TOPICS,
    range: { from: fromBlock, to: head.number },
    async take(logs) {
      // Newer nodes tell the time of a log's block in the log itself.
      const timesMs = await times.ofLogs(logs.filter(({ log }) => log.blockTimestamp == null));
      const events = logs.flatMap((node) => tally.log(() => eventOf(node, timesMs, token)) ?? []);
      for (const event of events) powers.note(event);
      if (events.length > 0) sink.putDelegationEvents(token, events);
    },
  });
  tally.cuts(cuts);
  tally.judge();
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
