/** A row of numbers in [0, 1) from one seed (mulberry32): the same seed gives the same row. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The seed of a run: `FAULTS_SEED` to run one again, otherwise a new one. */
export function chosenSeed(): number {
  const given = process.env["FAULTS_SEED"];
  return given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given);
}
