/** A loop over outside data has an end, and reaching it is an error. */
export const GOVERNOR_LIMITS = {
  /** Blocks asked for at once in the beginning: the most that large public providers grant without a key. */
  rangeBlocksStart: 10_000,
  /** A range never grows past this; nodes of one's own grant more, and gain nothing by it. */
  rangeBlocksMax: 100_000,
  /** Of one contract in one fetch: the whole of Ethereum in ranges of 250 blocks. */
  rangesMax: 100_000,
  /** Logs of one answer; providers stop at 10,000 or 20,000. */
  logsPerAnswerMax: 200_000,
  /** Delegation events after which a step is kept: a second of writing, and some tens of requests. */
  eventsPerStep: 10_000,
  /** Logs of a governor after which a step is kept: reasons and descriptions are long. */
  governorLogsPerStep: 2_000,
  /** Ranges after which a step is kept, however few logs they have: a minute without a key. */
  rangesPerStep: 50,
  /** Blocks × logs of a block that still make one exact double together, as in the archive. */
  logsPerBlockMax: 2 ** 20,
  blocksMax: 2 ** 33,
  /** Requests of one JSON-RPC batch; the smallest limit of a large provider is 100. */
  batchMax: 100,
  /** Calls inside one `aggregate3`: 100 look-ups of a checkpoint stay far below a node's gas cap of a call. */
  callsPerAggregateMax: 100,
  /** Block times remembered at once; 100 bytes each. */
  blockTimesMax: 50_000,
  /** More steps than a binary search over 2^33 blocks takes. */
  searchStepsMax: 40,
  /** Accounts whose rebuilt power is compared with the contract's own. */
  reconciledAccounts: 50,
  proposalsMax: 100_000,
  /** Voters × proposals of one governor; 200 bytes each. */
  voteRowsMax: 1_000_000,
  /** With more malformed logs than this the contract is not what the registry says. */
  malformedShareMax: 0.1,
  /** Of the few logs since the last fetch of a contract whose logs could be taken until then. */
  malformedBorne: 10,
} as const;
