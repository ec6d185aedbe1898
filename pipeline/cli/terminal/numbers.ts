/** Formats a change with its sign; a change that rounds to 0 gets a plus. */
export function formatChange(value: number, decimals = 2): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? `+${Math.abs(0).toFixed(decimals)}` : value < 0 ? text : `+${text}`;
}

/** Formats a range; a single number if both ends are printed the same. */
export function formatEnds({ low, high }: { readonly low: number; readonly high: number }): string {
  const [from, to] = [low.toFixed(2), high.toFixed(2)];
  return from === to ? from : `${from} to ${to}`;
}

/** Two ends in brackets, to stand behind a number. */
export function inBrackets(low: number, high: number, decimals = 2): string {
  return `[${low.toFixed(decimals)}-${high.toFixed(decimals)}]`;
}

/** Ids have up to 66 characters; this prefix suffices to find one. */
const ID_COLUMNS = 14;

/** The prefix of a long id. */
export function shortId(id: string): string {
  return id.length <= ID_COLUMNS ? id : `${id.slice(0, ID_COLUMNS - 1)}…`;
}
