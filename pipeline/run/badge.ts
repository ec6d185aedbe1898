import { PipelineError } from "../base/pipeline-error.ts";
import { badgeOf, drawBadge, type ShieldsBadge } from "../exports/badge.ts";
import type { Settings } from "./settings.ts";
import { showDocument } from "./show.ts";

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
