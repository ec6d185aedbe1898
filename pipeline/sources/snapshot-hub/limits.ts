/** What the hub allows in one request, and where we stop. The first three are the hub's own. */
export const HUB_LIMITS = {
  pageSizeMax: 1_000,
  skipMax: 5_000,
  idsMax: 100,
  /** Several times the proposals of the largest space of the hub. */
  proposalsMax: 200_000,
  /** As many as one ballot can hold. */
  votesMax: 2 ** 21,
  /** Links and distinct strategies of all proposals of a space: ten times those of the largest. */
  textLengthMax: 32 * 1024 * 1024,
  /** More proposals than these, when they are also more than this share of those that are looked for, vanish by a fault. */
  vanishedMax: 10,
  vanishedShareMax: 0.5,
  /** Of an answer with more malformed rows than this the rest is not trusted either. */
  malformedShareMax: 0.1,
} as const;

/** How far back proposals are asked for again at each fetch: what may still be judged may still change. */
export const FRAME_DAYS = 730;

/** A ballot that lacks votes is asked for again this long after its end; a count that is wrong by then stays wrong. */
export const RETRY_DAYS = 30;
