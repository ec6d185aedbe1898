import type { DelegationEvent } from "../../facts/delegation.ts";

const NOBODY = `0x${"0".repeat(40)}`;

/** One row of `delegation_events`; amounts as decimal digits, which no engine rounds. */
export function delegationEventRecord(
  spaceId: string,
  event: DelegationEvent,
  idOf: (address: string) => string,
): object {
  const { blockNumber, logIndex, blockTimeMs, kind } = event;
  const about = {
    space_id: spaceId,
    block_number: blockNumber,
    log_index: logIndex,
    block_time_ms: blockTimeMs,
    kind,
  };
  // The zero address is nobody: a pseudonym would make somebody of it.
  const someone = (address: string): string | null => (address === NOBODY ? null : idOf(address));
  switch (event.kind) {
    case "delegate-changed":
      return {
        ...about,
        delegator_id: someone(event.delegator),
        from_id: someone(event.from),
        to_id: someone(event.to),
      };
    case "votes-changed":
      return {
        ...about,
        delegate_id: someone(event.delegate),
        before_votes: String(event.before),
        after_votes: String(event.after),
      };
    case "transfer":
      return {
        ...about,
        from_id: someone(event.from),
        to_id: someone(event.to),
        amount: String(event.amount),
      };
  }
}
