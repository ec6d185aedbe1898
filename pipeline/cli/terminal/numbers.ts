/** A change with its sign; what rounds to nothing is no decrease. */
export function formatChange(value: number, decimals = 2): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? `+${Math.abs(0).toFixed(decimals)}` : value < 0 ? text : `+${text}`;
}

/** Two ends in words; one number where they are the same as it is written. */
export function formatEnds(
  { low, high }: { readonly low: number; readonly high: number },
  decimals = 2,
): string {
  const [from, to] = [low.toFixed(decimals), high.toFixed(decimals)];
  return from === to ? from : `${from} to ${to}`;
}

/** An id as people write it. */
export function spoken(id: string): string {
  return id.replaceAll("_", " ");
}

/** Ids are up to 66 characters; this much of one finds it. */
const ID_COLUMNS = 14;

/** The beginning of a long id. */
export function shortId(id: string): string {
  return id.length <= ID_COLUMNS ? id : `${id.slice(0, ID_COLUMNS - 1)}…`;
}

/** A timestamp to the minute. */
export function formatMoment(timestamp: string): string {
  return `${timestamp.slice(0, 16).replace("T", " ")} UTC`;
}
