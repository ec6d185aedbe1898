/** On which ballots of a frame a voter cast a timed vote, ascending, and at which place in order of time. */
export interface VoterBallots {
  readonly orders: number[];
  readonly places: number[];
}

/** Adds a ballot; most come after all others. */
export function insertBallot({ orders, places }: VoterBallots, order: number, place: number): void {
  if (orders.length === 0 || (orders.at(-1) ?? 0) < order) {
    orders.push(order);
    places.push(place);
    return;
  }
  const at = firstNotBefore(orders, order);
  orders.splice(at, 0, order);
  places.splice(at, 0, place);
}

/** Takes a ballot out. */
export function removeBallot({ orders, places }: VoterBallots, order: number): void {
  const at = firstNotBefore(orders, order);
  orders.splice(at, 1);
  places.splice(at, 1);
}

function firstNotBefore(orders: readonly number[], order: number): number {
  let low = 0;
  let high = orders.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((orders[middle] ?? 0) < order) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Calls back with the two places on each ballot that both voters cast, ascending; answers how many there are. */
export function forEachCommonBallot(
  one: VoterBallots,
  other: VoterBallots,
  visit: (order: number, onePlace: number, otherPlace: number) => void,
): number {
  let count = 0;
  for (let i = 0, j = 0; i < one.orders.length && j < other.orders.length; ) {
    const left = one.orders[i] ?? 0;
    const right = other.orders[j] ?? 0;
    if (left === right) {
      count += 1;
      visit(left, one.places[i] ?? 0, other.places[j] ?? 0);
    }
    if (left <= right) i += 1;
    if (right <= left) j += 1;
  }
  return count;
}
