import type { PipelineErrorCode } from "../facts/errors.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import type { VoterList } from "../facts/voters.ts";
import type { WrittenRecord } from "../warehouse/fetch-writer.ts";

/** What a thread knows from its start. */
export interface ThreadStart {
  readonly registry: Registry;
  readonly warehouse: { readonly path: string; readonly migrationsDirectory: string };
}

/** What a thread can be asked for; it answers each as the function of that name beside it says. */
export type ThreadTask =
  | { readonly kind: "fetch"; readonly dao: TrackedDao; readonly directory: string }
  | { readonly kind: "score"; readonly dao: TrackedDao; readonly asOfMs: number };

/** What a fetch says on its way: what it puts, in its order; where there are voters, it waits for their numbers. */
export interface FetchSaid {
  readonly records: readonly WrittenRecord[];
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
