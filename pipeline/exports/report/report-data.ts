import type { DaoDetail, DaoList, DaoSummary } from "../../../snapshots/format/dao.ts";
import type { DelegateListing } from "../../../snapshots/format/delegates.ts";
import type { DelegationGraph } from "../../../snapshots/format/delegation-graph.ts";
import type { Dgi, DgiHistory } from "../../../snapshots/format/dgi.ts";
import type { DaoHistory } from "../../../snapshots/format/history.ts";
import type { Manifest } from "../../../snapshots/format/manifest.ts";
import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import type { RiskAssessment } from "../../../snapshots/format/risk.ts";
import type { RunReport } from "../../../snapshots/format/run-report.ts";
import type { UnscoredList } from "../../../snapshots/format/unscored.ts";
import type { ComponentKey } from "../../../snapshots/format/value-sets.ts";

/** A score with nine chances in ten of holding what would come out of other proposals of the same kind. */
export interface ScoreInterval {
  readonly low: number;
  readonly high: number;
}

/** One indicator: what it asks, what was found, and what that was worth. */
export interface IndicatorStory {
  readonly asks: string;
  readonly measure: "percent" | "heads" | "days" | "number";
  readonly role: "part" | "factor";
  readonly raw: number | undefined;
  /** 0–1. */
  readonly value: number | undefined;
  readonly points: number;
  readonly pointsMost: number;
}

/** Why a component is what it is. */
export interface ComponentStory {
  readonly key: ComponentKey;
  readonly interval: ScoreInterval | undefined;
  readonly indicators: readonly IndicatorStory[];
  /** What costs it most, where anything does. */
  readonly costliest: { readonly asks: string; readonly points: number } | undefined;
}

/** What the evidence of a DAO tells. */
export interface EvidenceStory {
  readonly interval: ScoreInterval | undefined;
  readonly rank: { readonly best: number; readonly worst: number } | undefined;
  readonly components: readonly ComponentStory[];
  readonly thin: {
    readonly attentionSum: number;
    readonly attentionFull: number;
    readonly gvsWithout: number | undefined;
  };
  /** The proposals of the frame, the latest first. */
  readonly members: readonly ProposalLine[];
  readonly leftOut: readonly { readonly reason: string; readonly sentence: string; readonly count: number }[];
  readonly completeness: readonly { readonly asks: string; readonly value: number | undefined }[];
  readonly notAssessed: readonly { readonly what: readonly string[]; readonly why: string }[];
}

/** What a Free caller of the API would not get. */
export interface FullDao {
  readonly detail: DaoDetail;
  readonly risk: RiskAssessment | undefined;
  readonly history: DaoHistory | undefined;
  readonly evidence: EvidenceStory | undefined;
  /** Only where the delegates come from logs. */
  readonly graph?: DelegationGraph | undefined;
}

/** What the page of one DAO shows. */
export interface DaoReport {
  readonly dao: DaoSummary;
  /** Ten rows, or all that are published by rank. */
  readonly listing: DelegateListing | undefined;
  readonly full: FullDao | undefined;
}

/** What became of one DAO since the version before; risk is told in full reports only. */
export interface DaoChange {
  readonly spaceId: string;
  readonly name: string;
  readonly fate: "appeared" | "vanished" | "scored" | "unscored" | "moved";
  readonly gvsBefore: number | undefined;
  readonly gvsAfter: number | undefined;
  readonly rankBefore: number | undefined;
  readonly rankAfter: number | undefined;
  readonly riskBefore: number | undefined;
  readonly riskAfter: number | undefined;
  /** The component that moved the score most. */
  readonly mostly: string | undefined;
}

/** Two versions compared. */
export interface ReportChanges {
  readonly fromVersion: string;
  readonly fromAsOf: string;
  readonly constants: readonly string[];
  /** The strongest changes first. */
  readonly daos: readonly DaoChange[];
  readonly unchanged: number;
}

/** What a component is called and what it asks. */
export type ComponentNames = Readonly<Record<ComponentKey, { readonly name: string; readonly asks: string }>>;

/** Everything a report is made of; what may not be shown is not in it. */
export interface ReportData {
  readonly version: string;
  readonly sequence: number;
  readonly createdAt: string;
  readonly asOf: string;
  readonly methodologyVersion: string;
  readonly isFull: boolean;
  readonly names: ComponentNames;
  readonly list: DaoList;
  /** By rank. */
  readonly daos: readonly DaoReport[];
  readonly dgi: Dgi | undefined;
  readonly dgiHistory: DgiHistory | undefined;
  readonly unscored: UnscoredList;
  readonly run: RunReport;
  readonly sources: Manifest["sources"];
  readonly changes: ReportChanges | undefined;
  /** The text of the method, in Markdown. */
  readonly methodology: string;
}
