import { rankRows } from "../../../pipeline/documents/dao-row.ts";
import { deriveDao, type ExplainedPart } from "../../../pipeline/recompute/derive-dao.ts";
import { type Difference, recomputePart } from "../../../pipeline/recompute/recompute.ts";
import type { UnscoredDao } from "../../../snapshots/format/dao.ts";
import type { PublishedEvidence } from "../../../snapshots/format/published-set.ts";

/** The differences in evidence and lines alone, of DAOs of which nothing else is published but that they are tracked. */
export function recomputeEvidence(all: readonly PublishedEvidence[]): readonly Difference[] {
  const parts = all.map((published) => ({ part: partOf(published), derived: deriveDao(partOf(published)) }));
  const standings = rankRows(parts.flatMap(({ derived }) => derived?.row ?? []));
  return parts
    .flatMap(({ part, derived }) => recomputePart(part, derived, standings.get(part.spaceId)).differences)
    .filter(({ path }) => path.startsWith("evidence/") || path.startsWith("proposals/"));
}

function partOf(published: PublishedEvidence): ExplainedPart {
  const { space_id: spaceId, as_of: asOf, methodology_version: methodologyVersion } = published.evidence;
  return {
    spaceId,
    asOf,
    methodologyVersion,
    listed: undefined,
    // Of a list only name and category are looked at.
    unscored: { name: spaceId, category: "defi" } as UnscoredDao,
    details: [],
    risks: [],
    listings: [],
    graphs: [],
    histories: [],
    emptyFrames: [],
    evidence: [published],
  };
}

/** The way to a leaf of a JSON value: keys and indexes. */
export type LeafPath = readonly (string | number)[];

/** The path of every leaf of a JSON value. */
export function leavesOf(value: unknown, path: LeafPath = []): LeafPath[] {
  if (typeof value !== "object" || value === null) return [path];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, item]) =>
    leavesOf(item, [...path, isList ? Number(key) : key]),
  );
}

/** The leaf at a path. */
export function leafAt(value: unknown, path: LeafPath): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], value);
}

/** A copy with another leaf. */
export function withLeaf<Value>(value: Value, path: LeafPath, leaf: unknown): Value {
  const [key, ...rest] = path;
  if (key === undefined) return leaf as Value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  copy[key] = withLeaf(copy[key], rest, leaf);
  return copy as Value;
}
