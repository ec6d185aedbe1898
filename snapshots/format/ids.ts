import { z } from "zod";

/** A DAO's id, from our own registry; safe as a file name by construction. */
export const SpaceId = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,99}$/);

/** An entity's id: `ent_` and 26 base-36 characters. */
export const EntityId = z.string().regex(/^ent_[0-9a-z]{26}$/);

/** An EVM address in lower case, the one spelling we publish. */
export const WalletAddress = z.string().regex(/^0x[0-9a-f]{40}$/);

/** `YYYY-MM-DD`, a day that exists. */
export const IsoDate = z.iso.date();

/** ISO 8601 UTC with milliseconds and a trailing Z. */
export const Timestamp = z.iso.datetime({ precision: 3 });

/** SHA-256 as 64 lower-case hex digits. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A version's directory: UTC time of the run, then 8 hex digits of its manifest's hash. */
export const VersionName = z.string().regex(/^\d{8}T\d{6}Z-[0-9a-f]{8}$/);

/** Version of the method that made the numbers. */
export const MethodologyVersion = z.string().regex(/^\d+\.\d+\.\d+$/);

/** A stable upper-case reason or finding code. */
export const ReasonCode = z.string().regex(/^[A-Z][A-Z0-9_]{1,63}$/);

/** The published spelling of a moment given in milliseconds. */
export function timestampOf(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** The UTC day (`YYYY-MM-DD`) a moment lies in. */
export function dayOf(atMs: number): string {
  return timestampOf(atMs).slice(0, 10);
}

/** Last millisecond of a UTC day. */
export function dayEndMs(day: string): number {
  return Date.parse(`${day}T23:59:59.999Z`);
}
