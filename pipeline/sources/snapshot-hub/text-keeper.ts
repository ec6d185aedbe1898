import { PipelineError } from "../../base/pipeline-error.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { HUB_LIMITS } from "./limits.ts";

/**
 * Keeps the long texts of a listing's proposals: equal strategies, which most proposals of a space share, are kept
 * once. Throws `PipelineError` SOURCE_FAILED where all together are more than any space writes.
 */
export function createTextKeeper(
  lengthMax: number = HUB_LIMITS.textLengthMax,
): (proposal: Proposal) => Proposal {
  const known = new Map<string, string>();
  let length = 0;
  const hold = (text: string | undefined): string | undefined => {
    if (text === undefined) return undefined;
    const same = known.get(text);
    if (same !== undefined) return same;
    length += text.length;
    if (length > lengthMax) {
      throw new PipelineError(
        "SOURCE_FAILED",
        `the proposals of one space hold more than ${lengthMax} characters of links and strategies`,
      );
    }
    known.set(text, text);
    return text;
  };
  return (proposal) => ({
    ...proposal,
    discussion: hold(proposal.discussion),
    strategiesKey: hold(proposal.strategiesKey),
  });
}
