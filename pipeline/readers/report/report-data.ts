import type {
  DaoDetail,
  DaoHistory,
  DaoList,
  DaoSummary,
  Dgi,
  DgiHistory,
  RiskAssessment,
  UnscoredList,
} from "../../../snapshots/format/dao.ts";
import type { DelegateListing, DelegationGraph } from "../../../snapshots/format/delegates.ts";
import type { Manifest, RunReport } from "../../../snapshots/format/manifest.ts";
import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import type { ComponentKey } from "../../../snapshots/format/value-sets.ts";
import type { ReportChanges } from "../compare/moves.ts";

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
