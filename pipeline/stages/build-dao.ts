import type { PartContext } from "../../snapshots/format/agreement/disagreement.ts";
import type { TopEntity } from "../../snapshots/format/dao.ts";
import type { Certainty } from "../../snapshots/format/envelope.ts";
import { type RenderedPart, renderPart } from "../../snapshots/store/write/render-part.ts";
import { buildDaoDocuments } from "../documents/build-documents.ts";
import type { DaoRow } from "../documents/dao-row.ts";
import { publicEntities } from "../documents/entities.ts";
import type { Standing } from "../documents/scored-dao.ts";
import type { Registry } from "../facts/tracked.ts";
import { checkDao } from "../gate/check-dao.ts";
import type { GatedDao } from "../gate/gate-input.ts";
import { deriveDao } from "../recompute/derive-dao.ts";
import { recomputePart } from "../recompute/recompute.ts";
import { readScored } from "./score-dao.ts";
import type { PutAside, ScratchFile } from "./scratch-file.ts";

/** The input for the documents of one DAO. */
export interface BuildTask {
  /** Contains its scores. */
  readonly scratch: ScratchFile;
  readonly scored: PutAside;
  readonly asOfMs: number;
  /** Absent without a score. */
  readonly standing: Standing | undefined;
  readonly topEntities: readonly TopEntity[];
  /** Absent without a score. */
  readonly certainty: Certainty | undefined;
  /** What the version's lists contain about it. */
  readonly context: PartContext;
  /** Whether to render the files, or only to run the gates. */
  readonly isRendered: boolean;
}

/** The checked documents of one DAO, as plain data that can be posted between threads. */
export interface BuiltDao {
  readonly gated: GatedDao;
  /** Recomputed from its evidence; absent without evidence. */
  readonly derived: DaoRow | undefined;
  /** Absent if a gate refuses the documents, or if rendering was not requested. */
  readonly rendered: RenderedPart | undefined;
}

/**
 * Returns a function that builds the documents of one DAO, checks them, and recomputes them from their own
 * evidence.
 */
export function createDaoBuilding(registry: Registry): (task: BuildTask) => BuiltDao {
  const entities = publicEntities(registry);
  const optedOut = registry.entities.filter((entity) => entity.isOptedOut);
  return ({ scratch, scored: aside, asOfMs, standing, certainty, topEntities, context, isRendered }) => {
    const scored = readScored(scratch, aside);
    const documents = buildDaoDocuments(scored, { asOfMs, standing, topEntities, entities });
    const part = { ...context, ...documents };
    // Only the documents to be published are used, not the data that they were built from.
    const derived = deriveDao(part);
    const { differences } = recomputePart(part, derived, standing);
    const { gated, checked } = checkDao(part, optedOut, differences);
    return {
      gated,
      derived: derived?.row,
      rendered:
        checked === undefined || !isRendered
          ? undefined
          : renderPart(checked, {
              as_of: context.asOf,
              methodology_version: context.methodologyVersion,
              certainty: new Map(certainty === undefined ? [] : [[context.spaceId, certainty]]),
            }),
    };
  };
}
