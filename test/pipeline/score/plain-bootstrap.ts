import { createHash } from "node:crypto";
import type { DaoMeasures, MemberMeasures } from "../../../pipeline/score/method/measures.ts";
import { METHODOLOGY } from "../../../pipeline/score/method/methodology.ts";
import { plainMean, plainMedian, unit } from "./plain-statistics.ts";

/** What one resample scores in the second implementation. */
export interface PlainResample {
  readonly hpr: number;
  readonly dei: number;
  readonly pdi: number;
  readonly gpi: number;
  readonly gvs: number;
}

/** xoshiro128** in big integers, as its authors wrote it down. */
function plainGenerator(text: string): () => number {
  const bytes = createHash("sha256").update(text).digest();
  const mask = 0xffff_ffffn;
  const s = [0, 4, 8, 12].map((at) => BigInt(bytes.readUInt32LE(at)));
  const at = (place: number): bigint => s[place] ?? 0n;
  const rotl = (x: bigint, k: bigint): bigint => ((x << k) | (x >> (32n - k))) & mask;
  return () => {
    const result = (rotl((at(1) * 5n) & mask, 7n) * 9n) & mask;
    const t = (at(1) << 9n) & mask;
    s[2] = at(2) ^ at(0);
    s[3] = at(3) ^ at(1);
    s[1] = at(1) ^ at(2);
    s[0] = at(0) ^ at(3);
    s[2] = at(2) ^ t;
    s[3] = rotl(at(3), 11n);
    return Number(result);
  };
}

const equal = (values: readonly (number | undefined)[]) =>
  values.flatMap((value) => (value === undefined ? [] : [{ value, weight: 1 }]));

function plainPdi(member: MemberMeasures): number | undefined {
  const w = METHODOLOGY.deliberation.weights;
  const rows: readonly (readonly [number, number | undefined])[] = [
    [w.discussion, member.hasDiscussionLink === undefined ? undefined : Number(member.hasDiscussionLink)],
    [
      w.votingPeriod,
      member.votingPeriodDays === undefined ? undefined : unit((member.votingPeriodDays - 1) / 6),
    ],
    [w.reviewDelay, member.reviewDelayDays === undefined ? undefined : unit(member.reviewDelayDays / 2)],
    [
      w.contestedness,
      member.topChoiceShare === undefined ? undefined : unit((1 - member.topChoiceShare) / 0.25),
    ],
    [w.rationale, member.rationaleShare === undefined ? undefined : unit(member.rationaleShare / 0.1)],
    [
      w.halfPowerTime,
      member.elapsedAtHalfPower === undefined
        ? undefined
        : 4 * member.elapsedAtHalfPower * (1 - member.elapsedAtHalfPower),
    ],
    [w.notBatch, member.overlappingVotes === 0 ? undefined : 1 - member.batchVotes / member.overlappingVotes],
  ];
  const known = rows.flatMap(([weight, value]) => (value === undefined ? [] : [{ weight, value }]));
  return known.reduce((sum, { weight }) => sum + weight, 0) >= 0.5 - 1e-9 ? plainMean(known) : undefined;
}

/** The parts of the frame as a whole that no resample changes. */
export interface PlainWhole {
  readonly independence: number;
  readonly presence: number;
  readonly cadence: number;
  readonly proposers: number | undefined;
  readonly guardrails: number | undefined;
}

function plainResample(
  drawn: readonly MemberMeasures[],
  measures: DaoMeasures,
  whole: PlainWhole,
): PlainResample | undefined {
  const weights = measures.members.map((member) => member.attention);
  const sum = weights.reduce((a, b) => a + b, 0);
  const n = sum ** 2 / weights.reduce((a, b) => a + b * b, 0);
  const heads = equal(drawn.map((member) => member.heads));
  const mean = plainMean(heads) ?? 0;
  if (mean === 0) return undefined;
  const r0 = 1 / (n * (1 - (1 - 1 / n) ** 5));
  const loyalty = n < 1 + 1e-9 ? 0 : unit((mean / measures.expectedHeads - r0) / (1 - r0));
  const b = unit(Math.log(Math.max(1, plainMedian(heads) ?? 0) / 5) / Math.log(200));
  const raw = (10 * whole.independence * whole.presence * (unit(loyalty / 0.4) + b)) / 2;
  const hpr = measures.isCoordinationAssessed ? raw : Math.min(5, raw);

  const median = (of: (member: MemberMeasures) => number | undefined) => plainMedian(equal(drawn.map(of)));
  const [effective, k, top] = [
    median((member) => member.concentration?.effectiveVoters),
    median((member) => member.concentration?.nakamoto),
    median((member) => member.concentration?.topShare),
  ];
  if (effective === undefined || k === undefined || top === undefined) return undefined;
  const marks =
    unit(Math.log(effective) / Math.log(50)) +
    unit(Math.log(k) / Math.log(25)) +
    1 -
    unit((top - 0.05) / 0.45);
  const pdi = plainMean(equal(drawn.map(plainPdi)));
  const s = median((member) => member.power);
  const least = s === undefined || s === 0 ? Number.NaN : s / 100;
  const quorum = plainMean(
    equal(
      drawn.map(({ quorum: asked, isQuorumRejection, power }) =>
        asked === undefined || isQuorumRejection || power === undefined || !(asked >= least)
          ? undefined
          : Number(power >= asked),
      ),
    ),
  );
  const rows = [
    [0.3, quorum],
    [0.25, whole.cadence],
    [0.25, whole.proposers],
    [0.2, whole.guardrails],
  ] as const;
  const known = rows.flatMap(([weight, value]) => (value === undefined ? [] : [{ weight, value }]));
  const gpi =
    known.reduce((total, { weight }) => total + weight, 0) >= 0.5 - 1e-9 ? plainMean(known) : undefined;
  if (pdi === undefined || gpi === undefined) return undefined;
  const thin = 1 - Math.min(1, sum / 20);
  const late = (c: number): number => c - thin * Math.max(0, c - 5);
  const found = { hpr: late(hpr), dei: late((10 / 3) * marks), pdi: late(10 * pdi), gpi: late(10 * gpi) };
  const log =
    0.3 * Math.log(1 + found.hpr) +
    0.3 * Math.log(1 + found.dei) +
    0.2 * Math.log(1 + found.pdi) +
    0.2 * Math.log(1 + found.gpi);
  return { ...found, gvs: Math.exp(log) - 1 };
}

/** The bootstrap of methodology §6 written down a second time, draw by draw. */
export function plainBootstrap(
  measures: DaoMeasures,
  whole: PlainWhole,
  count: number,
): (PlainResample | undefined)[] {
  const next = plainGenerator(
    `${measures.spaceId}|${new Date(measures.asOfMs).toISOString().slice(0, 10)}|${METHODOLOGY.version}`,
  );
  const { members } = measures;
  const sum = members.reduce((total, member) => total + member.attention, 0);
  return Array.from({ length: count }, () => {
    const drawn = members.map(() => {
      const target = (next() / 2 ** 32) * sum;
      let reached = 0;
      const hit = members.find((member) => {
        reached += member.attention;
        return reached > target;
      });
      if (hit === undefined) throw new Error("nothing was drawn");
      return hit;
    });
    return plainResample(drawn, measures, whole);
  });
}
