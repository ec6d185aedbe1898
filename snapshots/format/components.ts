import { z } from "zod";
import { Score } from "./numbers.ts";
import { COMPONENT_LABELS } from "./value-sets.ts";

/** The four component scores. */
export const Components = z.strictObject({ hpr: Score, dei: Score, pdi: Score, gpi: Score });
export type Components = z.infer<typeof Components>;

const LabelledScore = z.strictObject({ score: Score, label: z.enum(COMPONENT_LABELS) });

/** The four component scores, each with its word. */
export const LabelledComponents = z.strictObject({
  hpr: LabelledScore,
  dei: LabelledScore,
  pdi: LabelledScore,
  gpi: LabelledScore,
});
export type LabelledComponents = z.infer<typeof LabelledComponents>;
