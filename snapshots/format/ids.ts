import { z } from "zod";
import { DAY_MS } from "../base/days.ts";

/** A DAO's id, from our own registry; safe as a file name by construction. */
export const SpaceId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,99}$/)
  .meta({ id: "SpaceId", description: "Identifies a DAO.", examples: ["tidewater.example"] });

export const EntityId = z
  .string()
  .regex(/^ent_[0-9a-z]{26}$/)
  .meta({
    id: "EntityId",
    description: "Identifies an entity: `ent_` and 26 characters.",
    examples: ["ent_01h0000000000000000000000a"],
  });

/** An EVM address in lower case, the only spelling we publish. */
export const WalletAddress = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .meta({
    id: "WalletAddress",
    description: "An EVM address in lower case.",
    examples: ["0x00000000000000000000000000000000000000a1"],
  });

export const IsoDate = z.iso
  .date()
  .meta({ id: "Date", description: "A day (UTC).", examples: ["2026-03-30"] });

/** ISO 8601 UTC with milliseconds and a trailing Z. */
export const Timestamp = z.iso.datetime({ precision: 3 }).meta({
  id: "Timestamp",
  description: "A moment: ISO 8601 UTC with milliseconds.",
  examples: ["2026-03-31T23:59:59.999Z"],
});

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A version's directory: UTC time of the run, then 8 hex digits of its manifest's hash. */
export const VersionName = z
  .string()
  .regex(/^\d{8}T\d{6}Z-[0-9a-f]{8}$/)
  .meta({ id: "VersionName", description: "A published version.", examples: ["20260401T010000Z-9dab89c3"] });

export const MethodologyVersion = z
  .string()
  .regex(/^\d+\.\d+\.\d+$/)
  .meta({ id: "MethodologyVersion", description: "A version of the method.", examples: ["3.0.0"] });

export const IndicatorId = z
  .string()
  .regex(/^[a-z_]+$/)
  .meta({ id: "IndicatorId", description: "An indicator of the method.", examples: ["not_batch"] });

export const ReasonCode = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{1,63}$/)
  .meta({ id: "ReasonCode", description: "A stable code.", examples: ["SNAPSHOT_STALE"] });

export function timestampOf(atMs: number): string {
  return new Date(atMs).toISOString();
}

const DATES_MAX = 5_000;
const dates = new Map<number, string>();

/** The UTC day (`YYYY-MM-DD`) of a moment; cached, because thousands of DAOs are scored as of the same days. */
export function dayOf(atMs: number): string {
  const day = Math.floor(atMs / DAY_MS);
  const known = dates.get(day);
  if (known !== undefined) return known;
  if (dates.size >= DATES_MAX) dates.clear();
  const date = timestampOf(atMs).slice(0, 10);
  dates.set(day, date);
  return date;
}

/** Last millisecond of a UTC day. */
export function dayEndMs(day: string): number {
  return Date.parse(`${day}T23:59:59.999Z`);
}

const SCALES: readonly number[] = [1, 10, 100];

/** Up to here a scaled number is exact to a hundred-millionth, which is far less than `TIE_SLACK`. */
const SCALED_MAX = 1e8;

/** This close to a half, only the exact digits decide which way to round. */
const TIE_SLACK = 1e-6;

/** Rounds as `toFixed` does on the exact double; −0 becomes 0. Published numbers are rounded only here. */
export function roundTo(value: number, decimals: number): number {
  // Millions of numbers are rounded, and printing and parsing each one takes ten times as long.
  const scale = SCALES[decimals] ?? Number.NaN;
  const scaled = value * scale;
  const isNearTie = Math.abs(scaled - Math.floor(scaled) - 0.5) < TIE_SLACK;
  // Also for NaN.
  if (isNearTie || !(Math.abs(scaled) < SCALED_MAX)) return Number(value.toFixed(decimals)) + 0;
  return Math.round(scaled) / scale + 0;
}

/** Decimals of everything published but the risk score. */
export const SCORE_DECIMALS = 2;

export const RISK_DECIMALS = 1;

const rounded = (min: number, max: number, decimals: number, precision: string) =>
  z
    .number()
    .min(min)
    .max(max)
    .refine((value) => Object.is(roundTo(value, decimals), value), `not rounded to ${precision}`);

export const Score = rounded(0, 10, SCORE_DECIMALS, "two decimals").meta({
  id: "Score",
  description: "A score of 0 to 10, two decimals.",
  examples: [7.25],
});

/** An object with one field per component; each description begins with `prefix`. */
export const ofComponents = <Shape extends z.ZodType>(shape: Shape, prefix = "") =>
  z.strictObject({
    hpr: shape.describe(`${prefix}Human Participation Rate.`),
    dei: shape.describe(`${prefix}Decentralization Index.`),
    pdi: shape.describe(`${prefix}Proposal Deliberation Index.`),
    gpi: shape.describe(`${prefix}Governance Process Index.`),
  });

export const Percent = rounded(0, 100, SCORE_DECIMALS, "two decimals").meta({
  id: "Percent",
  description: "0 to 100, two decimals.",
  examples: [12.5],
});

export const RiskScore = rounded(0, 100, RISK_DECIMALS, "one decimal").meta({
  id: "RiskScore",
  description: "0 to 100, one decimal.",
  examples: [41.5],
});

export const RoundedShare = rounded(0, 1, SCORE_DECIMALS, "two decimals").meta({
  id: "RoundedShare",
  description: "0 to 1, two decimals.",
  examples: [0.75],
});

export const ScoreDelta = rounded(-10, 10, SCORE_DECIMALS, "two decimals").meta({
  id: "ScoreDelta",
  description: "A change of a score, −10 to 10, two decimals.",
  examples: [-0.25],
});

export const Count = z
  .int()
  .min(0)
  .meta({ id: "Count", description: "A whole number, 0 or more.", examples: [12] });

export const Rank = z
  .int()
  .min(1)
  .meta({ id: "Rank", description: "A rank, from 1.", examples: [1] });
