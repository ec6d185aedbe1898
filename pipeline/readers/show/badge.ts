import type { DaoList } from "../../../snapshots/format/dao.ts";
import { type ComponentLabel, labelOf } from "../../../snapshots/format/value-sets.ts";
import { PipelineError } from "../../facts/errors.ts";
import type { Settings } from "../../home/settings.ts";
import { showDocument } from "./show.ts";

/** What shields.io asks of an endpoint, and what a badge is drawn from. */
export interface ShieldsBadge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  readonly color: string;
}

/** Dark enough for white text; the word beside the number says the same without colour. */
const COLOURS: Readonly<Record<ComponentLabel, string>> = {
  Excellent: "#116329",
  Strong: "#2f6f1f",
  Moderate: "#7a5a00",
  Weak: "#a04000",
  Critical: "#a11d1d",
};

/** The badge of one DAO: its score and its word, as everybody may see them; nothing where it has no score. */
export function badgeOf(daos: DaoList, spaceId: string): ShieldsBadge | undefined {
  const dao = daos.find(({ space_id }) => space_id === spaceId);
  if (dao === undefined) return undefined;
  const label = labelOf(dao.gvs);
  return {
    schemaVersion: 1,
    label: "governance",
    message: `${dao.gvs.toFixed(2)} of 10, ${label.toLowerCase()}`,
    color: COLOURS[label],
  };
}

/** The badge as SVG with a title; asks for nothing, the same for the same badge. */
export async function drawBadge({ label, message, color }: ShieldsBadge): Promise<string> {
  const { makeBadge } = await import("badge-maker");
  return `${makeBadge({ label, message, color })}\n`;
}

/** A badge as a picture and as what shields.io asks for. */
export interface BadgeResult {
  readonly shields: ShieldsBadge;
  readonly svg: string;
}

/** `govdata badge`: the badge of a scored DAO of the current version. Throws `PipelineError` NOT_FOUND. */
export async function runBadge(settings: Settings, spaceId: string): Promise<BadgeResult> {
  const daos = await showDocument(settings, "daos", "all");
  const shields = badgeOf(daos, spaceId);
  if (shields === undefined) {
    // Says why there is no score, where the DAO is tracked.
    await showDocument(settings, "dao", spaceId);
    throw new PipelineError("NOT_FOUND", `${spaceId} has no score`);
  }
  return { shields, svg: await drawBadge(shields) };
}
