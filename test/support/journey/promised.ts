import type { z } from "zod";
import type { FictionalEntity } from "../../../fixtures/world/entities.ts";
import type { Evidence } from "../../../snapshots/format/evidence.ts";
import type { Manifest } from "../../../snapshots/format/manifest.ts";
import type { Rankings } from "../../../snapshots/format/rankings.ts";
import type { PublishedFiles } from "../published-files.ts";

/** What a caller must get: a refusal with its code, or an answer made of a published file. */
export type Promised =
  | { readonly status: 400 | 403 | 404 | 405; readonly code: string }
  | {
      readonly status: 200;
      readonly shape: z.ZodType;
      /** The text of `data`, to the byte. */
      readonly data: string;
      readonly meta: object;
      readonly isEntity: boolean;
    };

/** One request, and what Free and the higher tiers must get for it. */
export interface JourneyRequest {
  readonly why: string;
  readonly path: string;
  readonly method?: "POST" | "PUT" | "DELETE" | "PATCH";
  readonly free: Promised;
  readonly pro: Promised;
}

/** Needs a higher tier. */
const TIER_INSUFFICIENT: Promised = { status: 403, code: "TIER_INSUFFICIENT" };
/** Does not exist, or is hidden. */
export const NOT_FOUND: Promised = { status: 404, code: "NOT_FOUND" };

/** A request with the same response on every tier. */
export const sameForAll = (why: string, path: string, promised: Promised): JourneyRequest => ({
  why,
  path,
  free: promised,
  pro: promised,
});
/** A request that Free may not make. */
export const proOnly = (why: string, path: string, promised: Promised): JourneyRequest => ({
  why,
  path,
  free: TIER_INSUFFICIENT,
  pro: promised,
});

/** The published files and the world's entities, from which the requests are made. */
export interface JourneySubjects {
  readonly published: PublishedFiles;
  readonly entities: readonly FictionalEntity[];
}

/** `meta` of an answer as of the run. */
export function metaOf(published: PublishedFiles): { methodology_version: string; as_of: string } {
  const { methodology_version, as_of } = published.json("manifest.json") as Manifest;
  return { methodology_version, as_of };
}

/** How certain the scores of a DAO are, from its evidence; without risk in the list, which is Free. */
export function certaintyOf(published: PublishedFiles, id: string, withRisk: boolean): object {
  const { gvs, components, risk, ...rest } = published.json(`evidence/${id}.json`) as Evidence;
  const { hpr, dei, pdi, gpi } = components;
  const rankings = published.json("rankings.json") as Rankings;
  const its = rankings.find((each) => each.space_id === id);
  const ends = ({ low, high }: { low: number; high: number }, digits = 2) =>
    [low, high].map((value) => Number(value.toFixed(digits)));
  const four = { gvs: ends(gvs), hpr: ends(hpr), dei: ends(dei), pdi: ends(pdi), gpi: ends(gpi) };
  return {
    interval: { ...four, ...(withRisk && risk !== null ? { risk: ends(risk, 1) } : {}) },
    known_share: Number(rest.known_share.toFixed(2)),
    rank_range: [its?.best, its?.worst],
    presence: ends(rest.presence),
    not_known: rest.not_known,
  };
}

/** The text of a file in `data`: without its final newline. */
export const textOf = (published: PublishedFiles, path: string) =>
  published.bytes(path).toString("utf8").trimEnd();
