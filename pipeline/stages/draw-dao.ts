import type { PartContext } from "../../snapshots/format/agreement/disagreement.ts";
import type { TopEntity } from "../../snapshots/format/dao.ts";
import { type RenderedPart, renderPart } from "../../snapshots/store/write/render-part.ts";
import { buildDaoDocuments } from "../documents/build-documents.ts";
import type { DaoRow } from "../documents/dao-row.ts";
import { publicEntities } from "../documents/entities.ts";
import type { ScoredDao, Standing } from "../documents/scored-dao.ts";
import type { Registry } from "../facts/tracked.ts";
import { checkDao } from "../gate/check-dao.ts";
import type { GatedDao } from "../gate/gate-input.ts";
import { deriveDao } from "../readers/recompute/derive-dao.ts";
import { recomputePart } from "../readers/recompute/recompute.ts";
import { type PutAside, takeUp } from "./scratch-file.ts";

/** What it takes to draw up the documents of one DAO. */
export interface DrawTask {
  /** Where its scores were put aside. */
  readonly descriptor: number;
  readonly scored: PutAside;
  readonly asOfMs: number;
  /** Absent where it has no score. */
  readonly standing: Standing | undefined;
  readonly topEntities: readonly TopEntity[];
  /** What the lists of the version say of it. */
  readonly context: PartContext;
  /** Whether the bytes are asked for, or only what the gates say. */
  readonly isRendered: boolean;
}

/** The documents of one DAO, checked: in plain data that can be handed from thread to thread. */
export interface DrawnDao {
  readonly gated: GatedDao;
  /** What follows from its evidence; absent where it has none. */
  readonly derived: DaoRow | undefined;
  /** Absent where a gate refuses them, or nobody asked for them. */
  readonly rendered: RenderedPart | undefined;
}

/** A function that draws up the documents of one DAO, checks them, and derives them again from its own evidence. */
export function createDrawing(registry: Registry): (task: DrawTask) => DrawnDao {
  const entities = publicEntities(registry);
  const optedOut = registry.entities.filter((entity) => entity.isOptedOut);
  return ({ descriptor, scored: putAside, asOfMs, standing, topEntities, context, isRendered }) => {
    const scored = takeUp<ScoredDao>(descriptor, putAside);
    const documents = buildDaoDocuments(scored, { asOfMs, standing, topEntities, entities });
    const part = { ...context, ...documents };
    // From what is about to be published and nothing else: what it was built from stays out of it.
    const derived = deriveDao(part);
    const { differences } = recomputePart(part, derived, standing);
    const { gated, checked } = checkDao(part, optedOut, differences);
    return {
      gated,
      derived: derived?.row,
      rendered:
        checked === undefined || !isRendered
          ? undefined
          : renderPart(checked, { as_of: context.asOf, methodology_version: context.methodologyVersion }),
    };
  };
}
