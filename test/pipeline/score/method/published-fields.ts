import { z } from "zod";
import {
  DaoDetail,
  DaoHistory,
  DaoSummary,
  Dgi,
  DgiHistory,
  RiskAssessment,
  UnscoredDao,
} from "../../../../snapshots/format/dao.ts";
import { DelegateListing, DelegationGraph } from "../../../../snapshots/format/delegates.ts";
import { Entity } from "../../../../snapshots/format/entity.ts";
import { ListMeta } from "../../../../snapshots/format/envelope.ts";
import { Evidence } from "../../../../snapshots/format/evidence.ts";
import { ProposalLine } from "../../../../snapshots/format/proposal-line.ts";
import { COMPONENT_KEYS } from "../../../../snapshots/format/value-sets.ts";

/** Every published document that holds numbers about DAOs, delegates or entities, by the name it is published under. */
const DOCUMENTS: Readonly<Record<string, z.ZodType>> = {
  meta: ListMeta,
  "daos.json": DaoSummary,
  "daos/<space_id>.json": DaoDetail,
  "risk/<space_id>.json": RiskAssessment,
  "dgi.json": Dgi,
  "dgi-history.json": DgiHistory,
  "history/<space_id>.json": DaoHistory,
  "delegates/<space_id>/latest.json": DelegateListing,
  "graph/<space_id>.json": DelegationGraph,
  "entities/<entity_id>.json": Entity,
  "unscored.json": UnscoredDao,
  "evidence/<space_id>.json": Evidence,
  "proposals/<space_id>.ndjson": ProposalLine,
};

/** The names of the values in a shape, with dots; a list or a choice of shapes adds no name of its own. */
function namesIn(shape: unknown, path: readonly string[] = []): string[] {
  if (shape instanceof z.ZodObject) {
    return Object.entries(shape.shape).flatMap(([key, part]) => namesIn(part, [...path, key]));
  }
  if (shape instanceof z.ZodArray) return namesIn(shape.element, path);
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable) return namesIn(shape.unwrap(), path);
  if (shape instanceof z.ZodUnion) return shape.options.flatMap((option) => namesIn(option, path));
  return [path.join(".")];
}

const components = new RegExp(`(^|\\.)(${COMPONENT_KEYS.join("|")})(?=\\.|$)`);

/** The four components have the same fields, and so have the columns of the totals: `*` stands for each of them. */
const collapsed = (name: string): string =>
  name.replace(components, "$1*").replace(/^totals\.[a-z_]+/, "totals.*");

/** The fields of each document. */
export function publishedFields(): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.entries(DOCUMENTS).map(([name, shape]) => [name, [...new Set(namesIn(shape).map(collapsed))]]),
  );
}
