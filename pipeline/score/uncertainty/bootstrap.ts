import { sha256Hex } from "../../../snapshots/format/canonical-json.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import { invariant } from "../../facts/errors.ts";
import type { DaoMeasures } from "../method/measures.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { createResampler, type Resamples } from "./bootstrap-resampler.ts";

const rotateLeft = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/** A generator of whole numbers 0..2³²−1: xoshiro128** 1.1 by Blackman and Vigna, from four 32-bit words. */
export function createXoshiro(seed: readonly [number, number, number, number]): () => number {
  invariant(
    seed.some((word) => word !== 0),
    "a generator of nothing but zeros",
  );
  let [a, b, c, d] = seed;
  return () => {
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return result;
  };
}

/** Four words, little-endian, from the first 16 bytes of a hash given in hex. */
export function wordsOfHash(hex: string): readonly [number, number, number, number] {
  invariant(/^[0-9a-f]{32}/.test(hex), "a hash of at least 16 bytes in hex");
  const word = (place: number): number => {
    const bytes = [3, 2, 1, 0].map((byte) => hex.slice(8 * place + 2 * byte, 8 * place + 2 * byte + 2));
    return Number.parseInt(bytes.join(""), 16);
  };
  return [word(0), word(1), word(2), word(3)];
}

/** The generator of one DAO's draws: the same day and method draw the same proposals, on every machine. */
function generatorOf({ spaceId, asOfMs }: DaoMeasures): () => number {
  const seed = sha256Hex(`${spaceId}|${dayOf(asOfMs)}|${METHODOLOGY.version}`);
  return createXoshiro(wordsOfHash(seed));
}

/** Of each 256th of all words: the first place that a word in it can draw, so that the way to its own is short. */
const GUIDES = 256;

function guidesOf(sums: Float64Array, sum: number): Int32Array {
  let place = 0;
  return Int32Array.from({ length: GUIDES }, (_, guide) => {
    while (place < sums.length - 1 && (sums[place] ?? 0) <= (guide / GUIDES) * sum) place += 1;
    return place;
  });
}

/**
 * What chance in the choice of proposals does to one DAO's scores: each resample draws as many proposals as the frame
 * holds, with a probability of their ω, and counts each draw equally. From the measures alone, so that anybody can
 * draw again.
 */
export function bootstrapScores(measures: DaoMeasures): Resamples {
  const { members } = measures;
  const count = members.length === 0 ? 0 : METHODOLOGY.uncertainty.resamples;
  const found: Resamples = {
    gvs: new Float64Array(count),
    hpr: new Float64Array(count),
    dei: new Float64Array(count),
    pdi: new Float64Array(count),
    gpi: new Float64Array(count),
  };
  if (count === 0) return found;
  const sums = new Float64Array(members.length);
  let sum = 0;
  members.forEach(({ attention }, place) => {
    sum += attention;
    sums[place] = sum;
  });
  const guides = guidesOf(sums, sum);
  const last = members.length - 1;
  const next = generatorOf(measures);
  const scoreResample = createResampler(measures, found);
  const counts = new Int32Array(members.length);
  for (let resample = 0; resample < count; resample += 1) {
    counts.fill(0);
    for (let draw = 0; draw < members.length; draw += 1) {
      const word = next();
      const value = (word / 2 ** 32) * sum;
      // The first of the ascending sums that exceeds the value; no place here is outside of its column.
      let place = guides[word >>> 24] as number;
      while (place < last && (sums[place] as number) <= value) place += 1;
      counts[place] = (counts[place] as number) + 1;
    }
    scoreResample(counts, resample);
  }
  return found;
}
