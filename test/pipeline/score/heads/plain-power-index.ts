/** A weighted voting game as the literature writes it: [quota; weights], won by `quota` or more. */
export interface VotingGame {
  readonly quota: number;
  readonly weights: readonly number[];
}

/** How often each player turns a losing coalition into a winning one, by looking at all coalitions. */
export function plainSwings({ quota, weights }: VotingGame): number[] {
  const swings = weights.map(() => 0);
  for (let coalition = 0; coalition < 2 ** weights.length; coalition += 1) {
    const isIn = (player: number): boolean => Math.floor(coalition / 2 ** player) % 2 === 1;
    const sum = weights.reduce((total, weight, player) => total + (isIn(player) ? weight : 0), 0);
    weights.forEach((weight, player) => {
      if (isIn(player) && sum >= quota && sum - weight < quota) swings[player] = (swings[player] ?? 0) + 1;
    });
  }
  return swings;
}

/** The normalised Banzhaf index of each player. */
export function plainBanzhaf(game: VotingGame): number[] {
  const swings = plainSwings(game);
  const total = swings.reduce((sum, count) => sum + count, 0);
  return swings.map((count) => count / total);
}
