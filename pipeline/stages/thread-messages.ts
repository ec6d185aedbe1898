import type { Space } from "../facts/dao-facts.ts";
import type { DelegateList } from "../facts/delegation.ts";
import type { PipelineErrorCode } from "../facts/errors.ts";
import type { Rejection } from "../facts/governance-source.ts";
import type { Proposal } from "../facts/proposal.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import type { VoterList } from "../facts/voters.ts";
import type { PackedVotes } from "../warehouse/pack-votes.ts";

/** What a thread knows from its start. */
export interface ThreadStart {
  readonly registry: Registry;
  readonly warehouse: { readonly path: string; readonly migrationsDirectory: string };
}

/** What a thread can be asked for; it answers each as the function of that name beside it says. */
export type ThreadTask =
  | { readonly kind: "fetch"; readonly dao: TrackedDao; readonly directory: string }
  | { readonly kind: "score"; readonly dao: TrackedDao; readonly asOfMs: number };

/** What a fetch puts, in the order in which it puts it. */
export type Put =
  | { readonly put: "space"; readonly space: Space }
  | { readonly put: "proposal"; readonly proposal: Proposal }
  | { readonly put: "ballot"; readonly ballot: PackedVotes }
  | { readonly put: "delegate-list"; readonly list: DelegateList }
  | { readonly put: "rejection"; readonly rejection: Rejection }
  /** Of so many more only the code, which is counted. */
  | { readonly put: "more-rejections"; readonly code: string; readonly count: number };

/** What a fetch says on its way; where there are voters, it waits for their numbers. */
export interface FetchSaid {
  readonly puts: readonly Put[];
  readonly voters: VoterList | undefined;
}

/** An error on its way between threads. */
export interface Failure {
  /** Of a failure that was to be expected. */
  readonly code: PipelineErrorCode | undefined;
  readonly message: string;
  readonly hint: string | undefined;
  readonly stack: string | undefined;
}

/** What a thread hears. */
export type ToThread =
  | { readonly kind: "task"; readonly task: number; readonly work: ThreadTask }
  | { readonly kind: "answer"; readonly task: number; readonly answer: unknown }
  /** Nobody hears this task any more. */
  | { readonly kind: "drop"; readonly task: number };

/** What a thread says. */
export type FromThread =
  | { readonly kind: "said"; readonly task: number; readonly body: unknown; readonly wantsAnswer: boolean }
  | { readonly kind: "done"; readonly task: number; readonly answer: unknown }
  | { readonly kind: "failed"; readonly task: number; readonly failure: Failure };
