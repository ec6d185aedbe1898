import type { MarkId } from "../../../snapshots/format/proposal-line.ts";
import type { ComponentKey } from "../../../snapshots/format/value-sets.ts";

/** All indicators, those of the DAO as a whole too. */
export type IndicatorId = MarkId | "cadence" | "proposers" | "guardrails";

/** What an indicator is part of, and what its mean is made of. */
interface IndicatorKind {
  readonly id: IndicatorId;
  readonly component: ComponentKey;
  /**
   * `ballot`: marks of proposals, each weighed by the part of its ballot that was fetched. `proposal`: of proposals,
   * whatever was fetched. `dao`: a fact of the whole DAO.
   */
  readonly of: "ballot" | "proposal" | "dao";
}

/** Every indicator, in the order of publication: a component is 10 · presence · the plain mean of its indicators. */
export const INDICATORS = [
  { id: "breadth", component: "hpr", of: "ballot" },
  { id: "loyalty", component: "hpr", of: "ballot" },
  { id: "effective", component: "dei", of: "ballot" },
  { id: "majority", component: "dei", of: "ballot" },
  { id: "top", component: "dei", of: "ballot" },
  { id: "discussion", component: "pdi", of: "proposal" },
  { id: "period", component: "pdi", of: "proposal" },
  { id: "delay", component: "pdi", of: "proposal" },
  { id: "contested", component: "pdi", of: "ballot" },
  { id: "rationale", component: "pdi", of: "ballot" },
  { id: "not_batch", component: "pdi", of: "ballot" },
  { id: "quorum", component: "gpi", of: "proposal" },
  { id: "cadence", component: "gpi", of: "dao" },
  { id: "proposers", component: "gpi", of: "dao" },
  { id: "guardrails", component: "gpi", of: "dao" },
] as const satisfies readonly IndicatorKind[];
