import type { DelegateList } from "../../facts/delegation.ts";

/** The rows of `delegate_lists`; power as decimal digits, which no engine rounds. */
export function* delegateListRecords(
  lists: readonly DelegateList[],
  idOf: (address: string) => string,
): Generator<object> {
  for (const { spaceId, date, asOfMs, isComplete, decimals, fetchedAtMs, delegates } of lists) {
    for (const { address, votes, delegatorsCount } of delegates) {
      yield {
        space_id: spaceId,
        date,
        as_of_ms: asOfMs,
        is_complete: isComplete,
        decimals,
        fetched_at_ms: fetchedAtMs,
        account_id: idOf(address),
        votes: String(votes),
        delegators_count: delegatorsCount,
      };
    }
  }
}
