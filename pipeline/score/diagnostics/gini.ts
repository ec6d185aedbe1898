import { invariant } from "../../base/invariant.ts";

/** Gini coefficient of shares in any order: 0 where all are equal, near 1 where one has all. It follows the number of dust voters, so it is reported and never scored. */
export function gini(shares: Float64Array): number {
  invariant(shares.length > 0, "inequality of nobody's power");
  const ascending = shares.slice().sort();
  let sum = 0;
  let ranked = 0;
  ascending.forEach((share, index) => {
    sum += share;
    ranked += (index + 1) * share;
  });
  const count = ascending.length;
  return (2 * ranked) / (count * sum) - (count + 1) / count;
}
