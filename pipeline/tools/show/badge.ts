import { type ComponentLabel, labelledPoints, labelOf } from "../../../snapshots/format/value-sets.ts";
import type { Settings } from "../../home/settings.ts";
import { showEnvelope } from "./show.ts";

/** Dark enough for white text; the label beside the number conveys the same without colour. */
const COLOURS: Readonly<Record<ComponentLabel, string>> = {
  Excellent: "#116329",
  Strong: "#2f6f1f",
  Moderate: "#7a5a00",
  Weak: "#a04000",
  Critical: "#a11d1d",
};

/** `govdata badge`: the score of a DAO as a picture, and as JSON for shields.io. Throws `NOT_FOUND`. */
export async function runBadge(settings: Settings, spaceId: string) {
  const { data: dao, meta } = await showEnvelope(settings, "dao", spaceId);
  const interval = meta.interval?.gvs;
  const [low, high] = interval ?? [dao.gvs, dao.gvs];
  const word = labelOf(labelledPoints({ low, high }));
  const label = "governance";
  const between = interval === undefined ? "" : ` [${low.toFixed(2)}-${high.toFixed(2)}]`;
  const message = `${dao.gvs.toFixed(2)}${between} of 10, ${word.toLowerCase()}`;
  const color = COLOURS[word];
  const { makeBadge } = await import("badge-maker");
  return {
    shields: { schemaVersion: 1, label, message, color },
    svg: `${makeBadge({ label, message, color })}\n`,
  };
}
