import { PipelineError } from "../../base/pipeline-error.ts";

/** The hub's answer is larger than it gives or we take at once; the answer to a smaller question may not be. */
export class AnswerTooLarge extends PipelineError {
  constructor(queryName: string) {
    super("SOURCE_FAILED", `the hub's answer is more than can be taken at once (${queryName})`);
  }
}
