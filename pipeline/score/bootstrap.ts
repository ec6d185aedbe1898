import { sha256Hex } from "../../snapshots/format/canonical-json.ts";
import { dayOf } from "../../snapshots/format/ids.ts";
import { createResampler, type Resample } from "./bootstrap-resampler.ts";
import type { DaoMeasures } from "./measures.ts";
import { METHODOLOGY } from "./methodology.ts";
import { createXoshiro, wordsOfHash } from "./xoshiro.ts";

/** The generator of one DAO's draws: the same day and method draw the same proposals, on every machine. */
function generatorOf({ spaceId, asOfMs }: DaoMeasures): () => number {
  const seed = sha256Hex(`${spaceId}|${dayOf(asOfMs)}|${METHODOLOGY.version}`);
  return createXoshiro(wordsOfHash(seed));
}

/** Place of the first of ascending sums that exceeds a value. */
function firstAbove(sums: Float64Array, value: number): number {
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * What chance in the choice of proposals does to one DAO's scores: each resample draws as many proposals as the frame
 * holds, with a probability of their ω, and counts each draw equally. `undefined` where a resample has a gap. From
 * the measures alone, so that anybody can draw again.
 */
export function bootstrapScores(measures: DaoMeasures): readonly (Resample | undefined)[] {
  const { members } = measures;
  if (members.length === 0) return [];
  const sums = new Float64Array(members.length);
  let sum = 0;
  members.forEach(({ attention }, place) => {
    sum += attention;
    sums[place] = sum;
  });
  const next = generatorOf(measures);
  const scoreResample = createResampler(measures);
  return Array.from({ length: METHODOLOGY.uncertainty.resamples }, () => {
    const counts = new Uint32Array(members.length);
    for (let draw = 0; draw < members.length; draw += 1) {
      const place = firstAbove(sums, (next() / 2 ** 32) * sum);
      counts[place] = (counts[place] ?? 0) + 1;
    }
    return scoreResample(counts);
  });
}
